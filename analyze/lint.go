package analyze

import (
	"errors"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// Lint returns everything there is to say about a text. It is a function of its arguments and safe for concurrent use.
func Lint(t Text, o Options) Findings {
	l := &linter{text: t, o: o, asked: asked(o), known: byCode()}
	if listOf(t) {
		l.list()
	} else {
		l.document(t.Key)
	}
	l.found = consequences(l.found)
	l.found.sort()
	return l.found
}

// linter is the state of one Lint.
type linter struct {
	text  Text
	o     Options
	asked []dialect.Dialect
	known map[string]Entry
	found Findings
	// line is added to the lines of findings; column is the first byte of the line that is looked at.
	line, column int
	// encoded is the length of the line when it is kept encoded: findings then point at all of it.
	encoded int
}

// asked returns the dialect and the ones compared with, each once.
func asked(o Options) []dialect.Dialect {
	out := []dialect.Dialect{o.Dialect}
	for _, d := range o.Portability {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// add reports a finding of this package. A finding about dialects that were not asked for is left out; when only Standard was asked for,
// the fleet's versions are unknown, and the finding is one step milder. No dialects stands for all.
func (l *linter) add(severity diag.Severity, code string, span diag.Span, message, hint string, concerned ...dialect.Dialect) {
	dialects := l.asked
	if len(concerned) > 0 {
		dialects = nil
		for _, d := range l.asked {
			if slices.Contains(concerned, d) {
				dialects = append(dialects, d)
			}
		}
		switch {
		case len(dialects) > 0:
		case slices.Equal(l.asked, []dialect.Dialect{dialect.Standard}):
			dialects = concerned
			severity = min(severity+1, diag.Info)
		default:
			return
		}
	}
	l.put(diag.Diagnostic{Code: code, Severity: severity, Span: span, Message: message, Hint: hint}, dialects)
}

func (l *linter) put(d diag.Diagnostic, dialects []dialect.Dialect) {
	d.File = l.text.Name
	if l.encoded > 0 {
		d.Span = columns(0, l.encoded)
	}
	if !d.Span.IsZero() && l.line+l.column > 0 {
		if d.Span.Line == 1 {
			d.Span.Col += l.column
		}
		if d.Span.EndLine == 1 {
			d.Span.EndCol += l.column
		}
		d.Span.Line += l.line
		if d.Span.EndLine > 0 {
			d.Span.EndLine += l.line
		}
	}
	f := Finding{Diagnostic: d, Dialects: slices.Clone(dialects)}
	if e, ok := l.known[d.Code]; ok {
		f.Since = e.Since
		if len(e.Traps) > 0 {
			f.Trap = e.Traps[0]
		}
	}
	l.found = append(l.found, f)
}

// read parses the text in each dialect asked for, reports what reading found, and returns what each dialect made of it. A finding
// that several dialects share is reported once.
func read[T any](l *linter, parse func(dialect.Dialect) (T, diag.List)) map[dialect.Dialect]T {
	out := map[dialect.Dialect]T{}
	start := len(l.found)
	for i, d := range l.asked {
		doc, list := parse(d)
		if !list.HasErrors() {
			out[d] = doc
		}
		for _, x := range list {
			l.merge(x, d, i == 0, start)
		}
	}
	return out
}

// readDocument is read for texts that Dubbo 2.6 does not know: what it would say is left out, unless it is the only one asked.
func readDocument[T any](l *linter, parse func(dialect.Dialect) (T, diag.List)) map[dialect.Dialect]T {
	all := l.asked
	defer func() { l.asked = all }()
	if rest := slices.DeleteFunc(slices.Clone(all), func(d dialect.Dialect) bool { return d == dialect.Dubbo26 }); len(rest) > 0 {
		l.asked = rest
	}
	return read(l, parse)
}

func (l *linter) merge(x diag.Diagnostic, d dialect.Dialect, first bool, start int) {
	if x.Code == diag.BadRuleKey {
		x.Span = diag.Span{} // it is about the key, not about a place in the text
	}
	for i := start; i < len(l.found); i++ {
		f := &l.found[i]
		same := f.Code == x.Code && f.Span.Line-l.line == x.Span.Line && f.Severity == x.Severity
		if same && strings.TrimPrefix(f.Message, f.Dialects[0].String()+": ") == x.Message {
			if !slices.Contains(f.Dialects, d) {
				f.Dialects = append(f.Dialects, d)
				return
			}
			if f.Span.Col-l.column == x.Span.Col {
				return
			}
		}
	}
	if !first {
		x.Message = d.String() + ": " + x.Message
	}
	l.put(x, []dialect.Dialect{d})
}

// document analyses one rule document.
func (l *linter) document(key string) {
	if key != "" {
		if _, err := rule.ParseKey(key); err != nil {
			var d diag.Diagnostic
			if errors.As(err, &d) {
				d.Span = diag.Span{}
				l.put(d, l.asked)
			}
			return
		}
		l.key(key)
		l.undeletable()
	}
	switch kind := kindOf(l.text); kind {
	case rule.KindCondition:
		l.conditions()
	case rule.KindTag:
		l.tags()
	case rule.KindScript:
		l.script()
	case rule.KindConfigurator:
		l.configurators()
	default:
		l.other(kind)
	}
}

// origin is the origin that a document is read under: its key, else the file's name, from which no key can be told.
func (l *linter) origin() rule.Origin {
	name := l.text.Key
	if name == "" {
		name = l.text.Name
	}
	return rule.Origin{Source: "file", Name: name}
}

// key looks at a key that is well-formed (spec §12.2 L36).
func (l *linter) key(key string) {
	if strings.ContainsAny(key, "$/") {
		l.add(diag.Info, KeyOnNacos, diag.Span{}, "rule key \""+key+"\" has a character that Nacos does not take in a data id", "Dubbo cannot read this key there: give the interface a name without \"$\"")
	}
}

// other reads documents that only package rule has something to say about.
func (l *linter) other(kind rule.Kind) {
	key := l.text.Key
	if key == "" {
		switch key = "application." + kind.String(); kind {
		case rule.KindAffinity, rule.KindConfigurator:
			key = "service::." + kind.String()
		}
	}
	readDocument(l, func(d dialect.Dialect) (rule.Document, diag.List) { return rule.Parse(key, l.text.Text, d) })
}

// script analyses a script document.
func (l *linter) script() {
	l.sharedChains()
	docs := readDocument(l, func(d dialect.Dialect) (*rule.ScriptDocument, diag.List) {
		doc, list := rule.ParseScriptDocument(l.origin(), l.text.Text, d)
		return doc, append(list, compiled(doc, d)...)
	})
	for _, d := range l.asked {
		if doc := docs[d]; doc != nil && doc.Enabled && doc.Script != "" && d == dialect.Dubbo33 {
			l.add(diag.Info, diag.ScriptDeleted, doc.ScriptSpan, "when this document is deleted, every call of a Dubbo 3.2+ consumer fails with a null pointer",
				"to end the rule write enabled: false instead", dialect.Dubbo33)
			break
		}
	}
}

// compiled returns what compiling a script has to say; the script does not run.
func compiled(doc *rule.ScriptDocument, d dialect.Dialect) diag.List {
	if doc == nil {
		return nil
	}
	r, list := script.New(doc, script.Options{Dialect: d})
	if r != nil {
		r.Close()
	}
	return list
}

// consequences takes out what another finding explains: a key whose value fell to the key before it has no value either.
func consequences(found Findings) Findings {
	return slices.DeleteFunc(found, func(f Finding) bool {
		return f.Code == diag.KeyWithoutValue && slices.ContainsFunc(found, func(g Finding) bool {
			return g.Code == diag.CommaOnOtherKey && g.Span.Line == f.Span.Line && g.Span.Col >= f.Span.EndCol && g.Span.Col <= f.Span.EndCol+2
		})
	})
}
