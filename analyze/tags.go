package analyze

import (
	"strconv"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// tags analyses a tag document.
func (l *linter) tags() {
	docs := readDocument(l, func(d dialect.Dialect) (*rule.TagDocument, diag.List) {
		return rule.ParseTagDocument(l.origin(), l.text.Text, d)
	})
	l.unread(rule.KindTag)
	delete(docs, dialect.Dubbo26)
	doc := first(docs, l.asked)
	if doc == nil || !doc.Enabled {
		return
	}
	l.goSwitches(doc.ConfigVersion)
	l.untagged(docs)
	l.compareTags(docs)
}

// untagged reports a document that leaves no provider to calls without a tag (spec §12.2 L25).
func (l *linter) untagged(docs map[dialect.Dialect]*rule.TagDocument) {
	application := ""
	if k, err := rule.ParseKey(l.text.Key); err == nil {
		application = k.Target
	}
	var providers []durl.URL
	for _, p := range l.o.World.Providers {
		if applies(p, application) {
			providers = append(providers, p)
		}
	}
	if len(providers) == 0 {
		return
	}
	consumer := durl.New("consumer", "10.0.0.9", 0, providers[0].Interface(), durl.Param{Key: "application", Value: "some-consumer"})
	var empty []dialect.Dialect
	for _, d := range l.asked {
		doc := docs[d]
		if doc == nil || !doc.Valid || len(doc.Tags) == 0 {
			continue
		}
		in, ok := input(d, consumer, providers)
		if !ok {
			continue
		}
		bare, _ := route.Compile(in)
		in.Rules.Tag, in.Chain = doc, route.Chain{{Router: route.RouterTag}}
		s, _ := route.Compile(in)
		inv := &rpc.Invocation{Method: "get", Direct: true}
		if s.Route(inv).Len() == 0 && bare.Route(inv).Len() > 0 {
			empty = append(empty, d)
		}
	}
	if len(empty) > 0 {
		l.add(diag.Error, TagsCoverAll, docs[empty[0]].Tags[0].Span, "all "+strconv.Itoa(len(providers))+" providers are in a tag: calls without a tag get no provider",
			"leave at least one provider out of every tag", empty...)
	}
}
