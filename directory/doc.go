// Package directory keeps the providers of one service: it joins what a registry and a config centre
// deliver, compiles it into a route.Snapshot and answers which provider a call goes to, and why.
//
// One goroutine per directory, the writer, owns all inputs. It takes whatever has arrived, in bursts of
// at most Options.Coalesce, and publishes one immutable generation (instances, rules, state) with one
// atomic store. A call loads that generation once and finishes on it; Pick neither locks nor allocates.
//
// What the writer does with a list of provider URLs (spec §8): classify, drop what is not for this
// consumer, merge with the consumer (§1.6), apply overrides (§9), compare with the instances it has.
// An unchanged provider keeps its *service.Instance; one that left is retired: its running calls
// finish first (Begin, End), then Hooks.Retired tells that its connection may close.
//
// Order of the instances: by address ("10.0.0.10:20880" before "10.0.0.9:20880": text order), then by
// the effective URL's canonical text. Whatever depends on "the first provider" in Dubbo, such as the
// application whose tag rule counts, uses this order.
//
// Nothing that goes wrong with an input changes the routing: a bad rule leaves the last good one in
// force, a list of which nothing can be used leaves the last list in force, a lost registry
// leaves everything in force. State tells all three.
package directory
