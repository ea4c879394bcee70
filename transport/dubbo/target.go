package dubbo

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

const (
	protocolVersion = "2.0.2"
	// noVersion is what Dubbo consumers send for a service without a version.
	noVersion = "0.0.0"

	genericMethod      = "$invoke"
	genericAsyncMethod = "$invokeAsync"
	genericDescriptor  = "Ljava/lang/String;[Ljava/lang/String;[Ljava/lang/Object;"
	echoMethod         = "$echo"
	echoDescriptor     = "Ljava/lang/Object;"

	keyPath        = "path"
	keyInterface   = "interface"
	keyVersion     = "version"
	keyGroup       = "group"
	keyTimeout     = "timeout"
	keyGeneric     = "generic"
	keyToken       = "token"
	keyApplication = "application"
	keyRemoteApp   = "remote.application"
)

// maxTargets bounds the prepared requests kept for one address: more than a provider has services, fewer than an endless
// stream of replaced instances could pile up.
const maxTargets = 1024

// target is one instance, prepared for calls: whatever is the same in each request is encoded once.
type target struct {
	peer    *peer
	form    *form
	timeout time.Duration            // of the URL; 0 when it has none
	methods map[string]time.Duration // method-scoped ones; nil when it has none
	// service is set when it came from the invocation because the URL names none; such a target is good for it only.
	service service.Key
}

// target returns the prepared form of to.
func (c *Client) target(to *service.Instance, inv *rpc.Invocation) (*target, error) {
	if v, ok := c.targets.Load(to); ok {
		if t := v.(*target); t.service == (service.Key{}) || t.service == inv.Service {
			return t, nil
		}
	}
	p, err := c.peer(to.URL.Address())
	if err != nil {
		return nil, err
	}
	t := newTarget(p, to, inv.Service, c.options.Application)
	t.form = c.shared(t.form)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return t, nil // good for this attempt, which will look up again
	}
	if _, had := c.targets.Swap(to, t); !had {
		if len(p.targets) >= maxTargets {
			c.targets.Delete(p.targets[0])
			p.targets = append(p.targets[:0], p.targets[1:]...)
		}
		p.targets = append(p.targets, to)
	}
	return t, nil
}

func newTarget(p *peer, to *service.Instance, key service.Key, application string) *target {
	f := &form{}
	t := &target{peer: p, form: f}
	u := to.URL
	path, iface, group, version := u.Path(), u.Interface(), u.Group(), u.Version()
	if iface == "" {
		t.service = key
		path, iface, group, version = key.Interface, key.Interface, key.Group, key.Version
	}
	// The merge with a consumer of any group or version leaves a provider that has none with the consumer's: nobody exports a "*".
	if strings.ContainsAny(group, "*,") {
		group = to.Provider.Group()
	}
	if version == "*" {
		version = to.Provider.Version()
	}
	if path == "" {
		path = iface
	}
	if version == "" {
		version = noVersion
	}
	if application == "" {
		application = u.Application()
	}
	f.head = AppendHeader(nil, Header{Request: true, TwoWay: true, Serialization: serialHessian2})
	for _, s := range []string{protocolVersion, path, version} {
		f.head = hessian.AppendString(f.head, s)
	}
	for _, a := range [][2]string{
		{keyPath, path}, {keyInterface, iface}, {keyVersion, version}, {keyGroup, group}, {keyToken, u.Get(keyToken, "")},
		{keyApplication, application}, {keyRemoteApp, application},
	} {
		if a[1] != "" {
			f.constant = hessian.AppendString(hessian.AppendString(f.constant, a[0]), a[1])
		}
	}
	t.timeout = milliseconds(u.Get(keyTimeout, ""))
	for key, value := range u.All() {
		if method, ok := strings.CutSuffix(key, "."+keyTimeout); ok && milliseconds(value) > 0 && method != "default" {
			if t.methods == nil {
				t.methods = make(map[string]time.Duration)
			}
			t.methods[method] = milliseconds(value)
		}
	}
	return t
}

// milliseconds reads a timeout parameter; what is not a positive number counts as absent, as in Dubbo.
func milliseconds(s string) time.Duration {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// timeouts returns how long a call may take (limit), and the deadline that the pending table must keep itself (own): 0 when
// the context ends the call no later.
func (t *target) timeouts(ctx context.Context, inv *rpc.Invocation, def time.Duration) (own, limit time.Duration) {
	limit = t.timeout
	if m, ok := t.methods[inv.Method]; ok {
		limit = m
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		if limit == 0 {
			limit = def
		}
		return limit, limit
	}
	left := time.Until(deadline)
	if limit == 0 || left <= limit {
		return 0, left
	}
	return limit, limit
}

// reserved tells the attachments that the transport sets itself.
func reserved(key string) bool {
	switch key {
	case keyPath, keyInterface, keyVersion, keyGroup, keyTimeout, keyGeneric, keyToken, keyApplication, keyRemoteApp:
		return true
	}
	return false
}
