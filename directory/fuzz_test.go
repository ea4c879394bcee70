package directory_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/source"
)

// FuzzState offers a directory whatever a registry or a config centre could hold. It must not panic, and what it reports must
// be complete: every line is an instance, a rule, or told as left out.
func FuzzState(f *testing.F) {
	f.Add(uint8(0), provider(1)+"\n"+provider(2, "weight=x"), override("0.0.0.0", "timeout=1"), routeURL("=> host=10.0.0.1"), conditions("=> region=hz"))
	f.Add(uint8(2), "empty://0.0.0.0/x?category=providers\nnot a url\ndubbo://[::1]:1/"+iface, "override://h?priority=x\noverride://h?a=1", "route://0.0.0.0/x?rule=1", "tags: [")
	f.Add(uint8(4), strings.Repeat(provider(3)+"\n", 3), "absent://0.0.0.0/"+iface+"?side=consumer&configVersion=v3.0&a=1", "script://0.0.0.0/"+iface+"?category=routers&rule=x", "")
	f.Fuzz(func(t *testing.T, d uint8, providers, configurators, routers, document string) {
		if len(providers)+len(configurators)+len(routers)+len(document) > 1<<16 {
			return
		}
		dl := dialect.All()[int(d)%5]
		r := newReplay(t, dl)
		lines := func(s string) []string {
			if s == "" {
				return nil
			}
			return strings.Split(s, "\n")
		}
		r.Update(source.State{Providers: []string{provider(1)}})
		r.SetDocument(serviceRule, document)
		r.SetDocument(shopTags, document)
		r.Update(source.State{Providers: lines(providers), Configurators: lines(configurators), Routers: lines(routers)})
		r.Notify(append(append(lines(providers), lines(configurators)...), lines(routers)...))
		c, err := r.Route(call("get"))
		if err == nil && c.Len() > r.Snapshot().Set().Len() {
			t.Fatal("more candidates than instances")
		}
		r.DeleteDocument(serviceRule)
		r.Update(source.State{})
	})
}
