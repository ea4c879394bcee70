package directory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// anyHost in an override means every host.
const anyHost = "0.0.0.0"

// ErrNoSide is what Configurators.Apply returns in the dialects from 2.7 to 3.3 for a target without
// the parameter "side" when a rule with a configVersion meets it: Dubbo raises a null pointer there. Standard does
// not apply such a rule.
var ErrNoSide = errors.New("override with configVersion meets a URL without side")

// ErrNoService is what Configurators.Apply returns in dubbo-3.3 when a rule without path and interface meets a target that its host, provider
// addresses and application fit: Dubbo raises a null pointer there. The earlier dialects apply such a rule to every service.
var ErrNoService = errors.New("override without path and interface")

// Configurators is a list of override rules of one source, in the order in which they apply: by host
// text, then by priority, so that 0.0.0.0 comes before a specific host and a larger priority wins
// (spec §9.4). It is immutable. The zero value changes nothing.
type Configurators struct {
	list    []configurator
	dialect dialect.Dialect
}

// configurator is one override:// or absent:// URL.
type configurator struct {
	url      durl.URL
	absent   bool
	priority int
	// noPriority is set when the priority is no number.
	noPriority bool
	// conditions are the parameters that the target must have; set are those that it gets.
	conditions, set []durl.Param
	// noService is set when neither a path nor an interface says what the rule is about.
	noService bool
	// match is the match block of a rule from a document, nil when there is none.
	match *matchTest
	// origin and span are its place; no name for a URL of the registry.
	origin rule.Origin
	span   diag.Span
}

// place returns where the rule stands.
func (r *configurator) place() *OverridePlace {
	if r.origin.Name == "" {
		return &OverridePlace{Source: "registry", Rule: r.url.Redacted()}
	}
	return &OverridePlace{Source: r.origin.Source, Rule: r.origin.Name, Rev: r.origin.Rev, Line: r.span.Line, Col: r.span.Col}
}

// ParseConfigurators reads a list of configurator URLs (spec §9.1): override:// overwrites, absent://
// fills in, empty:// clears what was read before it and ends the list. A URL without parameters
// changes nothing; in dubbo-2.6 it clears what was read before it.
//
// A URL that cannot be used is left out and reported as an Error. In the Dubbo dialects these make the whole list fail, as
// there, and ok is false: a scheme of another kind; a priority that is no number beside a rule for the same host; a rule without host beside any other.
func ParseConfigurators(urls []durl.URL, d dialect.Dialect) (c Configurators, findings diag.List, ok bool) {
	list := make([]rule.Override, len(urls))
	for i, u := range urls {
		list[i].URL = u
	}
	return parseOverrides(list, d, rule.Origin{})
}

// DocumentConfigurators returns the overrides of a configurator document (spec §9.5), which must have been read in dialect d.
// From a config centre Dubbo 3 and Standard take no guarded parameters (rule.GuardedParameter); guard leaves them out. Findings and
// ok are those of ParseConfigurators; the findings stand at their places in the document.
func DocumentConfigurators(doc *rule.ConfiguratorDocument, d dialect.Dialect, guard bool) (c Configurators, findings diag.List, ok bool) {
	list := doc.Overrides
	if guard && d != dialect.Dubbo27 && d != dialect.Dubbo26 {
		list = make([]rule.Override, len(doc.Overrides))
		for i, o := range doc.Overrides {
			var guarded []string
			for k := range o.URL.All() {
				if rule.GuardedParameter(k) {
					guarded = append(guarded, k)
				}
			}
			if len(guarded) > 0 {
				o.URL = o.URL.Without(guarded...)
			}
			list[i] = o
		}
	}
	return parseOverrides(list, d, doc.Origin)
}

