package analyze

import (
	"net/url"
	"path"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// Text is what is analysed.
type Text struct {
	// Name names it in findings: a path, or a key.
	Name string
	// Key is the rule key that the text stands under; empty when it is not known.
	Key string
	// Text is the content: a rule document, or lines of URLs and conditions.
	Text string
}

// World is what is known of the fleet beside the rule. The zero value is "nothing".
type World struct {
	Providers, Consumers, Overrides []durl.URL
	// ConfigCentres are the addresses of the config centres in use: consul://10.0.0.5:8500.
	ConfigCentres []durl.URL
}

// Options say how to look. The zero value reads the text in Standard alone.
type Options struct {
	// Dialect is what the text is read in.
	Dialect dialect.Dialect
	// Portability are further dialects with which the answers are compared.
	Portability []dialect.Dialect
	World       World
}

// Directives are the settings that a text makes for itself, in comment lines "# dubway: key=order.tag-router portability=dubbo-2.7".
// Known names are key, dialect, portability and providers.
func Directives(text string) map[string]string {
	var out map[string]string
	for i, line := range strings.Split(text, "\n") {
		if i >= 20 {
			break
		}
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "# dubway:")
		if !ok {
			continue
		}
		for word := range strings.FieldsSeq(rest) {
			if name, value, ok := strings.Cut(word, "="); ok {
				if out == nil {
					out = map[string]string{}
				}
				out[name] = value
			}
		}
	}
	return out
}

// ReadWorld reads a list of URLs, one a line, as --providers takes it: consumer:// lines are consumers, override:// and absent:// overrides,
// consul://, nacos://, zookeeper:// and apollo:// config centres, all others providers. Blank lines and lines that begin with # are skipped, as is what is no URL: linting that list itself names it.
func ReadWorld(text string, d dialect.Dialect) World {
	var w World
	for line := range strings.Lines(text) {
		line = decoded(strings.TrimSpace(line))
		if line == "" || line[0] == '#' {
			continue
		}
		u, err := durl.ParseAs(line, d)
		if err != nil {
			continue
		}
		switch u.Scheme() {
		case "consumer":
			w.Consumers = append(w.Consumers, u)
		case "override", "absent":
			w.Overrides = append(w.Overrides, u)
		case "consul", "nacos", "zookeeper", "apollo":
			w.ConfigCentres = append(w.ConfigCentres, u)
		case "condition", "route", "script", "empty", "":
		default:
			w.Providers = append(w.Providers, u)
		}
	}
	return w
}

// decoded undoes the encoding in which registries keep URLs.
func decoded(line string) string {
	if !strings.Contains(line, "://") && strings.Contains(line, "%3A%2F%2F") {
		if plain, err := url.QueryUnescape(line); err == nil {
			return plain
		}
	}
	return line
}

// listOf reports whether the text is a list of URLs and conditions, one a line, rather than a YAML document.
func listOf(t Text) bool {
	if t.Key != "" {
		return false
	}
	switch path.Ext(t.Name) {
	case ".urls", ".url", ".txt":
		return true
	case ".yaml", ".yml":
		return false
	}
	for line := range strings.Lines(t.Text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		colon := strings.IndexByte(line, ':')
		return strings.Contains(decoded(line), "://") || strings.Contains(line, "=>") && (colon < 0 || strings.IndexByte(line, '=') < colon)
	}
	return false
}

// LooksLikeRule reports whether a text is one that Lint can say something about: it has a rule key, is a list, has a field of a rule document, or
// cannot be read at all.
func LooksLikeRule(t Text) bool {
	if t.Key != "" || listOf(t) {
		return true
	}
	_, ok := fieldKind(t)
	return ok
}

// kindOf returns the kind of a document: its key's, else what its fields look like, else a condition document.
func kindOf(t Text) rule.Kind {
	if k, err := rule.ParseKey(t.Key); err == nil {
		return k.Kind
	}
	kind, _ := fieldKind(t)
	return kind
}

// fieldKind tells the kind of a document by its fields; ok is false when none of them is one of a rule.
func fieldKind(t Text) (kind rule.Kind, ok bool) {
	if strings.Contains(t.Text, "kind: VirtualService") || strings.Contains(t.Text, "kind: DestinationRule") {
		return rule.KindMesh, true // several YAML documents in one text
	}
	o, list := rule.ReadOutline(rule.Origin{}, t.Text)
	for _, f := range o.Fields() {
		switch f.Name {
		case "tags":
			return rule.KindTag, true
		case "conditions":
			return rule.KindCondition, true
		case "script":
			return rule.KindScript, true
		case "configs":
			return rule.KindConfigurator, true
		case "affinityAware":
			return rule.KindAffinity, true
		}
	}
	if _, ok := o.Items(); ok && strings.Contains(t.Text, "override://") {
		return rule.KindConfigurator, true
	}
	// A rule that cannot be read is worth a word; a file of several YAML documents is something else.
	return rule.KindCondition, list.HasErrors() && list[0].Code != diag.SeveralDocuments
}
