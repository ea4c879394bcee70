package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// splitSeeds is how many draws of a weighted rule are looked at.
const splitSeeds = 24

// compareConditions says where the dialects' answers to the document part: for each condition alone, else for the whole.
func (l *linter) compareConditions(docs map[dialect.Dialect]*rule.ConditionDocument) {
	delete(docs, dialect.Dubbo26) // it reads no documents
	l.compareRules(docs)
}

// compareRules compares condition rules, wherever they come from.
func (l *linter) compareRules(docs map[dialect.Dialect]*rule.ConditionDocument) {
	if len(docs) < 2 {
		return
	}
	size := -1
	for _, d := range l.asked {
		doc := docs[d]
		if doc == nil {
			continue
		}
		n := len(doc.Conditions)
		if size >= 0 && n != size || len(doc.Multi) > 0 && n > 0 {
			return // they do not even read the same rules
		}
		size = n
	}
	url := route.Chain{{Router: route.RouterURL}}
	order := docsOf(docs, l.asked)
	found := false
	for i := range min(max(size, 0), maxConditions) {
		var u universe
		for _, d := range order {
			u.left(docs[d].Conditions[i].When)
			u.right(docs[d].Conditions[i].Then)
		}
		w := newComparison(&u, order).first(func(d dialect.Dialect) (route.Rules, route.Chain) {
			one := *docs[d]
			one.Conditions = one.Conditions[i : i+1]
			return route.Rules{URL: []*rule.ConditionDocument{&one}}, url
		})
		if w != nil {
			found = true
			l.parts(docs[order[0]].Conditions[i].Span, w)
		}
	}
	if found || size == 1 {
		return
	}
	w := newComparison(whole(docs, order), order).first(func(d dialect.Dialect) (route.Rules, route.Chain) {
		return route.Rules{URL: []*rule.ConditionDocument{docs[d]}}, url
	})
	if w != nil {
		l.parts(start(l.text.Text), w)
	}
}

// whole returns the universe of all rules of a document.
func whole(docs map[dialect.Dialect]*rule.ConditionDocument, order []dialect.Dialect) *universe {
	u := new(universe)
	for _, d := range order {
		for _, c := range docs[d].Conditions {
			u.left(c.When)
			u.right(c.Then)
		}
		for _, m := range docs[d].Multi {
			u.left(m.From)
			for _, to := range m.To {
				u.right(to.Match)
			}
		}
	}
	return u
}

// start is the place of the first field of a document.
func start(text string) diag.Span {
	if o, list := rule.ReadOutline(rule.Origin{}, text); !list.HasErrors() {
		if f := o.Fields(); len(f) > 0 {
			return f[0].NameSpan
		}
	}
	return diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}
}

// compareTags says where the dialects' answers to a tag document part.
func (l *linter) compareTags(docs map[dialect.Dialect]*rule.TagDocument) {
	if len(docs) < 2 {
		return
	}
	var u universe
	span := start(l.text.Text)
	for _, d := range l.asked {
		doc := docs[d]
		if doc == nil {
			continue
		}
		for i, t := range doc.Tags {
			if i == 0 {
				span = t.Span
			}
			u.call.add("attachments["+rpc.TagKey+"]", absent, t.Name, t.Name+"|x", "other")
			u.provider.add(rpc.TagKey, absent, t.Name)
			for _, a := range t.Addresses {
				u.provider.add("address", a.Text)
				if host, _, ok := strings.Cut(a.Text, "*"); ok {
					u.provider.add("address", host+strings.Repeat("1.", max(0, 3-strings.Count(host, ".")))+"1:20880")
				} else if host, _, ok := strings.Cut(a.Text, "/"); ok {
					u.provider.add("address", host+":20880")
				} else if !strings.Contains(a.Text, ":") {
					u.provider.add("address", a.Text+":20880")
				}
			}
			for _, m := range t.Match {
				for _, v := range []*string{m.Value.Exact, m.Value.Prefix, m.Value.Wildcard} {
					if v != nil {
						u.provider.add(m.Key, absent, strings.ReplaceAll(*v, "*", "1"), "other")
					}
				}
				if m.Value.Empty != nil || m.Value.NoEmpty != nil || m.Value.Regex != nil {
					u.provider.add(m.Key, absent, "", "other")
				}
			}
		}
	}
	u.provider.add("address", "10.9.9.9:20880")
	w := newComparison(&u, docsOf(docs, l.asked)).first(func(d dialect.Dialect) (route.Rules, route.Chain) {
		return route.Rules{Tag: docs[d]}, route.Chain{{Router: route.RouterTag}}
	})
	if w != nil {
		l.parts(span, w)
	}
}