// parseOverrides sorts the overrides of one source; from is the document that they come from, zero for a registry.
func parseOverrides(list []rule.Override, d dialect.Dialect, from rule.Origin) (c Configurators, findings diag.List, ok bool) {
	c.dialect = d
	for _, o := range list {
		u := o.URL
		place := from.Name
		if place == "" {
			place = u.Redacted()
		}
		switch u.Scheme() {
		case "empty":
			return Configurators{dialect: d}, findings, true
		}
		if u.Without("anyhost").Len() == 0 {
			if d == dialect.Dubbo26 {
				c.list = nil
			}
			continue
		}
		if u.Scheme() != "override" && u.Scheme() != "absent" {
			findings = append(findings, diag.Diagnostic{Code: diag.OverrideKind, File: place, Span: o.Span,
				Message: fmt.Sprintf("unknown kind of configurator %q", u.Scheme()), Hint: "use override:// or absent://"})
			if d != dialect.Standard {
				return Configurators{dialect: d}, findings, false
			}
			continue
		}
		priority, err := u.Int("priority", 0)
		if err != nil {
			finding := diag.Diagnostic{Code: diag.OverridePriority, File: place, Span: o.Span,
				Message: fmt.Sprintf("priority of an override is no number: %q", u.Get("priority", "")), Hint: "use a whole number; the larger one wins"}
			findings = append(findings, finding)
			if d == dialect.Standard {
				continue
			}
		}
		if d == dialect.Standard && u.Get("configVersion", "") != "" && u.Side() == "" {
			findings = append(findings, diag.Diagnostic{Code: diag.OverrideNoSide, Severity: diag.Warning, File: place, Span: o.Span,
				Message: "an override with configVersion but without side never applies", Hint: "add side=consumer or side=provider"})
		}
		one := newConfigurator(u, priority, d)
		one.noPriority = err != nil
		one.match = newMatchTest(o.Match, d)
		one.origin, one.span = from, o.Span
		c.list = append(c.list, one)
	}
	slices.SortStableFunc(c.list, func(a, b configurator) int {
		return cmp.Or(strings.Compare(a.url.Host(), b.url.Host()), cmp.Compare(a.priority, b.priority))
	})
	if d != dialect.Standard && !c.comparable() {
		return Configurators{dialect: d}, findings, false
	}
	return c, findings, true
}

// comparable reports whether Java can sort the list, which is sorted here: it compares hosts, which must not be absent, and priorities,
// which must be numbers, only where two hosts are equal. A list of one is not sorted.
func (c Configurators) comparable() bool {
	for i := 1; i < len(c.list); i++ {
		a, b := &c.list[i-1], &c.list[i]
		if a.url.Host() == "" || b.url.Host() == "" || a.url.Host() == b.url.Host() && (a.noPriority || b.noPriority) {
			return false
		}
	}
	return true
}

// newConfigurator splits the parameters into conditions and settings (spec §9.2).
func newConfigurator(u durl.URL, priority int, d dialect.Dialect) configurator {
	c := configurator{url: u, absent: u.Scheme() == "absent", priority: priority, noService: u.Interface() == "" && !namesPath(u)}
	// Under v3.0 Dubbo looks at the match block only, and then takes "~key" for a parameter to set.
	matchBlock := d == dialect.Dubbo33 && strings.HasPrefix(u.Get("configVersion", ""), "v3.0")
	for k, v := range u.All() {
		tilde := strings.HasPrefix(k, "~")
		if (tilde || k == "application" || k == "side") && v != "*" && !matchBlock {
			c.conditions = append(c.conditions, durl.Param{Key: strings.TrimPrefix(k, "~"), Value: v})
		}
		switch {
		case tilde && !matchBlock:
			continue
		case k == "category" || k == "check" || k == "dynamic" || k == "enabled" || k == "application" || k == "side":
			continue
		}
		if d != dialect.Dubbo26 {
			switch k {
			case "group", "version", "configVersion", "compatible_config", "interfaces":
				continue
			}
		}
		c.set = append(c.set, durl.Param{Key: k, Value: v})
	}
	return c
}

// namesPath reports whether u has a path, which may be empty: "override://0.0.0.0/?timeout=1".
func namesPath(u durl.URL) bool {
	text, _, _ := strings.Cut(u.String(), "?")
	_, text, _ = strings.Cut(text, "://")
	return strings.Contains(text, "/")
}

// Len returns the number of rules.
func (c Configurators) Len() int { return len(c.list) }

// Apply returns target with every matching rule applied in order; a later one wins. localHost is the
// consumer's own address. The errors are ErrNoSide, ErrNoOneOf and ErrNoService.
func (c Configurators) Apply(target durl.URL, localHost string) (durl.URL, error) {
	out, _, err := c.applyBoth(target, durl.URL{}, localHost)
	return out, err
}

// applyBoth applies the rules to target, and whatever they change there also to mirror, unless that is zero.
// The conditions of the rules look at target only.
func (c Configurators) applyBoth(target, mirror durl.URL, localHost string) (durl.URL, durl.URL, error) {
	for i := range c.list {
		r := &c.list[i]
		set, err := r.sets(target, localHost, c.dialect)
		if err != nil {
			return target, mirror, err
		}
		if len(set) == 0 {
			continue
		}
		target = target.WithParams(set...)
		if !mirror.IsZero() {
			mirror = mirror.WithParams(set...)
		}
	}
	return target, mirror, nil
}

