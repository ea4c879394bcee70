package rule

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// What one document can make, of addresses × services or applications × entries.
const (
	maxOverrides = 10_000
	// maxOverrideBytes bounds the length of all URLs together.
	maxOverrideBytes = 16 << 20
)

// overrides makes the rules of one item: one for each address and each application or service (spec §9.5).
func (c *configReader) overrides(it *ConfiguratorItem) {
	if c.report.soft && len(it.Parameters) == 0 {
		return
	}
	addresses := texts(it.Addresses, "0.0.0.0")
	services, applications := []string{c.doc.Key}, texts(it.Applications, "")
	application := c.doc.Scope == "application"
	if application {
		services = texts(it.Services, "*")
		applications = []string{c.doc.Key}
		if c.doc.Key == "" && c.strict() {
			c.report.error(diag.MissingField, it.Span, "document does not say which application it is for", "write key: the name of the application")
			return
		}
	}
	count := len(addresses) * len(services) * len(applications)
	c.bytes += count * it.size()
	if len(c.doc.Overrides)+count > maxOverrides || c.bytes > maxOverrideBytes {
		c.report.error(diag.DocumentTooLong, it.Span, "document makes more than "+strconv.Itoa(maxOverrides)+" overrides, or more than "+strconv.Itoa(maxOverrideBytes)+" bytes of them",
			"split it, or use match instead of lists")
		return
	}
	for _, address := range addresses {
		for _, service := range services {
			for _, name := range applications {
				c.override(it, address, service, name, application)
			}
		}
	}
}

// size is about the length of one URL that the item makes.
func (it *ConfiguratorItem) size() int {
	n := 128
	for _, p := range it.Parameters {
		n += len(p.Key) + len(p.Value) + 2
	}
	for _, list := range [...][]Value{it.ProviderAddresses, it.Addresses} { // Dubbo 3.2+ puts the addresses into the URL of a provider entry
		for i := range list {
			n += len(list[i].Text) + 1
		}
	}
	return n
}

func texts(list []Value, def string) []string {
	if len(list) == 0 {
		return []string{def}
	}
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Text
	}
	return out
}

// override makes one rule.
func (c *configReader) override(it *ConfiguratorItem, address, service, application string, appScope bool) {
	if service == "" {
		c.report.error(diag.MissingField, it.Span, "an empty service name: Dubbo refuses the whole document", "write [group/]interface[:version]")
		return
	}
	params, iface := serviceParams(service)
	category := "dynamicconfigurators"
	if appScope {
		category = "appdynamicconfigurators"
	}
	add := func(key, value string) { params = append(params, durl.Param{Key: key, Value: value}) }
	add("category", "dynamicconfigurators")
	if it.Side != "" {
		add("side", it.Side)
	}
	for _, p := range it.Parameters {
		add(p.Key, p.Value)
	}
	if len(it.ProviderAddresses) > 0 {
		add("providerAddresses", strings.Join(texts(it.ProviderAddresses, ""), ","))
	} else if it.Side == "provider" && (c.dialect == dialect.Dubbo33 || c.strict()) {
		add("providerAddresses", strings.Join(texts(it.Addresses, "0.0.0.0"), ","))
	}
	if appScope {
		if c.noKey {
			application = c.absentText()
		}
		add("application", application)
	}
	add("enabled", c.enabledText(it))
	if appScope {
		add("category", category)
	}
	version := c.doc.ConfigVersion
	if c.noVersion || c.strict() && version == "" {
		if version = c.absentText(); c.strict() {
			version = "v2.7"
		}
	}
	add("configVersion", version)
	if !appScope && application != "" {
		add("application", application)
	}
	u, err := c.url(address, iface, params)
	if err != nil {
		c.report.error(diag.BadAddress, it.Span, "address "+quote(address)+" makes no URL: "+message(err), "write 10.0.0.1 or 10.0.0.1:20880")
		return
	}
	c.doc.Overrides = append(c.doc.Overrides, Override{URL: u, Match: it.Match, Span: it.Span})
}

// absentText is how a missing text gets into a URL.
func (c *configReader) absentText() string {
	if c.strict() {
		return ""
	}
	return "null"
}

// enabledText is the parameter "enabled" of an item's rules: the document's switch, or for items of a type that is not
// general their own one, which Dubbo takes for off when it is missing.
func (c *configReader) enabledText(it *ConfiguratorItem) string {
	switch {
	case (it.Type == "" || it.Type == "general") && c.nullSwitch:
		return "null"
	case it.Type == "" || it.Type == "general":
		return strconv.FormatBool(c.doc.Enabled)
	case it.Enabled != nil && c.strict():
		return strconv.FormatBool(*it.Enabled && c.doc.Enabled)
	case it.Enabled != nil:
		return strconv.FormatBool(*it.Enabled)
	case c.strict():
		return strconv.FormatBool(c.doc.Enabled)
	}
	return "null"
}

// serviceParams takes "[group/]interface[:version]" apart.
func serviceParams(service string) (params []durl.Param, iface string) {
	iface = service
	if group, rest, ok := strings.Cut(iface, "/"); ok && group != "" {
		params, iface = append(params, durl.Param{Key: "group", Value: group}), rest
	}
	if name, version, ok := strings.Cut(iface, ":"); ok && name != "" {
		params, iface = append(params, durl.Param{Key: "version", Value: version}), name
	}
	return params, iface
}

// url makes the URL: in the Dubbo dialects by way of its text, with every value as it stands.
func (c *configReader) url(address, iface string, params []durl.Param) (durl.URL, error) {
	head := "override://" + address + "/" + iface
	if c.strict() {
		u, err := durl.ParseAs(head, c.dialect)
		if err != nil {
			return durl.URL{}, err
		}
		return u.WithParams(params...), nil
	}
	var b strings.Builder
	b.WriteString(head)
	sep := byte('?')
	for _, p := range params {
		b.WriteByte(sep)
		b.WriteString(p.Key + "=" + p.Value)
		sep = '&'
	}
	return durl.ParseAs(b.String(), c.dialect)
}

// message is the text of an error without its position.
func message(err error) string {
	if d, ok := errors.AsType[diag.Diagnostic](err); ok {
		return d.Message
	}
	return err.Error()
}
