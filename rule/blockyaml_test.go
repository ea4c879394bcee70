package rule

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sameAsLibrary fails when the block reader takes a text which the library reads otherwise. It reports whether the block reader took it.
func sameAsLibrary(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) bool {
	t.Helper()
	text = strings.TrimPrefix(text, byteOrderMark)
	got := readBlocks(newSource(text))
	if got == nil {
		return false
	}
	r := &report{}
	want := readWithLibrary(newSource(text), r)
	if len(r.list) > 0 || want == nil {
		t.Fatalf("taken:\n%s\nbut the library says %v", text, r.list)
	}
	if path := differs(got, want); path != "" {
		t.Fatalf("read otherwise than by the library at %s:\n%s", path, text)
	}
	return true
}

// differs returns where two trees differ, "" when nowhere.
func differs(a, b *node) string {
	switch {
	case a.kind != b.kind:
		return "kind of " + a.string() + "|" + b.string()
	case a.string() != b.string():
		return "text " + a.string() + "|" + b.string()
	case a.plain != b.plain || a.tag != b.tag || a.size != b.size || a.span != b.span || a.text.wide != b.text.wide:
		return "properties of " + a.string()
	case len(a.items) != len(b.items) || len(a.fields) != len(b.fields):
		return "length"
	}
	if a.kind == nodeScalar {
		for i := range len(a.string()) + 1 {
			if a.text.offset(i) != b.text.offset(i) {
				return "places in " + a.string()
			}
		}
	}
	for i := range a.items {
		if path := differs(a.items[i], b.items[i]); path != "" {
			return "item of " + path
		}
	}
	for i := range a.fields {
		if path := differs(a.fields[i].key, b.fields[i].key); path != "" {
			return "key " + path
		}
		if path := differs(a.fields[i].value, b.fields[i].value); path != "" {
			return a.fields[i].key.string() + "." + path
		}
	}
	return ""
}

// corpus returns every text of the recorded cases, the examples and the seeds that may be a document.
func corpus(t testing.TB) []string {
	var out []string
	for _, pattern := range []string{"../docs/examples/rules/*.yaml", "../testdata/conformance*/*.jsonl", "testdata/fuzz/*/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(name) != ".jsonl" {
				out = append(out, string(text))
				continue
			}
			lines := bufio.NewScanner(strings.NewReader(string(text)))
			lines.Buffer(nil, 16<<20)
			for lines.Scan() {
				var v any
				if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				out = textsIn(out, v)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// textsIn appends all texts of several lines in a JSON value.
func textsIn(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") || strings.Contains(v, ": ") {
			out = append(out, v)
		}
	case []any:
		for _, x := range v {
			out = textsIn(out, x)
		}
	case map[string]any:
		for _, x := range v {
			out = textsIn(out, x)
		}
	}
	return out
}

// TestBlocksOfTheCorpus: whatever the block reader takes of all recorded documents and examples, it reads as the library does.
func TestBlocksOfTheCorpus(t *testing.T) {
	all, taken := corpus(t), 0
	for _, text := range all {
		if sameAsLibrary(t, text) {
			taken++
		}
	}
	t.Logf("%d of %d texts taken", taken, len(all))
	if taken < len(all)/4 {
		t.Errorf("only %d of %d texts are plain enough", taken, len(all))
	}
}

// piece draws a part of a line: what the reader takes, and what is close to it.
func piece(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"a", "key", "conditions", "a.b-c", "=>", "host=10.0.0.1 => port=2", "10.0.0.1:20880", "v3.0", "true", "null", "~", "-1", "1.0", "0x1F", ".5", "\"", "'", "\"a b\"", "'x'", "\"a: b\"", "''", "\"\"",
			"#", " #", "# c", ": ", ":", "- ", "-", " ", "  ", "on", "2001-01-01", "a b", "$host", "[", "{", "&a", "*a", "!", "|", ">", "?", "---", "...", "%", "@", "`", "<<", ",", "]", "[a", "[\"", "a,b", "a&b", "(x)", "1_0", "1:30", "\\", "=", "/"}),
		rapid.StringMatching(`[ -~]{0,6}`),
	).Draw(t, "piece")
}

// line draws a line of a document, mostly a good one.
func line(t *rapid.T, depth int) string {
	indent := strings.Repeat(" ", rapid.SampledFrom([]int{2 * depth, 2 * depth, 2 * depth, 2 * depth, 0, 1, 2, 4}).Draw(t, "indent"))
	scalar := rapid.OneOf(rapid.SampledFrom([]string{"v3.0", "\"a => b=1\"", "'x y'", "10.0.0.1:20880", "=> a!=b & c=d*", "5", "true", "[a, \"b\"]", "[\"a\",'b' ]", "x # y", "\"q\"  # c", ""}), rapid.StringMatching(`[a-z0-9=>!&,. /$*:#-]{1,12}`), rapid.Custom(piece)).Draw(t, "scalar")
	key := rapid.SampledFrom([]string{"key", "tags", "a", "match", "x.y-z", "yes", "null"}).Draw(t, "key")
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1, 2:
		return indent + key + ": " + scalar
	case 3, 4:
		return indent + key + ":"
	case 5, 6:
		return indent + "- " + scalar
	case 7:
		return indent + "- " + key + ": " + scalar
	case 8:
		return rapid.SampledFrom([]string{"", "# c", indent + "# c: d", indent, "#", "# é\u2028a: 1", "# é\tx", "#é", "# \xff", "# 灰\r", "a: é", "- b # é"}).Draw(t, "empty")
	}
	return indent + rapid.Custom(piece).Draw(t, "a") + rapid.Custom(piece).Draw(t, "b")
}

