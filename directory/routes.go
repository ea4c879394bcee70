package directory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
)

// routes are the rule URLs of the registry's category "routers" (spec §1.4, §8.3).
//
// Life cycle. In dubbo-2.6 and dubbo-2.7 a new list replaces the old one and an unusable URL counts as nothing; from
// dubbo-3.1 on every rule URL is unusable (spec §12.1 Q23). Standard applies them as 2.7 does, with one
// repair: when a URL is unusable, the good rules that it replaces (same place, name, group and version; no
// longer listed) stay in force until that place holds a usable rule, or none.
type routes struct {
	dialect dialect.Dialect
	scripts *scripts
	inForce []routeRule
	// rejected are the URLs of the present list that cannot be used.
	rejected []Rejected
	parsed   map[string]routeRule
}

type routeRule struct {
	place    string
	document *rule.ConditionDocument // nil when it is none, or unusable
	script   scriptState             // zero when it is none, or unusable
	runtime  bool                    // evaluated for each call also in 2.6
	origin   rule.Origin
	findings diag.List
}

// Rejected is a rule or override that was refused; what it should have replaced stays in force.
type Rejected struct {
	Origin   rule.Origin `json:"origin"`
	Findings diag.List   `json:"findings"`
}

// replace puts a new list in force. It returns whether the rules changed and what was newly refused.
func (r *routes) replace(list []*entry) (changed bool, refused []Rejected) {
	parsed := make(map[string]routeRule, len(list))
	var next []routeRule
	badPlaces := map[string]bool{}
	before := r.rejected
	r.rejected = nil
	for _, e := range list {
		if _, twice := parsed[e.text]; twice || e.kind != kindRouter {
			continue
		}
		one, known := r.parsed[e.text]
		if !known {
			one = r.parse(e)
		}
		parsed[e.text] = one
		if one.usable() {
			next = append(next, one)
		}
		switch {
		case !one.usable():
			badPlaces[one.place] = true
		case !one.off():
			continue
		}
		bad := Rejected{one.origin, one.findings}
		r.rejected = append(r.rejected, bad)
		if !slices.ContainsFunc(before, func(b Rejected) bool { return b.Origin == bad.Origin }) {
			refused = append(refused, bad)
		}
	}
	if r.dialect == dialect.Standard && len(badPlaces) > 0 {
		for _, old := range r.inForce {
			if _, listed := parsed[old.origin.Name]; !listed && badPlaces[old.place] {
				next = append(next, old)
			}
		}
	}
	slices.SortFunc(next, func(a, b routeRule) int {
		return cmp.Or(cmp.Compare(a.priority(), b.priority()), strings.Compare(a.origin.Name, b.origin.Name))
	})
	changed = !slices.EqualFunc(r.inForce, next, func(a, b routeRule) bool { return a.document == b.document && a.script.filter == b.script.filter })
	held := r.held()
	r.inForce, r.parsed = next, parsed
	now := r.held()
	for _, old := range held {
		if !slices.Contains(now, old) {
			r.scripts.retire(old)
		}
	}
	return changed, refused
}

// usable reports whether there is a rule at all.
func (r *routeRule) usable() bool { return r.document != nil || r.script.filter != nil }

// off reports whether the rule is a script and scripts are switched off.
func (r *routeRule) off() bool {
	return r.script.filter != nil && r.script.filter.Passes == route.ReasonScriptsOff
}

func (r *routeRule) priority() int {
	if r.document != nil {
		return r.document.Priority
	}
	return r.script.filter.Priority
}

// held are the script rules of the present list, and those that stay in force in place of a bad one.
func (r *routes) held() []route.ScriptRule {
	var out []route.ScriptRule
	add := func(one routeRule) {
		if s := one.script.rule; s != nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, one := range r.parsed {
		add(one)
	}
	for _, one := range r.inForce {
		add(one)
	}
	return out
}

// active counts the rules that take part in routing.
func (r *routes) active() (n int) {
	for i := range r.inForce {
		if !r.inForce[i].off() {
			n++
		}
	}
	return n
}

// urlRules are rule URLs, by what they are, each by priority and text.
type urlRules struct {
	conditions []*rule.ConditionDocument
	scripts    []*route.FilterRule
}

func (u *urlRules) add(r *routeRule) {
	if r.document != nil {
		u.conditions = append(u.conditions, r.document)
	} else {
		u.scripts = append(u.scripts, r.script.filter)
	}
}

func (u *urlRules) empty() bool { return len(u.conditions)+len(u.scripts) == 0 }

// documents returns the conditions in force.
func (r *routes) documents() []*rule.ConditionDocument { return r.all().conditions }

// filters returns the scripts in force.
func (r *routes) filters() []*route.FilterRule { return r.all().scripts }

func (r *routes) all() (out urlRules) {
	for i := range r.inForce {
		out.add(&r.inForce[i])
	}
	return out
}

// byRuntime splits the rules in force by when 2.6 evaluates them: at the notification, or for each call (spec §7.1).
func (r *routes) byRuntime() (early, late urlRules) {
	for i := range r.inForce {
		if r.inForce[i].runtime {
			late.add(&r.inForce[i])
		} else {
			early.add(&r.inForce[i])
		}
	}
	return early, late
}

// parse reads one rule URL.
func (r *routes) parse(e *entry) routeRule {
	d := r.dialect
	one := routeRule{place: placeOf(e.url), runtime: e.url.Bool("runtime", false), origin: rule.Origin{Source: "registry", Name: e.text}}
	switch {
	case d == dialect.Dubbo31 || d == dialect.Dubbo33:
		one.findings = diag.List{{Code: diag.RouteURLUnread, File: e.url.Redacted(), Message: "Dubbo 3.0.5 and later read no rule URLs from the registry",
			Hint: "put the rule into the config centre, or use another dialect"}}
	case isScriptURL(e.url):
		doc, findings := rule.ParseScriptURL(e.text, d)
		if one.findings = findings; doc != nil {
			var more diag.List
			one.script, more, _ = r.scripts.replace(scriptState{}, doc)
			one.findings = append(one.findings, more...)
		}
	default:
		one.document, one.findings = rule.ParseRouteURL(e.text, d)
	}
	return one
}

// placeOf is what tells one rule URL from another when its rule text changes.
func placeOf(u durl.URL) string {
	return strings.Join([]string{u.Scheme(), u.Address(), u.Interface(), u.Get("router", ""), u.Get("name", ""), u.Group(), u.Version()}, "\x00")
}
