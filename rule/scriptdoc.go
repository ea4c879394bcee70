package rule

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// The languages of script rules.
const (
	// ScriptJavaScript is what every name that Java's script engines give to JavaScript stands for.
	ScriptJavaScript = "javascript"
	// ScriptExpr is an expression for each provider; dubway has it, Dubbo does not.
	ScriptExpr = "expr"
)

// MaxScriptLength is the longest script, in bytes.
const MaxScriptLength = 64 << 10

var scriptFields = []string{"configVersion", "scope", "key", "enabled", "force", "runtime", "priority", "valid", "dynamic", "type", "script"}

// javaScriptNames are the names under which Java's script engines offer JavaScript (spec §5.1).
var javaScriptNames = []string{"javascript", "JavaScript", "js", "JS", "ecmascript", "ECMAScript", "rhino", "Rhino", "nashorn", "Nashorn"}

// ScriptDocument is a script rule: a document of a provider application (spec §5.3) or a rule URL (spec §5.1). It is immutable.
type ScriptDocument struct {
	Origin        Origin `json:"origin"`
	ConfigVersion string `json:"configVersion,omitempty"`
	Enabled       bool   `json:"enabled"`
	// Force is read and has no effect, as in every Dubbo version.
	Force bool `json:"force"`
	// Valid is false when the document says so or has no script: it passes every provider then.
	Valid    bool   `json:"valid"`
	Priority int    `json:"priority"`
	Key      string `json:"key,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// Type is the language as written, "javascript" when the text names none.
	Type string `json:"type"`
	// Script is the program; ScriptSpan is where it stands in Text.
	Script     string    `json:"script"`
	ScriptSpan diag.Span `json:"scriptSpan"`
	Text       string    `json:"-"`

	script located
}

// DocumentOrigin implements Document.
func (d *ScriptDocument) DocumentOrigin() Origin { return d.Origin }

// Language returns ScriptJavaScript or ScriptExpr, or "" when nothing runs the document's type in dialect. Only
// Standard knows "expr", and only it looks over the case of a name.
func (d *ScriptDocument) Language(in dialect.Dialect) string {
	name := d.Type
	switch {
	case slices.Contains(javaScriptNames, name):
		return ScriptJavaScript
	case in != dialect.Standard:
		return ""
	case name == ScriptExpr:
		return ScriptExpr
	}
	for _, known := range javaScriptNames {
		if strings.EqualFold(name, known) {
			return ScriptJavaScript
		}
	}
	return ""
}

// At returns where the byte at offset of Script stands in Text.
func (d *ScriptDocument) At(offset int) diag.Span {
	if d.script.source == nil || offset < 0 || offset > len(d.script.text) {
		return d.ScriptSpan
	}
	return d.script.span(offset, min(offset+1, len(d.script.text)))
}

// ScriptKey returns the key of the script document of a provider application.
func ScriptKey(application string) string { return application + suffixes[KindScript] }

// ParseScriptDocument reads a script document of a provider application (spec §5.3). All findings are returned; the
// document is nil iff there is an error among them. The script itself is not looked into: package script does that.
//
// Dubbo reads these documents from 3.2 on; the older dialects read them in the same way and remark upon it. Standard refuses a
// document that is switched on and has no script, or one in a language that nothing runs; dubbo-3.3 takes both (spec §5.3).
func ParseScriptDocument(o Origin, text string, d dialect.Dialect) (*ScriptDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readScriptDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readScriptDocument(o Origin, text string, d dialect.Dialect, r *report) *ScriptDocument {
	root := readYAML(text, r)
	if r.list.HasErrors() {
		return nil
	}
	f := reader{dialect: d, report: r}
	if !readsScripts(d) {
		f.dialect = dialect.Dubbo33
	}
	if !f.root(root, scriptFields) {
		return nil
	}
	doc := &ScriptDocument{
		Origin: o, Text: text, Type: ScriptJavaScript,
		Enabled: f.bool(root, "enabled", true), Force: f.bool(root, "force", false), Valid: f.bool(root, "valid", true),
		Priority: f.int(root, "priority"), Key: f.text(root, "key"), Scope: f.text(root, "scope"),
	}
	if n := root.get("configVersion"); n != nil && n.kind != nodeNull {
		doc.ConfigVersion = f.text(root, "configVersion")
	}
	if !f.strict() {
		f.text(root, "rawRule")
	}
	f.checkIdentity(root, o, doc.Key, doc.Scope)
	if !readsScripts(d) {
		r.warn(diag.NotAvailable, root.span, "script documents are read since Dubbo 3.2, not by "+d.String(), "older consumers ignore this document")
	}
	r.soft = !doc.Enabled
	if n := root.get("type"); n != nil && n.kind != nodeNull {
		if t := f.text(root, "type"); t != "" {
			doc.Type = t
		}
		f.checkLanguage(doc, n.span)
	}
	f.script(doc, root)
	return doc
}

// script reads the field script.
func (f reader) script(doc *ScriptDocument, root *node) {
	n := root.get("script")
	if n == nil || n.kind == nodeNull {
		doc.Valid = false
		f.missingScript(root.span, "document has no script")
		return
	}
	doc.ScriptSpan = n.span
	doc.Script = f.text(root, "script")
	if n.kind == nodeScalar {
		doc.script = n.text
	}
	switch {
	case len(doc.Script) > MaxScriptLength:
		f.report.error(diag.DocumentTooLong, n.span, "script is too long", "the limit is 65536 bytes")
	case n.kind == nodeScalar && strings.TrimSpace(n.string()) == "":
		f.missingScript(n.span, "script is empty")
	}
}

func (f reader) missingScript(span diag.Span, message string) {
	const hint = "write script: | and the script below it, indented; to switch the rule off write enabled: false"
	if f.strict() {
		f.report.error(diag.ScriptEmpty, span, message, hint)
		return
	}
	f.report.warn(diag.ScriptEmpty, span, message, hint)
}

// checkLanguage reports a language that nothing runs.
func (f reader) checkLanguage(doc *ScriptDocument, span diag.Span) {
	if doc.Language(f.dialect) != "" {
		return
	}
	message, hint := "no engine for scripts of type "+quote(doc.Type), "write type: javascript"
	if strings.EqualFold(doc.Type, "groovy") {
		hint = "Groovy is not run: write the rule in JavaScript, with type: javascript"
	}
	if f.strict() {
		f.report.error(diag.ScriptLanguage, span, message, hint+", or type: expr for one expression")
		return
	}
	f.report.warn(diag.ScriptLanguage, span, message+": Dubbo 3.3 goes on with the old script under the new settings", hint)
}

// ParseScriptURL reads a script rule URL as registries hold them, decoded once: "script://…?rule=…" or
// "route://…?router=script&rule=…" (spec §5.1). The document's Origin names the URL. All findings are returned, with their
// columns in text; the document is nil iff there is an error among them.
//
// The parameter rule is percent-encoded once more; type is the language, "javascript" unless given. Priority is 0 (dubbo-2.6: 1)
// unless given. A URL without a rule and one of an unknown type are errors in every dialect, as in every Dubbo version.
func ParseScriptURL(text string, d dialect.Dialect) (*ScriptDocument, diag.List) {
	r := &report{file: shortURL(text)}
	doc := readScriptURL(text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readScriptURL(text string, d dialect.Dialect, r *report) *ScriptDocument {
	u, err := durl.ParseAs(text, d)
	if err != nil {
		r.wrap(err)
		return nil
	}
	src := newSource(text)
	head := src.span(0, max(1, strings.Index(text, "?")))
	if kind := routeKind(u); kind != "script" {
		r.error(diag.URLBadKind, head, quote(kind)+" is not a script rule", "this reads script:// and route://…?router=script")
		return nil
	}
	doc := &ScriptDocument{
		Origin: Origin{Source: "registry", Name: text}, Text: text, Valid: true, Type: u.Get("type", ScriptJavaScript),
		// The router does not ask whether it is enabled; the registry does, before it hands the URL on.
		Enabled: d != dialect.Standard || u.Bool("enabled", true), Force: u.Bool("force", false), Key: u.ServiceKey(), Scope: "service",
	}
	priority := 0
	if d == dialect.Dubbo26 {
		priority = 1
	}
	if doc.Priority, err = u.Int("priority", priority); err != nil && d != dialect.Dubbo31 && d != dialect.Dubbo33 {
		r.wrap(err) // 3.x does not look at it
	}
	if doc.Language(d) == "" {
		r.error(diag.ScriptLanguage, head, "no engine for scripts of type "+quote(doc.Type), "write type=javascript")
	}
	l, ok := ruleText(u, src, r)
	if !ok {
		return nil
	}
	doc.Script, doc.script, doc.ScriptSpan = l.text, l, l.span(0, len(l.text))
	switch {
	case len(doc.Script) > MaxScriptLength:
		r.error(diag.DocumentTooLong, doc.ScriptSpan, "script is too long", "the limit is 65536 bytes")
	case strings.TrimSpace(doc.Script) == "" && d == dialect.Standard:
		r.error(diag.ScriptEmpty, doc.ScriptSpan, "script is empty", "add rule= with the script, percent-encoded")
	case strings.TrimSpace(doc.Script) == "":
		r.warn(diag.ScriptEmpty, doc.ScriptSpan, "script is empty: it gives no list, and no call finds a provider", "delete the rule, or write a script")
	}
	return doc
}

// readsScripts reports whether the versions of a dialect read script documents.
func readsScripts(d dialect.Dialect) bool { return d == dialect.Standard || d == dialect.Dubbo33 }
