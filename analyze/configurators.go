package analyze

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// configurators analyses a configurator document (spec §9.5).
func (l *linter) configurators() {
	l.other(rule.KindConfigurator)
	root, list := rule.ReadOutline(l.origin(), l.text.Text)
	k, err := rule.ParseKey(l.text.Key)
	_, version, group, service := k.Service()
	field := root.Field("key")
	named, _ := field.Text()
	if list.HasErrors() || err != nil || !service || version == "" && group == "" || field == nil {
		return
	}
	if version != "" && !strings.HasSuffix(named, ":"+version) || group != "" && !strings.HasPrefix(named, group+"/") {
		l.add(diag.Error, OverrideNoVersion, field.Span(), "key "+strconv.Quote(named)+" lacks the group or version of "+strconv.Quote(k.Target)+": from Dubbo 3.2 on the overrides do not apply",
			"write key: group/interface:version", dialect.Standard, dialect.Dubbo33)
	}
}