func docsOf[T any](docs map[dialect.Dialect]*T, order []dialect.Dialect) []dialect.Dialect {
	return slices.DeleteFunc(slices.Clone(order), func(d dialect.Dialect) bool { return docs[d] == nil })
}

// parts reports a difference.
func (l *linter) parts(span diag.Span, w *Witness) {
	call := w.Method + "()"
	if len(w.Args) > 0 {
		call = w.Method + "(" + strings.Join(w.Args, ", ") + ")"
	}
	for _, k := range slices.Sorted(mapKeys(w.Attachments)) {
		call += " " + k + "=" + w.Attachments[k]
	}
	l.put(diag.Diagnostic{Code: DialectsPart, Severity: diag.Warning, Span: span,
		Message: fmt.Sprintf("%s may take %s in %s, not in %s", w.Provider, call, names(w.Kept), names(w.Dropped)),
		Hint:    "asked by " + w.Consumer + "; docs/dialects.md lists the differences: write the rule so that all versions agree, or use one version only"}, slices.Concat(w.Kept, w.Dropped))
	l.found[len(l.found)-1].Witness = w
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func names(list []dialect.Dialect) string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.String()
	}
	return strings.Join(out, ", ")
}

// comparison holds the universe as each dialect sees it.
type comparison struct {
	dialects  []dialect.Dialect
	consumers []durl.URL
	providers []durl.URL
	calls     []rpc.Invocation
	inputs    map[dialect.Dialect][]route.Input // by consumer
}

func newComparison(u *universe, dialects []dialect.Dialect) *comparison {
	c := &comparison{dialects: dialects, consumers: u.consumers(), providers: u.providers(), calls: u.calls(), inputs: map[dialect.Dialect][]route.Input{}}
	if len(c.providers) == 0 {
		c.consumers = nil
	}
	for _, consumer := range c.consumers {
		for _, d := range dialects {
			in, _ := input(d, consumer, c.providers)
			c.inputs[d] = append(c.inputs[d], in)
		}
	}
	return c
}

// first returns the first provider and call for which the dialects part, or nil.
func (c *comparison) first(rules func(dialect.Dialect) (route.Rules, route.Chain)) *Witness {
	for i, consumer := range c.consumers {
		snapshots := make([]*route.Snapshot, len(c.dialects))
		seeds := 1
		for j, d := range c.dialects {
			in := c.inputs[d][i]
			if in.Set == nil {
				return nil
			}
			in.Rules, in.Chain = rules(d)
			if len(in.Rules.URL) > 0 && len(in.Rules.URL[0].Multi) > 0 {
				seeds = splitSeeds
			}
			snapshots[j], _ = route.Compile(in)
		}
		for k := range c.calls {
			if w := c.difference(snapshots, consumer, &c.calls[k], seeds); w != nil {
				return w
			}
		}
	}
	return nil
}

func (c *comparison) difference(snapshots []*route.Snapshot, consumer durl.URL, call *rpc.Invocation, seeds int) *Witness {
	kept := make([]map[string]bool, len(snapshots))
	for j, s := range snapshots {
		kept[j] = map[string]bool{}
		for seed := range seeds {
			inv := *call
			inv.Seed = uint64(seed) * 0x9e3779b97f4a7c15
			got := s.Route(&inv)
			for n := range got.Len() {
				kept[j][got.At(n).Provider.String()] = true
			}
		}
	}
	for _, p := range c.providers {
		w := &Witness{Provider: p.Without("interface").String(), Consumer: consumer.Without("interface", "side").String(), Method: call.Method}
		for j, d := range c.dialects {
			if kept[j][p.String()] {
				w.Kept = append(w.Kept, d)
			} else {
				w.Dropped = append(w.Dropped, d)
			}
		}
		if len(w.Kept) == 0 || len(w.Dropped) == 0 {
			continue
		}
		for _, a := range call.Args {
			w.Args = append(w.Args, fmt.Sprint(a))
		}
		for _, a := range call.Attachments {
			if w.Attachments == nil {
				w.Attachments = map[string]string{}
			}
			w.Attachments[a.Key] = fmt.Sprint(a.Value)
		}
		return w
	}
	return nil
}
