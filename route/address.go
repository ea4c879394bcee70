package route

import (
	"net/netip"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
)

// addressPriority is the place of the address router: after everything else (spec §6.2).
const addressPriority = 180

// Branches of the address subject: the call wants no address; Dubbo fails on what it has there; no provider has it; then the addresses.
const (
	addressAny uint32 = iota
	addressFails
	addressNowhere
	addressFirst
)

// WithAddress returns the chain with the address router, which keeps the providers at the address that a call asks for with the attachment
// rpc.AddressKey. In Dubbo 2.7 a consumer has it whose URL has a parameter "address" or names it in "router" (spec §6.1).
func (c Chain) WithAddress() Chain { return c.with(Stage{RouterAddress, addressPriority}) }

// wantsAddress reports whether a consumer's parameters turn the address router on: "address", also of one method only, with a value that says something.
func wantsAddress(u durl.URL, d dialect.Dialect) bool {
	if d != dialect.Dubbo27 && d != dialect.Standard {
		return false
	}
	for key, value := range u.All() {
		if key != RouterAddress && !strings.HasSuffix(key, "."+RouterAddress) {
			continue
		}
		switch strings.ToLower(value) {
		case "", "false", "0", "null", "n/a":
		default:
			return true
		}
	}
	return false
}

// addressPlan finds the branch of a call. It is immutable.
type addressPlan struct {
	known map[netip.AddrPort]*class
	// texts is set where an address may be given as text "ip:port" (Standard).
	texts          bool
	fails, nowhere *class
}

// classOf judges a call. It does not allocate.
func (p *addressPlan) classOf(inv *rpc.Invocation, absent *class) *class {
	for i := range inv.Attachments {
		if inv.Attachments[i].Key != rpc.AddressKey {
			continue
		}
		var at netip.AddrPort
		switch v := inv.Attachments[i].Value.(type) {
		case nil:
			return absent
		case netip.AddrPort:
			at = v
		case string:
			var err error
			if at, err = netip.ParseAddrPort(v); err != nil || !p.texts {
				return p.fails
			}
		default:
			return p.fails
		}
		if c := p.known[at]; c != nil {
			return c
		}
		return p.nowhere
	}
	return absent
}

// address emits the address router (spec §6.1): a call that asks for an address goes to the providers there, and to nobody when there is none.
func (c *compiler) address() {
	at := c.subject(subjectKey{kind: subjectAddress})
	s := c.prog.subjects[at]
	fixed := func(branch uint32) *class { return &class{id: c.ids.Add(1), branch: branch} }
	p := &addressPlan{known: make(map[netip.AddrPort]*class), texts: c.in.Dialect == dialect.Standard, fails: fixed(addressFails), nowhere: fixed(addressNowhere)}
	s.absent, s.address = fixed(addressAny), p
	o := op{kind: opAddress, router: RouterAddress, verdict: Forced, force: true, special: &special{first: at}}
	for i := range c.n {
		in := c.in.Set.At(i)
		if !in.IP().IsValid() {
			continue // a host name: names are never looked up
		}
		key := netip.AddrPortFrom(in.IP(), uint16(in.Port()))
		k := p.known[key]
		if k == nil {
			k = fixed(addressFirst + uint32(len(o.places)))
			p.known[key] = k
			o.places = append(o.places, place{at: key})
		}
		one := &o.places[k.branch-addressFirst]
		one.members = append(one.members, uint32(i))
	}
	c.prog.ops = append(c.prog.ops, o)
}

// place is one address and who is there.
type place struct {
	at      netip.AddrPort
	members []uint32
}

// pin keeps who is at the wanted address.
func (o *op) pin(classes []*class, sc *scratch) outcome {
	switch branch := classes[o.first].branch; branch {
	case addressAny:
		return outcome{reason: ReasonPassed}
	case addressFails:
		sc.cand.Clear()
		return outcome{reason: ReasonFailed, detail: "the attachment " + rpc.AddressKey + " is no address"}
	case addressNowhere:
		sc.cand.Clear()
		return outcome{reason: ReasonForced, detail: "no provider has the wanted address"}
	default:
		one := &o.places[branch-addressFirst]
		sc.tmp.Clear()
		for _, i := range one.members {
			sc.tmp.Add(int(i))
		}
		sc.cand.And(sc.tmp)
		if !sc.cand.Any() {
			return outcome{reason: ReasonForced, detail: one.at.String()}
		}
		return outcome{reason: ReasonKept, detail: one.at.String()}
	}
}
