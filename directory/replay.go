package directory

import (
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// Replay is a directory driven by hand: without goroutines, sources or clock, for recorded notifications, tests and
// "what would happen if". It takes single notifications by category, as Dubbo's registry client
// hands them out after matching (spec §8.3), and applies the directory's own rules to them. It is not safe for concurrent use.
type Replay struct {
	j    *join
	docs map[string]string
}

// NewReplay returns an empty Replay. Of the options, sources, hooks and times are ignored.
func NewReplay(key service.Key, consumer durl.URL, o Options) (*Replay, error) {
	o.Registry, o.Config, o.Hooks, o.Consumer = nil, nil, nil, consumer
	s, err := newSettings(key, o)
	if err != nil {
		return nil, err
	}
	s.matching = false
	r := &Replay{j: newJoin(s), docs: map[string]string{}}
	r.j.heard = true
	r.j.providers.countRepeats = o.Dialect == dialect.Dubbo31 || o.Dialect == dialect.Dubbo33
	r.follow()
	return r, nil
}

// Notify takes one notification: URLs of any categories. It returns false when it is refused as a whole.
func (r *Replay) Notify(urls []string) bool {
	var n notification
	empty, real := 0, 0
	known := r.known()
	c := r.j.s.classifier(len(urls))
	defer c.done()
	for _, text := range urls {
		e := c.classify(text)
		k := e.kind
		if k == kindEmpty {
			switch e.category {
			case "configurators":
				k = kindConfigurator
			case "routers":
				k = kindRouter
			case "providers":
				k = kindProvider
				empty++
			}
		}
		switch k {
		case kindProvider:
			n.hasProviders = true
			if e.kind != kindEmpty {
				real++
				if old := known[text]; old != nil {
					delete(known, text) // no entry stands twice in a list
					e = old
				}
				n.providers = append(n.providers, e)
			}
		case kindConfigurator:
			n.hasConfigurators = true
			n.configurators = append(n.configurators, e)
		case kindRouter:
			n.hasRouters = true
			n.routers = append(n.routers, e)
		}
	}
	n.none = real == 0 && empty == 1
	ok := r.j.notify(n, true)
	r.follow()
	return ok
}

// Update takes a whole registry state, as a directory's registry watch does, and reports whether anything in it was new.
func (r *Replay) Update(st source.State) bool {
	changed := r.j.state(st)
	r.follow()
	return changed
}

// known returns the entries of the present lists by text, so that their instances are found again.
func (r *Replay) known() map[string]*entry {
	out := map[string]*entry{}
	for _, list := range [2][]*entry{r.j.providers.cached, r.j.providers.live} {
		for _, e := range list {
			out[e.written()] = e
		}
	}
	return out
}

// SetDocument puts a document into the config centre that the Replay stands for.
func (r *Replay) SetDocument(key, text string) {
	r.docs[key] = text
	r.event(key, source.Document{Text: text, Exists: true})
}

// DeleteDocument takes a document out.
func (r *Replay) DeleteDocument(key string) {
	delete(r.docs, key)
	r.event(key, source.Document{})
}

func (r *Replay) event(key string, doc source.Document) {
	defer func() { r.j.providers.retired = nil }()
	for id := range slots {
		if r.j.documents.slot[id].key == key && key != "" {
			r.j.document(id, key, doc, "")
		}
	}
	for _, p := range r.j.documents.meshes.sorted() {
		if p.followed && p.slot.key == key {
			r.j.meshDocument(p, doc, "")
		}
	}
}

// follow moves the rule keys to the providers' application and reads what is there, as the writer does. Nobody calls here, so what was retired
// is let go.
func (r *Replay) follow() {
	r.j.providers.retired = nil
	for id, key := range r.j.documentKeys() {
		if key == "" || r.j.documents.slot[id].key == key {
			continue
		}
		r.j.documents.move(slotID(id), key)
		text, ok := r.docs[key]
		r.j.document(slotID(id), key, source.Document{Text: text, Exists: ok}, "")
	}
	start := func(_ string, p *meshPlace) {
		text, ok := r.docs[p.slot.key]
		r.j.meshDocument(p, source.Document{Text: text, Exists: ok}, "")
	}
	moved := r.j.documents.meshes.follow(r.j.s.Dialect, r.j.providers.applications, start, func(*meshPlace) {})
	r.j.staleRules = r.j.staleRules || moved
}

// Snapshot returns the snapshot of the present state.
func (r *Replay) Snapshot() *route.Snapshot {
	_, _ = r.j.compile()
	return r.j.snapshot
}

// Route returns the candidates for a call; errors as of Directory.Route, except that no candidates are no error.
func (r *Replay) Route(inv *rpc.Invocation) (route.Candidates, error) {
	g := generation{snapshot: r.Snapshot(), lists: r.j.lists, excluded: r.j.providers.excluded}
	if r.j.providers.forbidden {
		g.fail = failForbidden
		return route.Candidates{}, g.refuse(r.j.s, inv)
	}
	return g.route(inv), nil
}

// Created and Retired return how many instances were made and given up so far, counted as the dialect's Dubbo
// version counts connections.
func (r *Replay) Created() int { return r.j.providers.table.created }

// Retired: see Created.
func (r *Replay) Retired() int { return r.j.providers.table.retired }
