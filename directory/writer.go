package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/source"
)

// writer is the one goroutine that changes a directory.
type writer struct {
	d        *Directory
	j        *join
	watching [slots]*watcher
	number   uint64
	// findings and buildTime are of the last compilation.
	findings  diag.List
	buildTime time.Duration
	// answered is set once the registry said anything, lost what it said when that was no state.
	answered bool
	opened   bool
	// groups are those of a multi-group reference, nil for others.
	groups *groups
}

// run works until ctx ends.
func (w *writer) run(ctx context.Context) {
	var window *time.Timer
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.d.inbox.wake:
		}
		if wait := w.d.s.Coalesce; wait > 0 && w.opened {
			if window == nil {
				window = time.NewTimer(wait)
			} else {
				window.Reset(wait)
			}
			select {
			case <-ctx.Done():
				window.Stop()
				return
			case <-window.C:
			}
		}
		w.step(ctx, w.d.inbox.take())
	}
}

// step takes all news at once, publishes at most one generation and moves the watchers.
func (w *writer) step(ctx context.Context, n news) {
	start := w.d.s.Now()
	changed := false
	if n.state != nil {
		w.answered = true
		w.restore(nil)
		changed = w.j.state(n.state.Value)
	}
	changed = w.takeDocuments(w.j, &w.watching, n) || changed
	for _, one := range w.groups.all() {
		changed = w.takeDocuments(one.j, &one.watching, n) || changed
	}
	for _, l := range n.losses {
		w.lose(l)
	}
	w.groups.follow(w.j, w.drop)
	if w.watch(ctx) || changed || w.j.snapshot == nil {
		w.publish(start)
	}
	w.settle()
}

// takeDocuments takes the news about the rule keys that j follows and reports whether there is anything new to tell.
func (w *writer) takeDocuments(j *join, watching *[slots]*watcher, n news) (changed bool) {
	for _, id := range [...]slotID{slotApplicationOverrides, slotServiceOverrides, slotService, slotApplication, slotProviderApplication, slotTag,
		slotAffinity, slotAffinityApplication, slotScript} {
		from := watching[id] // news of keys that are not watched any more is left
		ev, ok := n.documents[from]
		if from == nil || !ok {
			continue
		}
		from.answered = true
		w.restore(from)
		changed = j.document(from.id, from.key, ev.Value, ev.Rev) || changed
	}
	return w.takeMesh(j, n) || changed
}

// publish makes the next generation, when there is anything new to tell.
func (w *writer) publish(start time.Time) {
	w.report()
	compiled, findings := w.j.compile()
	grouped, more := w.groups.compile()
	if compiled || grouped {
		compiled = true
		w.findings = slices.Concat(findings, w.j.remarks(), more)
		w.buildTime = w.d.s.Now().Sub(start)
	}
	w.number++
	g := &generation{
		snapshot:  w.j.snapshot,
		lists:     w.j.lists,
		groups:    w.groups.generation(),
		status:    w.groups.describe(w.j.status(w.number, w.buildTime, w.findings)),
		excluded:  append(append([]Excluded(nil), w.j.providers.excluded...), w.j.excluded...),
		changed:   make(chan struct{}),
		overrides: w.j.providers.overridesNow(),
	}
	switch {
	case !w.j.heard:
		g.fail = failUnheard
	case w.j.providers.forbidden:
		g.fail = failForbidden
	}
	w.d.swap(g)
	// Nobody starts on the retired instances from here on, but calls on older generations may.
	w.d.drains.retire(w.j.providers.retired)
	w.j.providers.retired = nil
	w.j.scripts.settle()
	for _, one := range w.groups.all() {
		one.j.scripts.settle()
	}
	if compiled && w.d.s.Hooks.Rebuilt != nil {
		w.d.s.Hooks.Rebuilt(w.j.snapshot, w.buildTime)
	}
}

// report tells what was newly refused.
func (w *writer) report() {
	for _, bad := range append(w.j.refused, w.groups.refused()...) {
		w.d.s.log.Warn("rule refused; the last good one stays in force", "service", w.d.s.key.String(),
			"source", bad.Origin.Source, "rule", bad.Origin.Name, "rev", bad.Origin.Rev, "findings", bad.Findings.Error())
		if w.d.s.Hooks.Rejected != nil {
			w.d.s.Hooks.Rejected(bad.Origin, bad.Findings)
		}
	}
	w.j.refused = nil
}

func (w *writer) restore(from *watcher) {
	if w.d.contacts.restore(from) {
		w.d.s.log.Info("contact is back", "service", w.d.s.key.String(), "source", sourceName(from))
	}
}

// lose notes a lost contact. What the source said last stays in force.
func (w *writer) lose(l loss) {
	if l.from != nil {
		if !w.watches(l.from) {
			return
		}
		l.from.answered = true
	} else {
		w.answered = true
	}
	w.d.contacts.lose(l, w.d.s.Now())
	w.d.s.log.Warn("contact lost; the last state serves", "service", w.d.s.key.String(), "source", sourceName(l.from), "error", l.err)
	if w.d.s.Hooks.Ambient != nil {
		w.d.s.Hooks.Ambient(fmt.Errorf("%s: %w", sourceName(l.from), l.err))
	}
}

