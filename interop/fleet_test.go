package interop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/zk"
)

const echo = "com.example.interop.EchoService"

// The providers of the fleet. The one of 2.7 is tagged gray.
const (
	port33    = 20881
	port27    = 20882
	portGo    = 20883
	addr33    = host + ":20881"
	addr27    = host + ":20882"
	addrGo    = host + ":20883"
	grayTag   = "gray"
	zkTimeout = 20 * time.Second
)

// fleet is ZooKeeper with one provider of each implementation. All tests share it: a JVM takes seconds to start.
type fleet struct {
	zoo   *zktest.Server
	peers []*process
	dir   string
}

var (
	fleetOnce   sync.Once
	sharedFleet *fleet
	fleetErr    error
)

// theFleet starts the fleet when the first test needs it.
func theFleet(t *testing.T) *fleet {
	t.Helper()
	needServers(t)
	fleetOnce.Do(func() { sharedFleet, fleetErr = startFleet() })
	if fleetErr != nil {
		t.Fatal(fleetErr)
	}
	return sharedFleet
}

func startFleet() (*fleet, error) {
	dir, err := os.MkdirTemp("", "dubway-interop-")
	if err != nil {
		return nil, err
	}
	f := &fleet{dir: dir}
	if f.zoo, err = zktest.Launch(dir); err != nil {
		return f, fmt.Errorf("ZooKeeper: %w", err)
	}
	type result struct {
		p   *process
		err error
	}
	launches := []func() (*process, error){
		func() (*process, error) {
			return launchJava("Dubbo 3.3.6", dubbo33, map[string]string{"port": strconv.Itoa(port33), "application": "echo-33", "registry": f.registry(), "params": "warmup=1"})
		},
		func() (*process, error) {
			return launchJava("Dubbo 2.7.23", dubbo27, map[string]string{"port": strconv.Itoa(port27), "application": "echo-27", "registry": f.registry(), "tag": grayTag, "params": "warmup=1"})
		},
		f.launchDubboGo,
	}
	results := make(chan result)
	for _, launch := range launches {
		go func() {
			p, err := launch()
			results <- result{p, err}
		}()
	}
	for range launches {
		r := <-results
		if r.err != nil {
			err = r.err
		} else {
			f.peers = append(f.peers, r.p)
		}
	}
	return f, err
}

func (f *fleet) registry() string { return "zookeeper://" + f.zoo.Address() }

func (f *fleet) launchDubboGo() (*process, error) {
	cmd := exec.Command(filepath.Join("..", "bin", "interop-dubbogo"))
	cmd.Env = append(os.Environ(), "INTEROP_ZK="+f.zoo.Address(), "INTEROP_PORT="+strconv.Itoa(portGo), "INTEROP_HOST="+host,
		"DUBBO_IP_TO_REGISTRY="+host, "DUBBO_IP_TO_BIND="+host)
	cmd.Dir, _ = filepath.Abs(".")
	p, err := start("dubbo-go v3.3.1", cmd)
	if err != nil {
		return nil, err
	}
	if _, err := p.waitFor("READY", 60*time.Second); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

func stopFleet() {
	f := sharedFleet
	if f == nil {
		return
	}
	for _, p := range f.peers {
		p.kill()
	}
	if f.zoo != nil {
		f.zoo.Stop()
	}
	_ = os.RemoveAll(f.dir)
}

// types are the Go side of the Java classes.
func types(t testing.TB) *hessian.Types {
	t.Helper()
	types, err := hessian.NewTypes().Struct("com.example.interop.Order", Order{}).Struct("com.example.interop.Line", Line{}).
		Struct("com.example.interop.Node", Node{}).Enum("com.example.interop.Tier", Tier("")).Build()
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// The Java classes of the interface.
type (
	Tier string
	Line struct {
		Product  string
		Quantity int32
		Price    hessian.Decimal
	}
	Order struct {
		ID       int64
		Customer string
		Tier     Tier
		Paid     bool
		Weight   float64
		Created  time.Time
		Lines    []*Line
		Labels   map[string]string
		Gift     *Line
	}
	Node struct {
		Name string
		Next *Node
	}
)

func sampleOrder() *Order {
	pen := &Line{"pen", 3, "1.50"}
	return &Order{
		ID: 1234567890123, Customer: "Müller 世界 😀", Tier: "GOLD", Paid: true, Weight: 12.25,
		Created: time.UnixMilli(1700000000123).UTC(), Lines: []*Line{pen, {"ink", 1, "20"}},
		Labels: map[string]string{"region": "eu"}, Gift: pen,
	}
}

func ring(names ...string) *Node {
	first := &Node{Name: names[0]}
	last := first
	for _, name := range names[1:] {
		last.Next = &Node{Name: name}
		last = last.Next
	}
	last.Next = first
	return first
}

// zookeeper opens dubway's own client of the fleet's ZooKeeper.
func (f *fleet) zookeeper(t *testing.T) *zk.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), zkTimeout)
	defer cancel()
	c, err := zk.Open(ctx, f.registry(), zk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// waitForProviders waits until the registry lists providers at all the addresses for key.
func (f *fleet) waitForProviders(t *testing.T, c *zk.Client, key service.Key, addresses ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), zkTimeout)
	defer cancel()
	var last []string
	err := c.Watch(ctx, key, func(e source.Event[source.State]) {
		if e.Err != nil {
			return
		}
		last = e.Value.Providers
		found := map[string]bool{}
		for _, text := range e.Value.Providers {
			u, err := durl.Parse(text)
			if err == nil && u.Version() == key.Version {
				found[u.Address()] = true
			}
		}
		for _, a := range addresses {
			if !found[a] {
				return
			}
		}
		cancel()
	})
	if !errors.Is(context.Cause(ctx), context.Canceled) {
		t.Fatalf("not all of %v are in the registry (%v): %q", addresses, err, last)
	}
}

// freePort returns a port of the namespace that nothing listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
