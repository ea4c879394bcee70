package directory

import (
	"context"
	"maps"
	"slices"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// meshRules are the mesh documents of all applications that provide the service (spec §6.5). Each application's rules are for its own providers, so
// several can be in force at once, unlike the other documents of providers' applications.
//
// The rules of an application that has no providers any more decide nothing, and their key is not watched. In the Dubbo dialects they are kept all the same:
// when the application comes back and its document was deleted meanwhile, they apply again. Standard lets the first news of the key decide.
type meshRules struct {
	// places are the keys followed now or once, by application.
	places map[string]*meshPlace
}

// meshPlace is the mesh document of one application.
type meshPlace struct {
	slot slot
	// followed is set while the application has providers.
	followed bool
	// watcher reads the key; nil in a Replay and while the key is not followed.
	watcher *watcher
}

// readsMesh reports whether a dialect knows mesh rules.
func readsMesh(d dialect.Dialect) bool { return d != dialect.Dubbo26 && d != dialect.Dubbo27 }

// follow brings the keys in line with the applications of the providers in force and reports whether any moved. start begins to read a key, stop ends it.
// While there are no providers everything stays as it is, as for the other documents.
func (m *meshRules) follow(d dialect.Dialect, applications map[string]int, start func(application string, p *meshPlace), stop func(*meshPlace)) (moved bool) {
	if !readsMesh(d) || len(applications) == 0 {
		return false
	}
	for application, p := range m.places {
		if _, there := applications[application]; there || !p.followed {
			continue
		}
		p.followed, moved = false, true
		stop(p)
		if p.slot.mesh == nil {
			delete(m.places, application)
		}
	}
	if m.follows(applications) {
		return moved
	}
	for _, application := range slices.Sorted(maps.Keys(applications)) {
		if nameless(application) {
			continue
		}
		p := m.places[application]
		if p == nil {
			p = &meshPlace{slot: slot{key: rule.MeshKey(application)}}
			if m.places == nil {
				m.places = make(map[string]*meshPlace)
			}
			m.places[application] = p
		}
		if p.followed {
			continue
		}
		p.followed, moved = true, true
		p.slot.fresh, p.slot.refused = true, nil
		start(application, p)
	}
	return moved
}

// nameless reports whether an application has no name; "unknown" is Dubbo's word for that.
func nameless(application string) bool { return application == "" || application == "unknown" }

// follows reports whether the keys of all applications are followed.
func (m *meshRules) follows(applications map[string]int) bool {
	for application := range applications {
		if nameless(application) {
			continue
		}
		if p := m.places[application]; p == nil || !p.followed {
			return false
		}
	}
	return true
}

// sorted returns the places by application.
func (m *meshRules) sorted() []*meshPlace {
	out := make([]*meshPlace, 0, len(m.places))
	for _, application := range slices.Sorted(maps.Keys(m.places)) {
		out = append(out, m.places[application])
	}
	return out
}

// inForce returns the mesh rules that count, by application; nil when there are none.
func (m *meshRules) inForce(d dialect.Dialect) map[string]*rule.MeshDocument {
	var out map[string]*rule.MeshDocument
	for application, p := range m.places {
		if p.slot.mesh == nil || !p.followed && d == dialect.Standard {
			continue
		}
		if out == nil {
			out = make(map[string]*rule.MeshDocument)
		}
		out[application] = p.slot.mesh
	}
	return out
}

// status describes the keys that are followed.
func (m *meshRules) status() (out []RuleStatus) {
	for _, p := range m.sorted() {
		if one, ok := p.slot.status(slotMesh); ok && p.followed {
			out = append(out, one)
		}
	}
	return out
}

// meshDocument takes one event of a mesh key and reports whether there is anything new to tell.
func (j *join) meshDocument(p *meshPlace, doc source.Document, rev string) (news bool) {
	o := j.documents.applyTo(&p.slot, slotMesh, p.slot.key, doc.Text, doc.Exists, rev)
	j.staleRules = j.staleRules || o.changed
	if o.refused != nil {
		j.refused = append(j.refused, *o.refused)
	}
	return o.told
}

// followMesh starts and stops the watchers of mesh keys.
func (w *writer) followMesh(ctx context.Context, j *join) (moved bool) {
	start := func(_ string, p *meshPlace) {
		watchCtx, cancel := context.WithCancel(ctx)
		one := &watcher{id: slotMesh, key: p.slot.key, cancel: cancel}
		p.watcher = one
		w.d.work.Go(func() { w.d.watchDocument(watchCtx, one) })
	}
	moved = j.documents.meshes.follow(w.d.s.Dialect, j.providers.applications, start, w.endMesh)
	j.staleRules = j.staleRules || moved
	return moved
}

// endMesh ends the watcher of a mesh key.
func (w *writer) endMesh(p *meshPlace) {
	if p.watcher != nil {
		p.watcher.cancel()
		w.d.contacts.restore(p.watcher)
		p.watcher = nil
	}
}

// takeMesh takes the news about mesh keys.
func (w *writer) takeMesh(j *join, n news) (changed bool) {
	for _, p := range j.documents.meshes.sorted() {
		ev, ok := n.documents[p.watcher]
		if p.watcher == nil || !ok {
			continue
		}
		p.watcher.answered = true
		w.restore(p.watcher)
		changed = j.meshDocument(p, ev.Value, ev.Rev) || changed
	}
	return changed
}

// watches reports whether news of one still counts.
func (m *meshRules) watches(one *watcher) bool {
	for _, p := range m.places {
		if p.watcher == one {
			return true
		}
	}
	return false
}

// answered reports whether every key that is watched has been heard of.
func (m *meshRules) answered() bool {
	for _, p := range m.places {
		if p.watcher != nil && !p.watcher.answered {
			return false
		}
	}
	return true
}

// count notes a change of the list for the applications: how many providers in force each has.
func (p *providers) count(added []*service.Instance, gone []*record) {
	if p.applications == nil {
		p.applications = make(map[string]int)
	}
	for i := 0; i < len(added); {
		application, n := added[i].Application(), 1
		for i += n; i < len(added) && added[i].Application() == application; i++ {
			n++ // neighbours mostly agree
		}
		p.applications[application] += n
	}
	for _, r := range gone {
		if !r.listed {
			continue
		}
		application := r.instance.Application()
		if p.applications[application]--; p.applications[application] <= 0 {
			delete(p.applications, application)
		}
	}
}
