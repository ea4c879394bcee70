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
	if key := l.text.Key; key != "" {
		read(l, func(d dialect.Dialect) (rule.Document, diag.List) {
			doc, list := rule.Parse(key, l.text.Text, d)
			var rest diag.List
			for _, x := range list {
				if x.Code != diag.UnreadKind {
					rest = append(rest, x)
				}
			}
			return doc, rest
		})
	}
	root, list := rule.ReadOutline(l.origin(), l.text.Text)
	if list.HasErrors() {
		for _, x := range list {
			l.merge(x, l.asked[0], true, 0)
		}
		return
	}
	if items, ok := root.Items(); ok { // a JSON array of URLs
		for _, item := range items {
			text, _ := item.Text()
			if u, ok := l.url(text); ok {
				l.line, l.column = item.Span().Line-1, item.Span().Col
				l.override(u, text)
				l.line, l.column = 0, 0
			}
		}
		return
	}
	if !root.Mapping() {
		return
	}
	configs := root.Field("configs")
	items, ok := configs.Items()
	if !ok || len(items) == 0 {
		span := root.Span()
		if configs != nil {
			span = configs.Span()
		}
		l.put(diag.Diagnostic{Code: NoConfigs, Severity: diag.Error, Span: span, Message: "a document without configs does not end the overrides: the ones before it stay in force", Hint: "delete the document to end them"}, l.asked)
		return
	}
	l.versionless(root)
	for _, item := range items {
		l.config(item)
	}
}

// versionless compares the service that the document names with the one it stands under (spec §12.2 L28).
func (l *linter) versionless(root *rule.Outline) {
	k, err := rule.ParseKey(l.text.Key)
	_, version, group, service := k.Service()
	field := root.Field("key")
	named, _ := field.Text()
	if err != nil || !service || version == "" && group == "" || field == nil {
		return
	}
	if version != "" && !strings.HasSuffix(named, ":"+version) || group != "" && !strings.HasPrefix(named, group+"/") {
		l.add(diag.Error, OverrideNoVersion, field.Span(), "key "+strconv.Quote(named)+" lacks the group or version of "+strconv.Quote(k.Target)+": from Dubbo 3.2 on the overrides do not apply",
			"write key: group/interface:version", dialect.Standard, dialect.Dubbo33)
	}
}

func (l *linter) config(item *rule.Outline) {
	if !item.Mapping() {
		return
	}
	side, _ := item.Field("side").Text()
	if side != "consumer" && side != "provider" {
		span := item.Span()
		if f := item.Field("side"); f != nil {
			span = f.Span()
		}
		l.put(diag.Diagnostic{Code: OverrideNoSide, Severity: diag.Error, Span: span, Message: "without side: consumer or side: provider the item never applies", Hint: "write side: consumer"}, l.asked)
	}
	if kind, _ := item.Field("type").Text(); kind != "" && kind != "general" && item.Field("enabled") == nil {
		l.put(diag.Diagnostic{Code: ItemDisabled, Severity: diag.Error, Span: item.Field("type").Span(), Message: "an item of type " + strconv.Quote(kind) + " without enabled counts as switched off", Hint: "write enabled: true in the item"}, l.asked)
	}
	parameters := item.Field("parameters")
	if len(parameters.Fields()) == 0 {
		span := item.Span()
		if parameters != nil {
			span = parameters.Span()
		}
		l.put(diag.Diagnostic{Code: diag.MissingField, Severity: diag.Error, Span: span, Message: "an item without parameters makes Dubbo refuse the document", Hint: "write parameters: {timeout: 900}"}, l.asked)
	}
	for _, f := range parameters.Fields() {
		text, _ := f.Value.Text()
		if i := strings.IndexAny(text, "&;#%"); i >= 0 {
			l.put(diag.Diagnostic{Code: OverrideCharacters, Severity: diag.Error, Span: f.Value.Span(), Message: "Dubbo puts the value into a URL as it is: " + strconv.Quote(text[i:i+1]) + " breaks it", Hint: "choose a value without & ; # %"}, l.asked)
		}
	}
}
