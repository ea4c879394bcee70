package route

import (
	"math"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/internal/bitset"
	"github.com/dubway-go/dubway/match"
	"github.com/dubway-go/dubway/rule"
)

// affinity emits an affinity rule (spec §3.7): keep the providers that have the consumer's value of one key, if they are enough.
//
// Standard reads it as the condition "=> key=$key" that is given up when too few would be left, and always when none would. Dubbo takes the
// consumer's value from its parameters only and for a pattern; without the parameter its router fails, and the rule does not count, as
// soon as one provider has the key; and with ratio 0 it keeps nobody when nobody matches.
func (c *compiler) affinity(router string, doc *rule.AffinityDocument) {
	if doc == nil {
		return
	}
	o := op{
		kind: opPrefer, router: router, origin: doc.Origin, span: doc.Span, text: doc.Affinity + "=$" + doc.Affinity,
		disabled: !doc.Enabled, verdict: Forced, special: &special{ratio: doc.Ratio},
	}
	if !o.disabled {
		c.preferred(&o, doc)
	}
	c.prog.ops = append(c.prog.ops, o)
}

// affinityApplication emits the router that 3.3.6 has for affinity rules of an application. There it reads the provider application's condition
// document in their stead, as if the router for that were in the chain twice (spec §3.7); Standard does what was meant.
func (c *compiler) affinityApplication() {
	if c.in.Dialect == dialect.Standard {
		c.affinity(RouterAffinityApplication, c.in.Rules.AffinityApplication)
		return
	}
	c.document(RouterAffinityApplication, c.in.Rules.ProviderApplication)
}

// affinityUnread reports affinity documents that no router reads.
func (c *compiler) affinityUnread(r *Rules) {
	const hint = "write a condition without force in their stead: \"=> region=$region\""
	if r.Affinity != nil && !c.in.Chain.Has(RouterAffinityService) {
		c.note(r.Affinity.Origin, diag.Span{}, diag.Warning, diag.AffinityUnread, "affinity rules are not read by "+c.in.Dialect.String()+" consumers", hint)
	}
	if r.AffinityApplication != nil && (c.in.Dialect != dialect.Standard || !c.in.Chain.Has(RouterAffinityApplication)) {
		c.note(r.AffinityApplication.Origin, diag.Span{}, diag.Warning, diag.AffinityUnread,
			"affinity rules of an application are not read by "+c.in.Dialect.String()+" consumers", hint)
	}
}

// preferred works out which providers an affinity rule prefers.
func (c *compiler) preferred(o *op, doc *rule.AffinityDocument) {
	u, key := c.in.Consumer.URL, doc.Affinity
	index := c.index(key)
	o.preferred = bitset.Make(c.n)
	if c.in.Dialect == dialect.Standard {
		value, ok := u.Raw(key)
		if key == "address" {
			value, ok = u.Address(), true
		}
		if !ok || value == "" {
			o.never = "the consumer has no " + key
			return
		}
		c.among(o.preferred, key, match.Compile("$"+key, match.Options{Right: true, Consumer: u}))
	} else {
		value, ok := u.Param(key)
		if ok {
			c.among(o.preferred, key, match.Compile(value, match.Options{Dialect: c.in.Dialect, Right: true, Consumer: u}))
		} else if index.CountAbsent() < c.n {
			// One provider with the key is enough to make the router fail; it then passes on what it was given.
			present := bitset.Make(c.n)
			index.AddAbsent(present)
			present.Not(c.n)
			o.unless = present
		}
		o.empties = true
	}
	o.parts = []part{{key: key, kept: kept{o.text, members{bits: o.preferred}}}}
}

// among adds the providers whose value of key matches.
func (c *compiler) among(dst bitset.Set, key string, p match.Pattern) {
	index := c.index(key)
	for v := range index.Values() {
		if p.Match(index.Value(v), true) {
			index.AddValue(dst, v)
		}
	}
}

// prefer keeps the preferred candidates when their share is large enough; sc.cand is not empty.
func (o *op) prefer(sc *scratch) outcome {
	if o.unless != nil && sc.cand.Intersects(o.unless) {
		return outcome{reason: ReasonNotMatched, detail: "the consumer has no value to compare with"}
	}
	all, kept := sc.cand.Count(), sc.cand.AndCount(o.preferred)
	enough := float64(kept)/float64(all) >= o.ratio/100
	if math.IsNaN(o.ratio) || !enough || kept == 0 && !o.empties {
		return outcome{reason: ReasonTooFew}
	}
	sc.cand.And(o.preferred)
	return outcome{reason: ReasonPreferred}
}