// sets returns the parameters that the rule sets on target: none when it is not about it.
func (r *configurator) sets(target durl.URL, localHost string, d dialect.Dialect) ([]durl.Param, error) {
	ok, err := r.matches(target, localHost, d)
	if err != nil || !ok {
		return nil, err
	}
	if !r.absent {
		return r.set, nil
	}
	var set []durl.Param
	for _, p := range r.set {
		if _, has := target.Param(p.Key); !has {
			set = append(set, p)
		}
	}
	return set, nil
}

// matches tells whether the rule applies to target (spec §9.2).
func (r *configurator) matches(target durl.URL, localHost string, d dialect.Dialect) (bool, error) {
	if d != dialect.Dubbo26 && !r.url.Bool("enabled", true) {
		return false, nil
	}
	if r.url.Host() == "" || target.Host() == "" {
		return false, nil
	}
	if d != dialect.Dubbo26 && r.url.Get("configVersion", "") != "" {
		host, ok, err := r.versionedHost(target, localHost, d)
		if err != nil || !ok {
			return false, err
		}
		return r.matchesHost(host, target, d)
	}
	if port := r.url.Port(); port != 0 {
		if target.Port() != port {
			return false, nil
		}
		return r.matchesHost(target.Host(), target, d)
	}
	switch side, _ := target.Param("side"); side {
	case "consumer":
		return r.matchesHost(localHost, target, d)
	case "provider":
		return r.matchesHost(anyHost, target, d)
	}
	return false, nil
}

// versionedHost returns the host that a rule with a configVersion is compared with; ok is false when it does not apply.
func (r *configurator) versionedHost(target durl.URL, localHost string, d dialect.Dialect) (host string, ok bool, err error) {
	side, present := target.Param("side")
	if !present {
		if d == dialect.Standard {
			return "", false, nil
		}
		return "", false, ErrNoSide
	}
	if want, _ := r.url.Param("side"); side != want {
		return "", false, nil
	}
	ports := d == dialect.Dubbo27 || d == dialect.Dubbo31
	switch {
	case side == "consumer" && (!ports || r.url.Port() == 0):
		return localHost, true, nil
	case side == "provider" && (!ports || r.url.Port() == target.Port()):
		return target.Host(), true, nil
	}
	return "", false, nil
}

// matchesHost compares the host, then everything else that a rule can ask for.
func (r *configurator) matchesHost(host string, target durl.URL, d dialect.Dialect) (bool, error) {
	if own := r.url.Host(); own != anyHost && own != host {
		return false, nil
	}
	if d != dialect.Dubbo26 && !matchesProviders(r.url.Get("providerAddresses", ""), target, d) {
		return false, nil
	}
	if want := r.url.Get("application", r.url.User()); want != "" && want != "*" && want != target.Get("application", target.User()) {
		return false, nil
	}
	if r.noService && d == dialect.Dubbo33 {
		return false, ErrNoService
	}
	if !r.matchesService(target, d) {
		return false, nil
	}
	for _, p := range r.conditions {
		if v, ok := target.Param(p.Key); !ok || v != p.Value {
			return false, nil
		}
	}
	if r.match == nil {
		return true, nil
	}
	return r.match.holds(host, target, d)
}

// matchesService compares service keys: from 3.2 on they must be equal, before that they are not looked at. Standard
// compares what the rule names: a rule without group or version is for all of them (spec §9.2).
func (r *configurator) matchesService(target durl.URL, d dialect.Dialect) bool {
	switch d {
	case dialect.Dubbo33:
		key := r.url.ServiceKey()
		return key == "*" || key == target.ServiceKey()
	case dialect.Standard:
		iface := r.url.Interface()
		return (iface == "*" || iface == "" || iface == target.Interface()) &&
			namedEqual(r.url.Group(), target.Group()) && namedEqual(r.url.Version(), target.Version())
	}
	return true
}

func namedEqual(rule, target string) bool { return rule == "" || rule == "*" || rule == target }

// matchesProviders tests the list of provider addresses of a rule; 2.7 to 3.1 search the target's address in the text
// of the whole list (spec §9.2).
func matchesProviders(list string, target durl.URL, d dialect.Dialect) bool {
	if list == "" {
		return true
	}
	if d == dialect.Dubbo27 || d == dialect.Dubbo31 {
		return strings.Contains(list, target.Address()) || strings.Contains(list, anyHost)
	}
	for item := range strings.SplitSeq(list, ",") {
		switch strings.TrimSpace(item) {
		case target.Address(), target.Host(), anyHost, anyHost + ":*":
			return true
		case fmt.Sprintf("%s:%d", anyHost, target.Port()):
			return true
		}
	}
	return false
}
