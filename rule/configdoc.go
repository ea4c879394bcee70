package rule

import (
	"encoding/json"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// Fields of configurator documents and of their items (spec §9.5).
var (
	configuratorFields = []string{"configVersion", "scope", "key", "enabled", "configs", "runtime", "priority", "force", "dynamic", "valid"}
	itemFields         = []string{"side", "addresses", "providerAddresses", "applications", "services", "parameters", "type", "enabled", "match"}
)

// GuardedParameter reports whether Dubbo 3 takes no value for a parameter from the config centre, because it could make
// a provider write a file or load a script (spec §9.2). Standard follows.
func GuardedParameter(key string) bool {
	switch key {
	case "accesslog.fixed.path", "router", "rule", "runtime", "type":
		return true
	}
	return false
}

// ParseConfiguratorDocument reads a configurator document: YAML, or a JSON array of override URLs (spec §9.5).
// All findings are returned; the document is nil iff there is an error among them. A document with no
// overrides at all is readable: the Dubbo dialects go on with the previous ones then, Standard takes it at its word.
//
// Overrides are made as the dialect makes them: in the Dubbo dialects parameters are put into the URL as they stand, so
// that "&" and ";" in a value start another parameter.
func ParseConfiguratorDocument(o Origin, text string, d dialect.Dialect) (*ConfiguratorDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readConfiguratorDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readConfiguratorDocument(o Origin, text string, d dialect.Dialect, r *report) *ConfiguratorDocument {
	root := readYAML(text, r)
	if r.list.HasErrors() {
		return nil
	}
	c := configReader{reader: reader{dialect: d, report: r}, doc: &ConfiguratorDocument{Origin: o, Text: text, Enabled: true}}
	if root != nil && root.kind == nodeList && json.Valid([]byte(text)) {
		c.urls(root)
		return c.doc
	}
	if !c.root(root, configuratorFields) {
		return nil
	}
	c.fields(root)
	c.identity(root)
	if c.strict() {
		r.soft = !c.doc.Enabled
	}
	configs := root.get("configs")
	switch {
	case configs == nil || configs.kind == nodeNull:
		r.error(diag.MissingField, root.span, "document has no configs: Dubbo keeps the old overrides in force", "give configs: [...]; to end the overrides delete the document")
	case configs.kind != nodeList:
		c.wrongType(configs, "configs", "a list")
	case len(configs.items) == 0:
		c.none(configs)
	default:
		for _, n := range configs.items {
			c.item(n)
		}
	}
	return c.doc
}

// none reports a document without overrides.
func (c *configReader) none(n *node) {
	c.report.warn(diag.KeepsOld, n.span, "a document without overrides leaves the previous ones in force in Dubbo", "delete the document to end its overrides")
}

// configReader reads one configurator document.
type configReader struct {
	reader
	doc *ConfiguratorDocument
	// noKey and noVersion tell a field that is missing from an empty one.
	noKey, noVersion bool
	// nullSwitch: the document's own switch is no boolean, which 2.7 reads as nothing, and that as off.
	nullSwitch bool
	// bytes is the length of the URLs made so far.
	bytes int
}

// on reads a switch. 2.7 takes what is no boolean, also the text "true", for null: off.
func (c *configReader) on(m *node) (on, null bool) {
	n := m.get("enabled")
	if c.old() && n != nil && n.kind != nodeNull && (n.kind != nodeScalar || n.scalarType() != typeBool) {
		c.report.warn(diag.OverrideOff, n.span, "enabled is "+n.kindName()+", which Dubbo 2.7 reads as switched off", "write enabled: true, without quotes")
		return false, true
	}
	return c.bool(m, "enabled", true), false
}

func (c *configReader) fields(root *node) {
	d := c.doc
	d.ConfigVersion, d.Scope, d.Key = c.text(root, "configVersion"), c.text(root, "scope"), c.text(root, "key")
	d.Enabled, c.nullSwitch = c.on(root)
	c.noKey, c.noVersion = absent(root, "key"), absent(root, "configVersion")
	for _, name := range [...]string{"runtime", "priority", "force", "dynamic", "valid"} {
		if n := root.get(name); n != nil {
			c.report.info(diag.NoEffect, n.span, name+" has no effect in a configurator document", "take it out")
		}
	}
	if c.strict() && d.ConfigVersion == "" {
		c.report.info(diag.NoEffect, root.span, "configVersion is missing: the document is read as one of v2.7", "write configVersion: v2.7, or v3.0 for match blocks")
	}
}

func absent(m *node, name string) bool {
	n := m.get(name)
	return n == nil || n.kind == nodeNull
}

// identity compares scope and key with the place of the document: Dubbo reads all of its overrides there, and
// then applies them to what scope and key say.
func (c *configReader) identity(root *node) {
	d := c.doc
	if d.Scope != "application" && d.Key == "" {
		c.report.error(diag.MissingField, root.span, "document does not say which service it is for", "write key: [group/]interface[:version]; for an application write scope: application and key: its name")
		return
	}
	place, err := ParseKey(d.Origin.Name)
	if err != nil || place.Kind != KindConfigurator {
		return
	}
	iface, version, group, service := place.Service()
	if n := root.get("scope"); (d.Scope == "application") == service {
		at := root.span
		if n != nil {
			at = n.span
		}
		c.report.warn(diag.KeyDisagrees, at, "scope says "+quote(d.Scope)+", but the document stands under "+quote(d.Origin.Name), "write scope: application under an application's key, scope: service under a service's key")
		return
	}
	want := place.Target
	if service {
		if want = iface; group != "" {
			want = group + "/" + want
		}
		if version != "" {
			want += ":" + version
		}
	}
	if d.Key != want {
		at := root.span
		if n := root.get("key"); n != nil {
			at = n.span
		}
		c.report.warn(diag.KeyDisagrees, at, "key says "+quote(d.Key)+", the document stands under "+quote(d.Origin.Name), "write key: "+quote(want))
	}
}

// urls reads the JSON form.
func (c *configReader) urls(root *node) {
	if len(root.items) == 0 {
		if c.dialect == dialect.Dubbo31 || c.dialect == dialect.Dubbo33 {
			c.report.error(diag.KeepsOld, root.span, "an empty list is no document for Dubbo 3", "delete the document to end its overrides")
			return
		}
		c.none(root)
		return
	}
	for _, n := range root.items {
		if n.kind != nodeScalar {
			c.report.error(diag.WrongType, n.span, "an override must be a URL text, not "+n.kindName(), "write \"override://0.0.0.0/com.example.Order?side=consumer&timeout=900\"")
			continue
		}
		u, err := durl.ParseAs(n.string(), c.dialect)
		if err != nil {
			c.wrapAt(err, n)
			continue
		}
		c.doc.Overrides = append(c.doc.Overrides, Override{URL: u, Span: n.span})
		for k := range u.All() {
			c.guarded(k, n.span)
		}
	}
}

// guarded remarks upon a parameter that is not taken from the config centre.
func (c *configReader) guarded(key string, span diag.Span) {
	switch {
	case !GuardedParameter(key):
	case c.old():
		c.report.warn(diag.GuardedParameter, span, "Dubbo 3 does not take "+quote(key)+" from a config centre; Dubbo 2.7 does", "take it out")
	default:
		c.report.warn(diag.GuardedParameter, span, "parameter "+quote(key)+" is not taken from a config centre: it is left out", "take it out; set it in the application's own configuration")
	}
}

// item reads one entry of "configs" and makes its overrides.
func (c *configReader) item(n *node) {
	if n.kind != nodeMapping {
		c.report.error(diag.WrongType, n.span, "an entry of configs is a mapping, not "+n.kindName(), "write - {side: consumer, parameters: {timeout: 900}}")
		return
	}
	c.keys(n, itemFields, " in an entry of configs")
	it := ConfiguratorItem{Span: n.span, Side: c.text(n, "side"), Type: c.text(n, "type"),
		Addresses: c.values(n, "addresses"), ProviderAddresses: c.values(n, "providerAddresses"),
		Applications: c.values(n, "applications"), Services: c.values(n, "services")}
	if e := n.get("enabled"); e != nil && e.kind != nodeNull {
		if on, null := c.on(n); !null {
			it.Enabled = &on
		}
	}
	if !c.parameters(&it, n) {
		return
	}
	c.checkItem(&it, n)
	if m := n.get("match"); m != nil && m.kind != nodeNull {
		it.Match = c.match(m)
	}
	c.doc.Items = append(c.doc.Items, it)
	c.overrides(&it)
}

// checkItem reports what an item says in vain.
func (c *configReader) checkItem(it *ConfiguratorItem, n *node) {
	doubt := c.report.warn
	if c.strict() {
		doubt = c.report.error
	}
	switch it.Side {
	case "consumer", "provider":
	case "":
		doubt(diag.OverrideNoSide, n.span, "an entry without side never applies", "write side: consumer or side: provider")
	default:
		doubt(diag.OverrideNoSide, n.get("side").span, "side "+quote(it.Side)+" is neither consumer nor provider: the entry never applies", "write side: consumer or side: provider")
	}
	if it.Type != "" && it.Type != "general" && it.Enabled == nil {
		if c.strict() {
			c.report.warn(diag.OverrideOff, n.span, "an entry of type "+quote(it.Type)+" without its own enabled is switched off in Dubbo; here the document's counts", "write enabled: true in the entry")
		} else {
			c.report.warn(diag.OverrideOff, n.span, "an entry of type "+quote(it.Type)+" without its own enabled is switched off", "write enabled: true in the entry")
		}
	}
	if it.Type == "" || it.Type == "general" {
		if e := n.get("enabled"); e != nil {
			c.report.info(diag.NoEffect, e.span, "enabled of an entry without type has no effect: the document's counts", "write enabled at the top, or take the entry out")
		}
	}
	application := c.doc.Scope == "application"
	if v := n.get("applications"); v != nil && application {
		c.report.warn(diag.NoEffect, v.span, "applications has no effect in an application document", "key says which application")
	}
	if v := n.get("services"); v != nil && !application {
		c.report.warn(diag.NoEffect, v.span, "services has no effect in a service document", "key says which service")
	}
}

// values reads a list of texts; anything else counts as none in the Dubbo dialects.
func (c *configReader) values(m *node, name string) []Value {
	n := m.get(name)
	if n == nil || n.kind == nodeNull {
		return nil
	}
	if n.kind != nodeList {
		if c.strict() {
			c.wrongType(n, name, "a list")
		} else {
			c.report.warn(diag.WrongType, n.span, name+" is "+n.kindName()+", not a list: it is ignored", "write "+name+": [...]")
		}
		return nil
	}
	out := make([]Value, 0, len(n.items))
	for _, item := range n.items {
		text := item.string()
		if item.kind != nodeScalar || item.scalarType() != typeText {
			text = item.javaText()
		}
		if item.kind != nodeScalar && c.strict() {
			c.report.error(diag.WrongType, item.span, name+" has "+item.kindName()+" where a text belongs", "write \"...\"")
			continue
		}
		out = append(out, Value{Text: text, Span: item.span})
	}
	return out
}

// parameters reads what the item sets; ok is false when the document is refused for it.
func (c *configReader) parameters(it *ConfiguratorItem, n *node) (ok bool) {
	m := n.get("parameters")
	switch {
	case m == nil || m.kind == nodeNull || m.kind == nodeMapping && len(m.fields) == 0:
		c.report.error(diag.NoParameters, n.span, "an entry without parameters: Dubbo refuses the whole document", "write parameters: {timeout: 900}, or take the entry out")
		return c.report.soft
	case m.kind != nodeMapping:
		c.wrongType(m, "parameters", "a mapping")
		return c.report.soft
	}
	seen := map[string]bool{}
	ok = true
	for _, f := range m.fields {
		key := f.key.javaText()
		if seen[key] {
			c.report.warn(diag.DuplicateKey, f.key.span, "parameter "+quote(key)+" is given twice", "the last one counts: keep one")
		}
		seen[key] = true
		value, usable := c.parameter(key, f.value)
		if !usable {
			ok = false
			continue
		}
		c.guarded(key, f.key.span)
		if strings.ContainsAny(value+key, "&;#%") {
			c.report.warn(diag.OverrideUnencoded, f.value.span, "Dubbo puts parameters into a URL as they stand: "+quote(value)+" is read as something else", "avoid & ; # and % in names and values")
		}
		it.Parameters = append(it.Parameters, ParameterSetting{Key: key, Value: value, Span: f.key.span})
	}
	return ok || c.report.soft
}

func (c *configReader) parameter(key string, n *node) (value string, ok bool) {
	switch {
	case n.kind == nodeNull:
		c.report.error(diag.WrongType, n.span, "parameter "+quote(key)+" has no value: Dubbo refuses the whole document", "write a value, or \"\" for an empty one")
		return "", false
	case n.kind == nodeScalar && n.scalarType() == typeText:
		return n.string(), true
	case n.kind == nodeScalar:
		return n.javaText(), true
	case c.strict():
		c.report.error(diag.WrongType, n.span, "parameter "+quote(key)+" must be a text or a number, not "+n.kindName(), "write it in quotes")
		return "", false
	case c.old():
		c.report.warn(diag.WrongType, n.span, n.kindName()+" becomes the text \"null\"", "write the value in quotes")
		return "null", true
	}
	c.report.warn(diag.WrongType, n.span, n.kindName()+" becomes the text "+quote(n.javaText()), "write the value in quotes")
	return n.javaText(), true
}

// wrapAt adds an error about the text of a node.
func (c *configReader) wrapAt(err error, n *node) {
	before := len(c.report.list)
	c.report.wrap(err)
	for i := before; i < len(c.report.list); i++ {
		c.report.list[i].Span = n.span
	}
}
