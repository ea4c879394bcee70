package conformance

import (
	"maps"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// mesh is what the mesh router holds: rules by application, and which applications it listens to (spec §6.5).
type mesh struct {
	docs       map[string]*rule.MeshDocument
	registered map[string]bool
	// failed: the last list of providers made the router fail, as rules that cannot be taken over do at the first subscription.
	failed bool
	// stale: and there was no good list since. A whole chain then fails on calls, because it has not taken the new list over.
	stale bool
}

// providers registers the applications of a new list. The rules of those that left are kept, but no longer follow their document.
func (m *mesh) providers(list []*service.Instance, texts map[string]string, d dialect.Dialect) {
	current := map[string]bool{}
	for _, in := range list {
		if app := in.URL.Get("remote.application", ""); app != "" && app != "unknown" {
			current[app] = true
		}
	}
	m.failed = false
	for _, app := range slices.Sorted(maps.Keys(current)) {
		if text, ok := texts[rule.MeshKey(app)]; ok && text != "" && !m.registered[app] {
			m.failed = m.offer(app, text, d) || m.failed
		}
	}
	if m.stale = m.failed; !m.failed {
		m.registered = current
	}
}

func (m *mesh) event(key, text string, d dialect.Dialect) {
	if app, ok := strings.CutSuffix(key, ".MESHAPPRULE"); ok && m.registered[app] {
		m.offer(app, text, d)
	}
}

func (m *mesh) deleted(key string) {
	if app, ok := strings.CutSuffix(key, ".MESHAPPRULE"); ok && m.registered[app] {
		m.docs = maps.Clone(m.docs)
		delete(m.docs, app)
	}
}

// offer replaces the rules of an application; it reports whether Dubbo fails when it takes them over.
func (m *mesh) offer(app, text string, d dialect.Dialect) bool {
	doc, findings := rule.ParseMeshDocument(rule.Origin{Name: rule.MeshKey(app)}, text, d)
	if doc == nil {
		return slices.ContainsFunc(findings, func(f diag.Diagnostic) bool { return f.Code == diag.MeshFails }) &&
			!slices.ContainsFunc(findings, func(f diag.Diagnostic) bool { return f.Severity == diag.Error && f.Code != diag.MeshFails })
	}
	next := maps.Clone(m.docs)
	if next == nil {
		next = map[string]*rule.MeshDocument{}
	}
	if next[app] = doc; len(doc.Services) == 0 {
		delete(next, app)
	}
	m.docs = next
	return false
}