func sourceName(w *watcher) string {
	if w == nil {
		return "registry"
	}
	return "config centre, key " + w.key
}

// watch starts and stops watchers so that they follow the providers' application, and reports whether any moved.
func (w *writer) watch(ctx context.Context) (moved bool) {
	if w.d.s.Config == nil {
		return false
	}
	moved = w.follow(ctx, w.j, &w.watching, w.groups.outerKeys(w.j.documentKeys()))
	if w.groups == nil {
		moved = w.followMesh(ctx, w.j) || moved
	}
	for _, one := range w.groups.all() {
		moved = w.follow(ctx, one.j, &one.watching, one.keys()) || moved
		moved = w.followMesh(ctx, one.j) || moved
	}
	return moved
}

// drop ends what watches the keys of a group that is gone.
func (w *writer) drop(one *groupJoin) {
	for _, p := range one.j.documents.meshes.places {
		w.endMesh(p)
	}
	watching := &one.watching
	for id, old := range watching {
		if old != nil {
			old.cancel()
			w.d.contacts.restore(old)
			watching[id] = nil
		}
	}
}

// watches reports whether news of one still counts.
func (w *writer) watches(one *watcher) bool {
	if w.watching[one.id] == one || w.j.documents.meshes.watches(one) {
		return true
	}
	return slices.ContainsFunc(w.groups.all(), func(g *groupJoin) bool {
		return g.watching[one.id] == one || g.j.documents.meshes.watches(one)
	})
}

// follow starts and stops the watchers of one join.
func (w *writer) follow(ctx context.Context, j *join, watching *[slots]*watcher, keys [slots]string) (moved bool) {
	application := j.providerApplication()
	for id := range slots {
		old := watching[id]
		if old != nil && old.key == keys[id] {
			continue
		}
		if keys[id] == "" && (old == nil || application == "" || w.d.s.Dialect != dialect.Standard) {
			continue // no application to follow: what is in force stays (spec §3.9, §4.1)
		}
		if old != nil {
			old.cancel()
			w.d.contacts.restore(old)
			watching[id] = nil
		}
		moved = true
		j.documents.move(id, keys[id])
		if keys[id] == "" { // the providers' application is the consumer's own: one rule, not two
			j.staleRules = j.documents.slot[id].clear() || j.staleRules
			continue
		}
		watchCtx, cancel := context.WithCancel(ctx)
		one := &watcher{id: id, key: keys[id], cancel: cancel}
		watching[id] = one
		w.d.work.Go(func() { w.d.watchDocument(watchCtx, one) })
	}
	return moved
}

// settle lets Open go on once every source has answered.
func (w *writer) settle() {
	if w.opened || !w.answered {
		return
	}
	for _, one := range w.watching {
		if one != nil && !one.answered {
			return
		}
	}
	if !w.j.documents.meshes.answered() || !w.groups.answered() {
		return
	}
	w.opened = true
	close(w.d.opened)
}

func (d *Directory) watchRegistry(ctx context.Context) {
	err := d.s.Registry.Watch(ctx, d.s.key, func(ev source.Event[source.State]) {
		if ev.Err != nil {
			d.inbox.putLoss(loss{err: ev.Err})
			return
		}
		d.inbox.putState(ev)
	})
	if ctx.Err() == nil {
		d.inbox.putLoss(loss{err: gaveUp(err), final: true})
	}
}

func (d *Directory) watchDocument(ctx context.Context, w *watcher) {
	err := d.s.Config.Watch(ctx, w.key, func(ev source.Event[source.Document]) {
		if ev.Err != nil {
			d.inbox.putLoss(loss{from: w, err: ev.Err})
			return
		}
		d.inbox.putDocument(w, ev)
	})
	if ctx.Err() == nil {
		d.inbox.putLoss(loss{from: w, err: gaveUp(err), final: true})
	}
}

func gaveUp(err error) error {
	if err == nil {
		return fmt.Errorf("the watch ended")
	}
	return err
}

// remarks tells what is odd about the combination of providers and rules.
func (j *join) remarks() diag.List {
	d := &j.documents.slot
	if d[slotTag].tag == nil && d[slotScript].script.filter == nil && d[slotAffinityApplication].affinity == nil && d[slotProviderApplication].condition.InForce() == nil {
		return nil
	}
	if len(j.providers.applications) < 2 {
		return nil
	}
	first := j.providerApplication()
	for _, in := range j.providers.list {
		if other := in.Application(); other != first {
			return diag.List{{Code: diag.SeveralApplications, Severity: diag.Warning, File: rule.TagKey(first),
				Message: fmt.Sprintf("providers of several applications (%q, %q): only the rules of %q apply, to all of them", first, other, first),
				Hint:    "put the same tag rule under each application, or serve the service from one application"}}
		}
	}
	return nil
}
