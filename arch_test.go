package dubway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/dubway-go/dubway"

// layers says how high each package stands. An import may only point to a lower layer, or within its
// layer where sideways lists it. Reasons are in docs/adr/0001-layers.md.
var layers = map[string]int{
	"dialect": 0, "diag": 0, "internal/bitset": 0,
	"durl": 1, "service": 1, "rpc": 1, "match": 1, "rule": 1,
	"route": 2, "balance": 2, "hessian": 2, "script": 2,
	"source": 3, "source/sourcetest": 3, "directory": 3, "transport/dubbo": 3, "cluster": 3, "cluster/merger": 3,
	"source/mem": 4, "source/file": 4, "source/zk": 4,
	"": 5, "gateway": 5, "admin": 5, "app": 5, "analyze": 5, "cli": 5,
	"cmd/dubway":      6,
	"internal/zktest": 4, "internal/conformance": 4, "internal/cmd/conformance": 5,
	"verify/servers": 5,
}

// sideways lists the allowed imports inside one layer.
var sideways = map[string][]string{
	"durl":              {},
	"service":           {"durl"},
	"rpc":               {"service"},
	"match":             {"durl"},
	"rule":              {"durl", "match"},
	"balance":           {"route"},
	"script":            {"route"},
	"source/sourcetest": {"source"},
	"directory":         {"source"},
	"cluster":           {"directory", "cluster/merger"},
	"":                  {},
	"admin":             {"", "gateway"},
	"gateway":           {""},
	"app":               {"", "gateway", "admin"},
	"cli":               {"", "admin", "analyze", "app", "gateway"},
}

// thirdParty names the only packages that may import a module outside the standard library, with the reason.
var thirdParty = map[string]map[string]string{
	"github.com/goccy/go-yaml":            {"rule": "rule documents need positions", "app": "the config file needs positions"},
	"github.com/go-zookeeper/zk":          {"source/zk": "the ZooKeeper adapter"},
	"github.com/fsnotify/fsnotify":        {"source/file": "the file adapter"},
	"github.com/spf13/cobra":              {"cli": "commands, help and completion"},
	"github.com/prometheus/client_golang": {"app": "metrics exposition"},
	"github.com/prometheus/client_model":  {"app": "metrics exposition"},
	"modernc.org/quickjs":                 {"script": "script rules are JavaScript"},
	"github.com/expr-lang/expr":           {"script": "script rules of type expr"},
}

// pure packages are functions of their input: they must not reach for time, files or the network.
var pure = map[string][]string{
	"route":           {"context", "net", "net/http", "os"},
	"match":           {"context", "net", "net/http", "os", "sync"},
	"rule":            {"context", "net", "net/http", "os", "sync"},
	"durl":            {"context", "net", "net/http", "os"},
	"hessian":         {"context", "net", "net/http", "os"},
	"internal/bitset": {"fmt", "errors", "os"},
}

type source struct {
	pkg  string // import path relative to the module
	path string
	file *ast.File
	fset *token.FileSet
}

// sources parses every hand-written, non-test Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		out = append(out, source{pkg, filepath.ToSlash(path), f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatal("no source files found: the guards would check nothing")
	}
	return out
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		from, ok := layers[s.pkg]
		if !ok {
			t.Errorf("%s: package %q has no layer: add it to layers in arch_test.go and to docs/adr/0001-layers.md", s.path, s.pkg)
			continue
		}
		for _, imp := range s.file.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			rel, inside := strings.CutPrefix(path, modulePath)
			if !inside {
				continue
			}
			rel = strings.TrimPrefix(rel, "/")
			to, ok := layers[rel]
			switch {
			case !ok:
				t.Errorf("%s imports %q, which has no layer", s.path, rel)
			case to > from:
				t.Errorf("%s (layer %d) imports %q (layer %d): an arrow may only point down", s.path, from, rel, to)
			case to == from && !slices.Contains(sideways[s.pkg], rel):
				t.Errorf("%s imports %q of its own layer %d: allowed sideways imports of %q are %q", s.path, rel, to, s.pkg, sideways[s.pkg])
			}
		}
	}
}

func TestThirdPartyStaysAtTheEdges(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.file.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || strings.HasPrefix(path, modulePath) {
				continue
			}
			allowed := false
			for mod, users := range thirdParty {
				if path == mod || strings.HasPrefix(path, mod+"/") {
					_, allowed = users[s.pkg]
				}
			}
			if !allowed && s.pkg != "internal/zktest" {
				t.Errorf("%s imports %s: only the packages in thirdParty may, so that the library stays light", s.path, path)
			}
		}
		for _, banned := range pure[s.pkg] {
			for _, imp := range s.file.Imports {
				if path, _ := strconv.Unquote(imp.Path.Value); path == banned {
					t.Errorf("%s imports %q: package %s is a pure function of its input", s.path, banned, s.pkg)
				}
			}
		}
	}
}

func TestNoInitNoGlobalsNoPrinting(t *testing.T) {
	for _, s := range sources(t) {
		library := layers[s.pkg] < 5
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: func init: wire explicitly, in app", s.fset.Position(n.Pos()))
				}
				if lines := s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line; lines > 120 {
					t.Errorf("%s: %s has %d lines, the limit is 120", s.fset.Position(n.Pos()), n.Name.Name, lines)
				}
			case *ast.CallExpr:
				if !library {
					return true
				}
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && !commented(s, n.Pos()) {
					t.Errorf("%s: panic in a library package needs a comment that names the broken invariant", s.fset.Position(n.Pos()))
				}
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if ok && (x.Name == "log" || x.Name == "fmt" && strings.HasPrefix(sel.Sel.Name, "Print")) {
					t.Errorf("%s: %s.%s in a library package: return an error or take a *slog.Logger", s.fset.Position(n.Pos()), x.Name, sel.Sel.Name)
				}
			}
			return true
		})
		if lines := s.fset.Position(s.file.End()).Line; lines > 800 {
			t.Errorf("%s has %d lines, the limit is 800", s.path, lines)
		}
	}
}

// commented reports whether a comment ends on the line of pos or on the line before it.
func commented(s source, pos token.Pos) bool {
	line := s.fset.Position(pos).Line
	for _, g := range s.file.Comments {
		if end := s.fset.Position(g.End()).Line; end == line || end == line-1 {
			return true
		}
	}
	return false
}

func TestEveryPackageAndExportedSymbolIsDocumented(t *testing.T) {
	docs := map[string]int{}
	for _, s := range sources(t) {
		if _, ok := docs[s.pkg]; !ok {
			docs[s.pkg] = 0
		}
		if s.file.Doc != nil {
			docs[s.pkg]++
		}
		for _, d := range s.file.Decls {
			undocumented(t, s, d)
		}
	}
	for pkg, n := range docs {
		if n != 1 {
			t.Errorf("package %q has %d package comments, want exactly one", pkg, n)
		}
	}
}

func undocumented(t *testing.T, s source, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d.Recv)) {
			t.Errorf("%s: exported %s has no comment", s.fset.Position(d.Pos()), d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					t.Errorf("%s: exported type %s has no comment", s.fset.Position(spec.Pos()), spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						t.Errorf("%s: exported %s has no comment", s.fset.Position(name.Pos()), name.Name)
					}
				}
			}
		}
	}
}

func exportedReceiver(recv *ast.FieldList) bool {
	typ := recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// TestModulesArePinned guards go.mod: exact released versions, no local replacements.
func TestModulesArePinned(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "replace") {
			t.Errorf("go.mod replaces a module: users of the library would not get it: %s", line)
		}
	}
}
