package zk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	zklib "github.com/go-zookeeper/zk"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/zk"
)

// raw is another client on the same server, that sees nodes as they are.
func raw(t *testing.T, server *zktest.Server) *zklib.Conn {
	t.Helper()
	conn, events, err := zklib.Connect([]string{server.Address()}, 10*time.Second, zklib.WithLogInfo(false))
	must(t, err)
	t.Cleanup(func() {
		conn.Close()
		for range events {
		}
	})
	return conn
}

func create(t *testing.T, conn *zklib.Conn, path, data string) {
	t.Helper()
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		content := ""
		if i == len(path) {
			content = data
		}
		if _, err := conn.Create(path[:i], []byte(content), 0, zklib.WorldACL(zklib.PermAll)); err != nil && !errors.Is(err, zklib.ErrNodeExists) {
			t.Fatalf("create %s: %v", path[:i], err)
		}
	}
}

// TestLayoutIsDubbos holds the nodes themselves against spec §10.1 and §10.5. It guards against apache/dubbo#4779,
// apache/dubbo#9188 and apache/dubbo-admin#500: reader and writer of a rule use one path, in group "dubbo".
func TestLayoutIsDubbos(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	conn := raw(t, server)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{})
	const persistent = "override://0.0.0.0/" + iface + "?category=configurators&dynamic=false&weight=50"
	must(t, c.Register(t.Context(), parse(t, one)))
	must(t, c.Register(t.Context(), parse(t, persistent)))
	must(t, c.Put(t.Context(), iface+":1.0.0:.condition-router", "conditions: []\n"))
	watch(t, c, iface).until(0, "the provider", providers(one))

	_, stat, err := conn.Exists("/dubbo/" + iface + "/providers/" +
		"dubbo%3A%2F%2F10.0.0.1%3A20880%2F" + iface + "%3Fapplication%3Dorder%26side%3Dprovider")
	if err != nil || stat.EphemeralOwner == 0 {
		t.Errorf("provider node: %+v, %v, want an ephemeral one", stat, err)
	}
	ok, stat, err := conn.Exists("/dubbo/" + iface + "/configurators/" + durl.Encode(persistent))
	if err != nil || !ok || stat.EphemeralOwner != 0 {
		t.Errorf("override node: %v, %+v, %v, want a persistent one", ok, stat, err)
	}
	text, _, err := conn.Get("/dubbo/config/dubbo/" + iface + ":1.0.0:.condition-router")
	if err != nil || string(text) != "conditions: []\n" {
		t.Errorf("rule node: %q, %v", text, err)
	}
	folders, _, err := conn.Children("/dubbo/" + iface)
	slices.Sort(folders)
	if want := []string{"configurators", "providers", "routers"}; err != nil || !slices.Equal(folders, want) {
		t.Errorf("folders of a watched service: %q, %v, want %q", folders, err, want)
	}
}

func TestOthersNodesAreUnderstood(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	conn := raw(t, server)
	base := "/dubbo/" + iface + "/providers/"
	create(t, conn, base+durl.Encode(one), "any bytes")
	create(t, conn, base+"not-a-url", "")
	create(t, conn, base+"%zz%3A%2F%2F", "")
	create(t, conn, "/dubbo/metadata/"+iface, "")
	create(t, conn, "/dubbo/mapping/"+iface, "order")
	create(t, conn, "/dubbo/"+durl.Encode("a.B$Inner")+"/providers", "")
	c := open(t, "zookeeper://"+server.Address(), zk.Options{})
	watch(t, c, iface).until(0, "the one URL", providers(one))
	names, err := c.Services(t.Context())
	if want := []string{"a.B$Inner", iface}; err != nil || !slices.Equal(names, want) {
		t.Errorf("services %q, %v, want %q", names, err, want)
	}
}

