package directory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/mem"
)

const iface = "com.example.shop.OrderService"

var orders = service.Key{Interface: iface}

// patience bounds waits for something that must happen; nothing is asserted about how long it takes.
const patience = 10 * time.Second

func consumer(params string) durl.URL {
	return mustURL("consumer://10.0.0.9/" + iface + "?application=web&" + params)
}

func mustURL(text string) durl.URL {
	u, err := durl.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

// provider returns the URL text of provider n: 10.0.0.n, port 20880, application shop.
func provider(n int, params ...string) string {
	text := fmt.Sprintf("dubbo://10.0.0.%d:20880/%s?application=shop&interface=%s&methods=get,put&side=provider", n, iface, iface)
	return strings.Join(append([]string{text}, params...), "&")
}

func override(host, params string) string {
	return "override://" + host + "/" + iface + "?category=configurators&" + params
}

func routeURL(text string, params ...string) string {
	u := "condition://0.0.0.0/" + iface + "?category=routers&rule=" + durl.Encode(text)
	return strings.Join(append([]string{u}, params...), "&")
}

// world is an embedded registry and config centre with the state of one service.
type world struct {
	t     *testing.T
	store *mem.Store
	state source.State
}

func newWorld(t *testing.T, providers ...string) *world {
	w := &world{t: t, store: mem.New()}
	w.providers(providers...)
	return w
}

func (w *world) push() { w.store.Replace(iface, w.state) }

func (w *world) providers(texts ...string) { w.state.Providers = texts; w.push() }

func (w *world) overrides(texts ...string) { w.state.Configurators = texts; w.push() }

func (w *world) routes(texts ...string) { w.state.Routers = texts; w.push() }

func (w *world) put(key, text string) {
	w.t.Helper()
	if err := w.store.Put(context.Background(), key, text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) delete(key string) {
	w.t.Helper()
	if err := w.store.Delete(context.Background(), key); err != nil {
		w.t.Fatal(err)
	}
}

// options is the usual way to open; change is applied last.
func (w *world) options(change ...func(*directory.Options)) directory.Options {
	o := directory.Options{Registry: w.store, Config: w.store.Rules(), Consumer: consumer("")}
	for _, f := range change {
		f(&o)
	}
	return o
}

func (w *world) open(change ...func(*directory.Options)) *directory.Directory {
	w.t.Helper()
	return w.openKey(orders, change...)
}

func (w *world) openKey(key service.Key, change ...func(*directory.Options)) *directory.Directory {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d, err := directory.Open(ctx, key, w.options(change...))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { d.Close() })
	return d
}

// await waits until ok holds for the directory; what says what was awaited.
func await(t *testing.T, d *directory.Directory, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		changed := d.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-time.After(5 * time.Millisecond): // contact is no part of a generation
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s; state %+v", what, d.State())
		}
	}
}

func call(method string, attachments ...string) *rpc.Invocation {
	inv := &rpc.Invocation{Service: orders, Method: method, Seed: 1}
	for i := 0; i+1 < len(attachments); i += 2 {
		inv.Attachments = inv.Attachments.With(attachments[i], attachments[i+1])
	}
	return inv
}

// candidates lists where a call can go: "1 2 3" for 10.0.0.1 to 10.0.0.3, or the error code.
func candidates(d *directory.Directory, inv *rpc.Invocation) string {
	list, err := d.Append(nil, inv)
	if err != nil {
		return rpc.CodeOf(err).String()
	}
	var out []string
	for _, in := range list {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(in.Address(), "10.0.0."), ":20880"))
	}
	return strings.Join(out, " ")
}

// awaitCandidates waits until a call of get can go exactly there.
func awaitCandidates(t *testing.T, d *directory.Directory, want string) {
	t.Helper()
	awaitCall(t, d, call("get"), want)
}

func awaitCall(t *testing.T, d *directory.Directory, inv *rpc.Invocation, want string) {
	t.Helper()
	await(t, d, "the candidates are "+want, func() bool { return candidates(d, inv) == want })
}

// param collects a parameter of the effective URLs, in order.
func param(d *directory.Directory, key string) string {
	set := d.Snapshot().Set()
	var out []string
	for i := range set.Len() {
		out = append(out, set.At(i).URL.Get(key, "-"))
	}
	return strings.Join(out, " ")
}

func instances(d *directory.Directory) []*service.Instance {
	set := d.Snapshot().Set()
	out := make([]*service.Instance, 0, set.Len())
	for i := range set.Len() {
		out = append(out, set.At(i))
	}
	return out
}
