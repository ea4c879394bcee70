package rule

import (
	"encoding/json"
	"strconv"
	"strings"
)

// configuratorDocument prints a configurator document: YAML, or the JSON form for one that was read from it.
func (w *yamlWriter) configuratorDocument(d *ConfiguratorDocument) {
	if len(d.Items) == 0 && len(d.Overrides) > 0 {
		w.linef("[")
		for i, o := range d.Overrides {
			text, err := json.Marshal(o.URL.String())
			if err != nil {
				continue // a text always marshals
			}
			comma := ","
			if i == len(d.Overrides)-1 {
				comma = ""
			}
			w.linef("  %s%s", text, comma)
		}
		w.linef("]")
		return
	}
	for _, x := range [...]struct{ name, value string }{{"configVersion", d.ConfigVersion}, {"scope", d.Scope}, {"key", d.Key}} {
		if x.value != "" {
			w.linef("%s: %s", x.name, yamlQuote(x.value))
		}
	}
	w.linef("enabled: %t", d.Enabled)
	if len(d.Items) == 0 {
		w.linef("configs: []")
		return
	}
	w.linef("configs:")
	for i := range d.Items {
		w.configuratorItem(&d.Items[i])
	}
}

func (w *yamlWriter) configuratorItem(it *ConfiguratorItem) {
	settings := make([]string, len(it.Parameters))
	for i, p := range it.Parameters {
		settings[i] = yamlQuote(p.Key) + ": " + yamlQuote(p.Value)
	}
	w.linef("  - parameters: {%s}", strings.Join(settings, ", "))
	if it.Side != "" {
		w.linef("    side: %s", yamlQuote(it.Side))
	}
	for _, x := range [...]struct {
		name string
		list []Value
	}{{"addresses", it.Addresses}, {"providerAddresses", it.ProviderAddresses}, {"applications", it.Applications}, {"services", it.Services}} {
		if len(x.list) == 0 {
			continue
		}
		quoted := make([]string, len(x.list))
		for i := range x.list {
			quoted[i] = yamlQuote(x.list[i].Text)
		}
		w.linef("    %s: [%s]", x.name, strings.Join(quoted, ", "))
	}
	if it.Type != "" {
		w.linef("    type: %s", yamlQuote(it.Type))
	}
	if it.Enabled != nil {
		w.linef("    enabled: %s", strconv.FormatBool(*it.Enabled))
	}
	if it.Match != nil {
		w.configuratorMatch(it.Match)
	}
}

func (w *yamlWriter) configuratorMatch(m *ConfiguratorMatch) {
	var parts []string
	for _, x := range [...]struct {
		name string
		m    *AddressMatch
	}{{"address", m.Address}, {"providerAddress", m.ProviderAddress}} {
		if x.m == nil {
			continue
		}
		var fields []string
		for _, f := range [...]struct {
			name string
			text *string
		}{{"cird", x.m.Cird}, {"wildcard", x.m.Wildcard}, {"exact", x.m.Exact}} {
			if f.text != nil {
				fields = append(fields, f.name+": "+yamlQuote(*f.text))
			}
		}
		parts = append(parts, x.name+": {"+strings.Join(fields, ", ")+"}")
	}
	for _, x := range [...]struct {
		name string
		m    *ListMatch
	}{{"service", m.Service}, {"app", m.App}} {
		if x.m == nil {
			continue
		}
		if !x.m.HasOneOf {
			parts = append(parts, x.name+": {}")
			continue
		}
		entries := make([]string, len(x.m.OneOf))
		for i, one := range x.m.OneOf {
			entries[i] = "{" + strings.Join(one.fields(), ", ") + "}"
		}
		parts = append(parts, x.name+": {oneof: ["+strings.Join(entries, ", ")+"]}")
	}
	if len(m.Param) > 0 {
		entries := make([]string, len(m.Param))
		for i, p := range m.Param {
			entries[i] = "{key: " + yamlQuote(p.Key) + ", value: {" + strings.Join(p.Value.fields(), ", ") + "}}"
		}
		parts = append(parts, "param: ["+strings.Join(entries, ", ")+"]")
	}
	w.linef("    match: {%s}", strings.Join(parts, ", "))
}
