package directory

import (
	"errors"
	"net/netip"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
)

// ErrNoOneOf is what Configurators.Apply returns in dubbo-3.3 when a match block has a service or app part without
// "oneof": Dubbo raises a null pointer there (spec §9.3). Standard refuses such a document.
var ErrNoOneOf = errors.New("match block with a service or app part without oneof")

// matchTest is a compiled match block. It is immutable.
type matchTest struct {
	address, provider *addressTest
	service, app      *listTest
	params            []paramTest
}

type addressTest struct {
	m       *rule.AddressMatch
	pattern match.AddressPattern
	// readable is unset when the expression cannot be read.
	readable bool
}

type listTest struct {
	oneOf []func(text string, present bool) bool
	fails bool
}

type paramTest struct {
	key   string
	holds func(text string, present bool) bool
}

// newMatchTest compiles a match block; nil for none.
func newMatchTest(m *rule.ConfiguratorMatch, d dialect.Dialect) *matchTest {
	if m == nil {
		return nil
	}
	t := &matchTest{address: newAddressTest(m.Address, d), provider: newAddressTest(m.ProviderAddress, d),
		service: newListTest(m.Service), app: newListTest(m.App)}
	for _, p := range m.Param {
		t.params = append(t.params, paramTest{key: p.Key, holds: p.Value.Holder()})
	}
	return t
}

func newAddressTest(m *rule.AddressMatch, d dialect.Dialect) *addressTest {
	if m == nil {
		return nil
	}
	t := &addressTest{m: m}
	if m.Cird != nil {
		p, err := match.CompileAddress(*m.Cird, d)
		t.pattern, t.readable = p, err == nil
	}
	return t
}

func newListTest(m *rule.ListMatch) *listTest {
	if m == nil {
		return nil
	}
	t := &listTest{fails: !m.HasOneOf}
	for _, one := range m.OneOf {
		t.oneOf = append(t.oneOf, one.Holder())
	}
	return t
}

// holds tells whether all parts hold: host is that of the side that is configured.
func (t *matchTest) holds(host string, target durl.URL, d dialect.Dialect) (bool, error) {
	if t.address != nil && !t.address.holds(host, host, 0, d) {
		return false, nil
	}
	if t.provider != nil && !t.provider.holds(target.Address(), target.Host(), target.Port(), d) {
		return false, nil
	}
	if ok, err := t.service.holds(target.ServiceKey(), true); !ok || err != nil {
		return false, err
	}
	application, present := target.Param("application")
	if ok, err := t.app.holds(application, present); !ok || err != nil {
		return false, err
	}
	for _, p := range t.params {
		if v, ok := target.Param(p.key); !p.holds(v, ok) {
			return false, nil
		}
	}
	return true, nil
}

func (t *listTest) holds(text string, present bool) (bool, error) {
	if t == nil {
		return true, nil
	}
	if t.fails {
		return false, ErrNoOneOf
	}
	for _, one := range t.oneOf {
		if one(text, present) {
			return true, nil
		}
	}
	return false, nil
}

// holds compares whole (a host, or host:port) with the first of cird, wildcard and exact that is set. Dubbo reads a cird that
// meets a host:port, or that cannot be read, as if there were none; Standard compares host and port apart.
func (t *addressTest) holds(whole, host string, port int, d dialect.Dialect) bool {
	if c := t.m.Cird; c != nil {
		if whole == *c {
			return true
		}
		_, err := netip.ParseAddr(whole)
		switch {
		case d == dialect.Standard:
			return t.readable && t.pattern.Match(host, port)
		case t.readable && err == nil:
			return t.pattern.Match(whole, 0)
		}
	}
	if w := t.m.Wildcard; w != nil {
		return *w == "*" || *w == anyHost || match.Glob(*w, whole)
	}
	return t.m.Exact != nil && whole == *t.m.Exact
}
