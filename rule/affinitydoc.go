package rule

import (
	"math"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// AffinityDocument is an affinity rule: prefer providers that have the consumer's own value of one parameter (spec §3.7).
type AffinityDocument struct {
	Origin        Origin `json:"origin"`
	ConfigVersion string `json:"configVersion"`
	Enabled       bool   `json:"enabled"`
	Key           string `json:"key,omitempty"`
	Scope         string `json:"scope,omitempty"`
	// Affinity is the parameter compared; Span is where it stands.
	Affinity string    `json:"affinity"`
	Span     diag.Span `json:"span"`
	// Ratio is how many percent of the providers must have the value for the preference to count: 0 to 100. It is NaN, which no
	// share reaches, when a text says so and the dialect takes it.
	Ratio float64 `json:"ratio"`
	Text  string  `json:"-"`
}

// DocumentOrigin implements Document.
func (d *AffinityDocument) DocumentOrigin() Origin { return d.Origin }

var (
	affinityFields = []string{"configVersion", "scope", "key", "enabled", "force", "runtime", "priority", "valid", "dynamic", "affinityAware"}
	awareFields    = []string{"key", "ratio"}
)

// ParseAffinityDocument reads an affinity document (spec §3.7). All findings are returned; the document is nil iff there is an
// error among them.
//
// No Dubbo before 3.3.6 has the routers that read it, and 3.3.6 does not register them: in the Dubbo dialects each document gets a warning
// (spec §12.2 L37). "valid: false" is an error in those dialects, because it leaves the old rule in force; Standard takes it as switched off.
func ParseAffinityDocument(o Origin, text string, d dialect.Dialect) (*AffinityDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readAffinityDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readAffinityDocument(o Origin, text string, d dialect.Dialect, r *report) *AffinityDocument {
	root := readYAML(text, r)
	if r.list.HasErrors() {
		return nil
	}
	f := reader{dialect: d, report: r}
	if !f.root(root, affinityFields) {
		return nil
	}
	doc := &AffinityDocument{Origin: o, Text: text, Enabled: f.bool(root, "enabled", true), Key: f.text(root, "key"), Scope: f.text(root, "scope")}
	if !f.bool(root, "valid", true) {
		doc.Enabled = false
		if !f.strict() {
			r.error(diag.NoEffect, root.span, "\"valid: false\" leaves the old affinity rule in force", "write enabled: false to switch it off, or delete the document")
		}
	}
	f.unused(root, f.int(root, "priority"))
	f.checkIdentity(root, o, doc.Key, doc.Scope)
	f.affinityVersion(root, doc)
	if n := root.get("force"); n != nil && f.bool(root, "force", false) {
		r.info(diag.NoEffect, n.span, "force has no effect in an affinity rule", "the ratio decides when the preference is given up; use a condition rule to insist")
	}
	f.aware(root, doc)
	f.affinityUse(root, o, doc)
	return doc
}

// affinityVersion: the text must begin with v3.1, in lower case.
func (f reader) affinityVersion(root *node, doc *AffinityDocument) {
	n := root.get("configVersion")
	switch {
	case n == nil || n.kind == nodeNull:
		f.report.error(diag.BadConfigVersion, root.span, "an affinity rule needs configVersion: v3.1", "write configVersion: v3.1")
		return
	case n.kind != nodeScalar || n.scalarType() != typeText:
		f.report.error(diag.BadConfigVersion, n.span, "configVersion must be text, not "+n.kindName(), "write configVersion: v3.1")
		return
	}
	doc.ConfigVersion = n.string()
	if !strings.HasPrefix(doc.ConfigVersion, "v3.1") {
		f.report.error(diag.BadConfigVersion, n.span, "configVersion "+quote(doc.ConfigVersion)+" has no affinity rules", "write configVersion: v3.1")
	}
}

// aware reads the block that says what is preferred.
func (f reader) aware(root *node, doc *AffinityDocument) {
	n := root.get("affinityAware")
	switch {
	case n == nil || n.kind == nodeNull:
		f.report.error(diag.MissingField, root.span, "document has no affinityAware", "write affinityAware: {key: region, ratio: 20}")
		return
	case n.kind != nodeMapping:
		f.wrongType(n, "affinityAware", "a mapping")
		return
	}
	f.keys(n, awareFields, " in affinityAware")
	key := n.get("key")
	switch {
	case key == nil || key.kind == nodeNull:
		f.report.error(diag.MissingField, n.span, "affinityAware has no key", "write key: region, the parameter that consumer and provider shall have in common")
	case key.kind != nodeScalar || key.scalarType() != typeText:
		f.wrongType(key, "key", "text in quotes")
	case strings.TrimSpace(key.string()) == "":
		f.report.error(diag.MissingField, key.span, "key of affinityAware is empty", "write key: region, the parameter that consumer and provider shall have in common")
	default:
		doc.Affinity, doc.Span = key.string(), key.span
	}
	if ratio := n.get("ratio"); ratio != nil {
		doc.Ratio = f.ratio(ratio)
	}
}

// ratio reads a percentage: what YAML makes of it is printed and read again, as Dubbo does.
func (f reader) ratio(n *node) float64 {
	const hint = "write ratio: 20, a number from 0 to 100"
	if n.kind != nodeScalar {
		f.report.error(diag.BadRatio, n.span, "ratio must be a number, not "+n.kindName(), hint)
		return 0
	}
	text := n.string()
	if n.scalarType() != typeText {
		text = n.javaText()
	}
	v, ok := javaNumber(text)
	switch {
	case !ok || f.strict() && math.IsNaN(v):
		f.report.error(diag.BadRatio, n.span, "ratio "+quote(text)+" is no number", hint)
	case v < 0 || v > 100:
		f.report.error(diag.BadRatio, n.span, "ratio "+text+" is not between 0 and 100", hint)
	case math.IsNaN(v):
		f.report.warn(diag.BadRatio, n.span, "no share of the providers reaches NaN: the rule never counts", hint)
	}
	return v
}

// javaNumber reads a number as Java's Double.parseDouble does: blanks around it and one letter d or f after it are allowed.
func javaNumber(text string) (float64, bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	switch text {
	case "NaN", "+NaN", "-NaN":
		return math.NaN(), true
	case "Infinity", "+Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	hex := strings.HasPrefix(strings.TrimLeft(text, "+-"), "0x") || strings.HasPrefix(strings.TrimLeft(text, "+-"), "0X")
	if n := len(text); n > 1 && strings.IndexByte("dDfF", text[n-1]) >= 0 && (!hex || strings.ContainsAny(text, "pP")) {
		text = text[:n-1]
	}
	if text == "" || strings.IndexByte(text, '_') >= 0 || strings.ContainsAny(text, "nN") {
		return 0, false // forms that Go reads and Java does not
	}
	if first := strings.TrimLeft(text, "+-"); first == "" || strings.ContainsAny(first[:1], "iI") {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// affinityUse says where the document has no effect or a surprising one (spec §12.2 L37).
func (f reader) affinityUse(root *node, o Origin, doc *AffinityDocument) {
	place, err := ParseKey(o.Name)
	_, _, _, service := place.Service()
	switch {
	case err != nil:
	case !service:
		f.report.warn(diag.AffinityUnread, root.span, "no Dubbo reads an affinity rule of an application: the router meant for it reads the application's condition document",
			"write one document a service, or a condition \"=> "+doc.Affinity+"=$"+doc.Affinity+"\"")
	case f.strict():
	case f.dialect == dialect.Dubbo33:
		f.report.warn(diag.AffinityUnread, root.span, "affinity rules have no effect up to Dubbo 3.3.5, and in 3.3.6 only where the routers were registered by hand",
			"write a condition without force: \"=> "+doc.Affinity+"=$"+doc.Affinity+"\"")
	default:
		f.report.warn(diag.AffinityUnread, root.span, f.dialect.String()+" has no affinity rules: the document has no effect",
			"write a condition without force: \"=> "+doc.Affinity+"=$"+doc.Affinity+"\"")
	}
	if doc.Ratio == 0 && !f.strict() && doc.Affinity != "" {
		f.report.warn(diag.AffinityEmpties, doc.Span, "with ratio 0 the calls get no provider when none has the consumer's value", "write ratio: 1")
	}
}