func TestReadOnlyWatchCreatesNothing(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	conn := raw(t, server)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{ReadOnly: true})
	seen := watch(t, c, iface)
	n := seen.until(0, "nothing", providers())
	if ok, _, err := conn.Exists("/dubbo"); err != nil || ok {
		t.Fatalf("the watch created nodes (%v, %v)", ok, err)
	}
	create(t, conn, "/dubbo/"+iface+"/providers/"+durl.Encode(one), "")
	n = seen.until(n, "the provider", providers(one))
	must(t, conn.Delete("/dubbo/"+iface+"/providers/"+durl.Encode(one), -1))
	n = seen.until(n, "nothing", providers())
	must(t, conn.Delete("/dubbo/"+iface+"/providers", -1)) // and the folder is made anew
	create(t, conn, "/dubbo/"+iface+"/providers/"+durl.Encode(two), "")
	seen.until(n, "the other provider", providers(two))
}

// TestCredentialsGuardNodes: what one user writes the others can neither read nor change, and are told so.
func TestCredentialsGuardNodes(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	ours := open(t, "zookeeper://"+server.Address()+"?username=ours&password=s3cret", zk.Options{})
	strange := open(t, "zookeeper://"+server.Address(), zk.Options{})
	again := open(t, "zookeeper://ours:s3cret@"+server.Address(), zk.Options{})
	must(t, ours.Put(t.Context(), "order.tag-router", "force: true\n"))
	must(t, ours.Register(t.Context(), parse(t, one)))
	if d, err := again.Get(t.Context(), "order.tag-router"); err != nil || d.Text != "force: true\n" {
		t.Errorf("with the credentials: %+v, %v", d, err)
	}
	watch(t, again, iface).until(0, "the provider", providers(one))

	_, err := strange.Get(t.Context(), "order.tag-router")
	hinted(t, "Get", err)
	hinted(t, "Put", strange.Put(t.Context(), "order.tag-router", "x"))
	hinted(t, "Register", strange.Register(t.Context(), parse(t, two)))
	seen := watch(t, strange, iface)
	seen.until(0, "a refusal", func(e source.Event[source.State]) bool { return errors.Is(e.Err, zklib.ErrNoAuth) })
}

func hinted(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, zklib.ErrNoAuth) || !strings.Contains(err.Error(), "username and password") {
		t.Errorf("%s: %v, want ErrNoAuth with the way out", what, err)
	}
}

func TestKeyThatZooKeeperCannotHold(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{})
	if err := c.Put(t.Context(), "private-use-\uf000.tag-router", ""); !errors.Is(err, source.ErrKey) {
		t.Errorf("Put: %v, want source.ErrKey", err)
	}
}

// TestTwentyThousandProviders reads a list over the server's default packet size, as issue "any size" needs, and follows
// a change of it.
func TestTwentyThousandProviders(t *testing.T) {
	const n, batch = 20_000, 500
	t.Parallel()
	server := zktest.Start(t)
	conn := raw(t, server)
	folder := "/dubbo/" + iface + "/providers"
	create(t, conn, folder, "")
	var want []string
	var ops []any
	for i := range n {
		text := fmt.Sprintf("dubbo://10.%d.%d.%d:20880/%s?application=order&methods=get,put,list,cancel,confirm,ship&interface=%s&side=provider&release=3.3.6&timestamp=%d&pid=%d",
			i>>16, i>>8&255, i&255, iface, iface, 1_760_000_000_000+i, i)
		want = append(want, text)
		ops = append(ops, &zklib.CreateRequest{Path: folder + "/" + durl.Encode(text), Acl: zklib.WorldACL(zklib.PermAll)})
		if len(ops) == batch {
			_, err := conn.Multi(ops...)
			must(t, err)
			ops = ops[:0]
		}
	}
	slices.Sort(want)
	c := open(t, "zookeeper://"+server.Address(), zk.Options{})
	seen := watch(t, c, iface)
	next := seen.until(0, "all providers", providers(want...))
	must(t, conn.Delete(folder+"/"+durl.Encode(want[n/2]), -1))
	want = slices.Delete(want, n/2, n/2+1)
	seen.until(next, "one less", providers(want...))
}
