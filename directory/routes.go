package directory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
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
	inForce []routeRule
	// rejected are the URLs of the present list that cannot be used.
	rejected []Rejected
	parsed   map[string]routeRule
}

type routeRule struct {
	place    string
	document *rule.ConditionDocument // nil when unusable
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
			one = parseRoute(e, r.dialect)
		}
		parsed[e.text] = one
		if one.document != nil {
			next = append(next, one)
			continue
		}
		badPlaces[one.place] = true
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
		return cmp.Or(cmp.Compare(a.document.Priority, b.document.Priority), strings.Compare(a.origin.Name, b.origin.Name))
	})
	changed = !slices.EqualFunc(r.inForce, next, func(a, b routeRule) bool { return a.document == b.document })
	r.inForce, r.parsed = next, parsed
	return changed, refused
}

// documents returns the rules in force, by priority and text.
func (r *routes) documents() []*rule.ConditionDocument {
	if len(r.inForce) == 0 {
		return nil
	}
	out := make([]*rule.ConditionDocument, len(r.inForce))
	for i := range r.inForce {
		out[i] = r.inForce[i].document
	}
	return out
}

// byRuntime splits the rules in force by when 2.6 evaluates them: at the notification, or for each call (spec §7.1).
func (r *routes) byRuntime() (early, late []*rule.ConditionDocument) {
	for i := range r.inForce {
		if r.inForce[i].runtime {
			late = append(late, r.inForce[i].document)
		} else {
			early = append(early, r.inForce[i].document)
		}
	}
	return early, late
}

func parseRoute(e *entry, d dialect.Dialect) routeRule {
	r := routeRule{place: placeOf(e.url), runtime: e.url.Bool("runtime", false), origin: rule.Origin{Source: "registry", Name: e.text}}
	if d == dialect.Dubbo31 || d == dialect.Dubbo33 {
		r.findings = diag.List{{Code: diag.RouteURLUnread, File: e.url.Redacted(), Message: "Dubbo 3.0.5 and later read no rule URLs from the registry",
			Hint: "put the rule into the config centre, or use another dialect"}}
		return r
	}
	r.document, r.findings = rule.ParseRouteURL(e.text, d)
	return r
}

// placeOf is what tells one rule URL from another when its rule text changes.
func placeOf(u durl.URL) string {
	return strings.Join([]string{u.Scheme(), u.Address(), u.Interface(), u.Get("router", ""), u.Get("name", ""), u.Group(), u.Version()}, "\x00")
}