// tree draws a document of the plain part as lines: a mapping or list of an indentation, entries of which may hold others.
func tree(t *rapid.T, lines []string, indent, depth int) []string {
	pad := strings.Repeat(" ", indent)
	scalar := rapid.SampledFrom([]string{"v3.0", "\"a => b=1\"", "'x  y'", "10.0.0.1:20880", "=> a!=b & c=d*,e  f", "5", "-1", "true", "1.0", "2001-01-01", "no", "\" \"", "''", "\"#\"", "\"a: b\"", "'\"'", "\"it's\"", "$x", "/a/b", ".5", "0x1F", "1_0", "a:b",
		"[]", "[ ]", "[a]", "[\"a => b=1\", 'x']", "[ 10.0.0.1:20880 , b ]", "[a b,c]", "[1,2]", "[a=b & c!=d]", "[a: b]", "[a,]", "[[a]]", "[\"a\"]", "['']", "[a:b,true]"})
	comment := rapid.SampledFrom([]string{"", "", "", "", " # c", "  #c: d", " #"})
	list := rapid.Bool().Draw(t, "list")
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		if rapid.IntRange(0, 9).Draw(t, "remark") == 0 {
			lines = append(lines, rapid.SampledFrom([]string{"", "# c", "# 灰度 é", pad + "# c", pad + "# 规则: \"x\"", pad + "  # - c", "      # c: d"}).Draw(t, "remark text"))
		}
		key := rapid.SampledFrom([]string{"key", "tags", "a", "match", "x.y-z", "yes", "A_1"}).Draw(t, "key") + ":"
		if list {
			if depth == 0 || rapid.Bool().Draw(t, "leaf") {
				lines = append(lines, pad+"- "+scalar.Draw(t, "scalar")+comment.Draw(t, "comment"))
				continue
			}
			lines = append(lines, pad+"- "+key+" "+scalar.Draw(t, "scalar")+comment.Draw(t, "comment"))
			if rapid.Bool().Draw(t, "under") {
				lines = append(lines, pad+"  b:"+comment.Draw(t, "comment"))
				lines = tree(t, lines, indent+rapid.IntRange(2, 5).Draw(t, "in"), depth-1)
			}
			continue
		}
		if depth == 0 || rapid.Bool().Draw(t, "leaf") {
			lines = append(lines, pad+key+rapid.SampledFrom([]string{" ", "  "}).Draw(t, "gap")+scalar.Draw(t, "scalar")+comment.Draw(t, "comment"))
			continue
		}
		lines = append(lines, pad+key)
		lines = tree(t, lines, indent+rapid.IntRange(0, 4).Draw(t, "in"), depth-1)
	}
	return lines
}

// TestBlocksDrawn compares the block reader with the library on drawn documents: good ones, the same with a line changed, and lines at random.
func TestBlocksDrawn(t *testing.T) {
	all, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			lines = tree(t, nil, 0, 3)
		case 1:
			lines = tree(t, nil, 0, 3)
			lines[rapid.IntRange(0, len(lines)-1).Draw(t, "at")] = line(t, rapid.IntRange(0, 3).Draw(t, "depth"))
		default:
			depth := 0
			for range rapid.IntRange(1, 8).Draw(t, "lines") {
				lines = append(lines, line(t, depth))
				depth = max(0, depth+rapid.IntRange(-1, 1).Draw(t, "step"))
			}
		}
		all++
		if sameAsLibrary(t, strings.Join(lines, "\n")+rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")) {
			taken++
		}
	})
	t.Logf("%d of %d drawn texts taken", taken, all)
	if taken < all/16 {
		t.Errorf("only %d of %d drawn texts are plain enough", taken, all)
	}
}

// FuzzBlocks: no text that the block reader takes is read otherwise by the library.
func FuzzBlocks(f *testing.F) {
	for _, s := range []string{"a: 1", "a:\n- b\n- c: d\n  e: f\n", "a:\n  b: \"x\" # c\n# d\nc: 'y'\n", "- a\n- b: c\n", "a:\n  - from:\n      match: \"a=1\"\n    to:\n      - match: b=2\n        weight: 30\n", "a: b #c\nd: 10.0.0.1:20880\n", "a: [b, \"c => d=1\", 'e']\nf: [] # g\n", "- [10.0.0.1:20880,b c ]\n", "# 灰度\na: b\n  # é\nc: d\n"} {
		f.Add(s)
	}
	for i, s := range corpus(f) {
		if i%16 == 0 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { sameAsLibrary(t, text) })
}
