package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// release is the Dubbo version that a consumer registers in its parameter "release" (2.7 on): major, minor, patch.
type release [3]int

// releaseOf reads the release of a registered URL; ok is false when it names none.
func releaseOf(u durl.URL) (r release, ok bool) {
	parts := strings.SplitN(u.Get("release", ""), ".", 3)
	if len(parts) < 3 {
		return r, false
	}
	for i, part := range parts {
		end := 0
		for end < len(part) && part[end] >= '0' && part[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(part[:end]) // "3-SNAPSHOT" is 3
		if err != nil {
			return r, false
		}
		r[i] = n
	}
	return r, true
}

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

// within reports whether r is one of the releases from low to high, both included.
func (r release) within(low, high release) bool {
	return slices.Compare(r[:], low[:]) >= 0 && slices.Compare(r[:], high[:]) <= 0
}

// leaksTags: the consumer URL takes on parameters of the first provider, its tag among them (spec §1.6, L38).
func (r release) leaksTags() bool {
	return r != release{2, 7, 9} && r.within(release{2, 7, 0}, release{2, 7, 15}) || r.within(release{3, 0, 0}, release{3, 0, 4})
}

// boundsLoad: consistent hashing goes on to the next server when one has more than its share (spec §11.2, L45).
func (r release) boundsLoad() bool {
	return r.within(release{2, 7, 15}, release{2, 7, 23}) || r.within(release{3, 0, 4}, release{3, 0, 9})
}

// squaresWarmup: the weight of a starting provider grows with the square of its time (spec §11.1, L45).
func (r release) squaresWarmup() bool { return r.within(release{2, 7, 15}, release{2, 7, 23}) }

// tagLeak looks at a consumer that takes the tag of a provider for its own (L38).
func (l *linter) tagLeak(u durl.URL, line string) {
	r, ok := releaseOf(u)
	if !ok || !r.leaksTags() || u.Get("dubbo.tag", "") != "" {
		return
	}
	for _, p := range l.o.World.Providers {
		if tag := p.Get("dubbo.tag", ""); tag != "" && p.Interface() == u.Interface() {
			l.add(diag.Warning, TagLeaks, param(line, "release"), "Dubbo "+r.String()+" can take the tag "+strconv.Quote(tag)+" of a provider for the consumer's own: calls without a tag then go to tagged providers only",
				"move the consumer to 2.7.16 or 3.0.5, or later, or list tagged providers in a tag document instead of giving them dubbo.tag")
			return
		}
	}
}

// releases looks at the consumers of a service that share its traffic (L45). lines are the list's.
func (l *linter) releases(consumers []durl.URL, lines []string) {
	for i, u := range consumers {
		mine, ok := releaseOf(u)
		if !ok {
			continue
		}
		for _, other := range consumers[:i] {
			theirs, ok := releaseOf(other)
			if !ok || other.ServiceKey() != u.ServiceKey() {
				continue
			}
			message := ""
			switch {
			case mine.boundsLoad() != theirs.boundsLoad() && l.configured(u, "loadbalance", "consistenthash"):
				message = "consistent hashing sends the same call to different providers: one of them bounds the load of a provider, the other does not"
			case mine.squaresWarmup() != theirs.squaresWarmup() && l.configured(u, "warmup", ""):
				message = "a starting provider gets different shares: the weight grows with the square of its time in one of them, evenly in the other"
			}
			if message == "" {
				continue
			}
			l.atLine(u, lines, func(line string) {
				l.add(diag.Info, ReleasesPart, param(line, "release"), "consumers of this service run Dubbo "+theirs.String()+" and "+mine.String()+": "+message,
					"let the consumers of one service run releases that agree: 2.7.15 to 2.7.23 and 3.0.4 to 3.0.9 bound the load, 2.7.15 to 2.7.23 square the warm-up")
			})
			break
		}
	}
}

// configured reports whether the consumer, a provider or an override of its service sets a parameter, to value unless that is "".
func (l *linter) configured(u durl.URL, key, value string) bool {
	has := func(x durl.URL) bool {
		v := x.Get(key, "")
		return v != "" && (value == "" || v == value)
	}
	return has(u) || slices.ContainsFunc(slices.Concat(l.o.World.Providers, l.o.World.Overrides), func(x durl.URL) bool {
		return (x.Interface() == u.Interface() || x.Interface() == "*") && has(x)
	})
}

// atLine calls say for the line that holds a URL, at its place in the list.
func (l *linter) atLine(u durl.URL, lines []string, say func(line string)) {
	for i, raw := range lines {
		if text := strings.TrimSpace(raw); decoded(text) == u.String() {
			l.line, l.column = i, strings.Index(raw, text)
			say(text)
			l.line, l.column = 0, 0
			return
		}
	}
}

// sharedChains looks at a script document of an application beside consumers of several services in one process (L39): from 3.2 on the routers of
// the last service made run for calls of the others, the script among them (spec §6.6).
func (l *linter) sharedChains() {
	key, err := rule.ParseKey(l.text.Key)
	if err != nil {
		return
	}
	type process struct{ application, host, pid string }
	provides := func(iface string) bool {
		return slices.ContainsFunc(l.o.World.Providers, func(p durl.URL) bool { return p.Interface() == iface && p.Get("application", "") == key.Target })
	}
	known := map[process][]string{}
	for _, u := range l.o.World.Consumers {
		r, ok := releaseOf(u)
		p := process{u.Get("application", ""), u.Host(), u.Get("pid", "")}
		if !ok || !r.within(release{3, 2, 0}, release{3, 3, 6}) || p.application == "" || slices.Contains(known[p], u.Interface()) {
			continue
		}
		for _, other := range known[p] {
			if provides(u.Interface()) != provides(other) {
				with, without := u.Interface(), other
				if provides(other) {
					with, without = other, u.Interface()
				}
				l.add(diag.Warning, ChainsShared, l.firstLine(), "one process of "+p.application+" on "+p.host+" calls "+with+", which this script is for, and "+without+
					", which it is not: Dubbo 3.2 and later share a router between the two, and the script can run for calls of the other",
					"let the script tell the services apart by invocation.getServiceName(), or call them from different processes", dialect.Dubbo33)
				return
			}
		}
		known[p] = append(known[p], u.Interface())
	}
}

// undeletable tells that Consul never reports a deletion (spec §10.5, L40).
func (l *linter) undeletable() {
	for _, u := range l.o.World.ConfigCentres {
		if u.Scheme() == "consul" {
			l.add(diag.Warning, DeletionUnseen, l.firstLine(), "Dubbo consumers never hear that a document was deleted in Consul ("+u.Address()+"): the rule stays in force until they restart",
				"to end the rule write enabled: false into it; delete it when every consumer was restarted", dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33)
			return
		}
	}
}

// firstLine is the place of a finding about a document as a whole: its first line that is no comment.
func (l *linter) firstLine() diag.Span {
	for i, line := range strings.Split(l.text.Text, "\n") {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			return diag.Span{Line: i + 1, Col: 1, EndLine: i + 1, EndCol: len(line) + 1}
		}
	}
	return diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}
}
