package route_test

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// meshError is what Dubbo throws at a call: the whole call finds nobody. In standard such a test does not hold.
type meshError struct{}

// mesh: spec §6.5. Every application with rules says where the call goes; the answers are united, and what no answer names goes.
func (n *naive) mesh(in []int) (out []int) {
	if len(in) == 0 {
		return in
	}
	failed := false
	var chosen []int
	answered := false
	for _, app := range slices.Sorted(maps.Keys(n.rules.Mesh)) {
		doc := n.rules.Mesh[app]
		if doc == nil || len(doc.Services) == 0 || app == "" || app == "unknown" {
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					if _, thrown := r.(meshError); !thrown {
						panic(r)
					}
					failed = true
				}
			}()
			entry := n.meshEntry(doc)
			if entry == nil || !entry.HasRoute {
				return
			}
			if subset, ok := n.meshDestination(doc, app, entry.Route, in); ok {
				chosen, answered = append(chosen, subset...), true
			}
		}()
		if failed {
			n.note("mesh failed")
			return []int{}
		}
	}
	if !answered {
		return in
	}
	return filter(in, func(i int) bool { return slices.Contains(chosen, i) })
}

// meshEntry finds the first entry of the first rule for the service that accepts the call.
func (n *naive) meshEntry(doc *rule.MeshDocument) *rule.MeshEntry {
	name := n.consumer.Interface()
	if n.meshGeneric() {
		name = "org.apache.dubbo.rpc.service.GenericService"
	}
	for _, v := range doc.Services {
		if v.Broken {
			panic(meshError{})
		}
		for _, r := range v.Routes {
			if r.Broken {
				panic(meshError{})
			}
			if len(r.Services) > 0 && !slices.ContainsFunc(r.Services, func(t rule.MeshText) bool { return n.meshText(t, &name) }) {
				continue
			}
			for i := range r.Details {
				if r.Details[i].Broken {
					panic(meshError{})
				}
				if !slices.ContainsFunc(r.Details[i].Match, func(m rule.MeshRequest) bool { return !n.meshHolds(m) }) {
					return &r.Details[i]
				}
			}
			return nil // later rules are not tried
		}
	}
	return nil
}

func (n *naive) meshGeneric() bool { return !n.inv.Direct && n.d != dialect.Standard }

// meshHolds is one match request; what Dubbo throws at does not hold in standard.
func (n *naive) meshHolds(m rule.MeshRequest) (holds bool) {
	if n.d == dialect.Standard {
		defer func() {
			if r := recover(); r != nil {
				if _, thrown := r.(meshError); !thrown {
					panic(r)
				}
				holds = false
			}
		}()
	}
	if m.Broken {
		panic(meshError{})
	}
	if m.Method != nil && !n.meshMethod(m.Method) {
		return false
	}
	for _, l := range m.SourceLabels {
		if l.Broken {
			panic(meshError{})
		}
		if v, ok := n.consumer.Param(l.Key); !ok || v != l.Value {
			return false
		}
	}
	for _, a := range m.Attachments {
		var value *string
		if v, ok := n.inv.Attachments.Get(a.Key); ok {
			value = &v
		}
		if !n.meshText(a.Value, value) {
			return false
		}
	}
	return !m.Tracing
}

func (n *naive) meshMethod(m *rule.MeshMethod) bool {
	args, types := n.inv.Args, n.inv.ParamTypes
	if n.meshGeneric() {
		args = []any{n.inv.Method, []string{}, []any{}}
		types = []string{"java.lang.String", "[Ljava.lang.String;", "[Ljava.lang.Object;"}
	}
	name := n.inv.Method
	if n.meshGeneric() && n.d == dialect.Dubbo31 { // the real name is looked up since 3.2
		name = "$invoke"
	}
	if m.Name != nil && !n.meshText(*m.Name, &name) {
		return false
	}
	if m.Count != nil && *m.Count != len(args) {
		return false
	}
	if len(m.Types) > 0 {
		if len(types) != len(m.Types) {
			return false
		}
		for i, t := range m.Types {
			simple := types[i][strings.LastIndex(types[i], ".")+1:]
			if !n.meshText(t, &types[i]) && !n.meshText(t, &simple) {
				return false
			}
		}
	}
	for _, a := range m.Args {
		if len(args) == 0 {
			return false
		}
		if a.Index < 0 || a.Index >= len(args) || a.Broken {
			panic(meshError{})
		}
		if !n.meshArg(a, args[a.Index]) {
			return false
		}
	}
	return true
}

func (n *naive) meshArg(a rule.MeshArg, arg any) bool {
	text, isText := arg.(string)
	switch {
	case a.Texts != nil:
		return isText && slices.ContainsFunc(*a.Texts, func(t rule.MeshText) bool { return n.meshText(t, &text) })
	case a.Numbers != nil:
		var number float64
		switch v := arg.(type) {
		case string:
			parsed, err := strconv.ParseFloat(v, 64)
			if err != nil {
				panic(meshError{})
			}
			number = parsed
		case int64:
			number = float64(v)
		case int32:
			number = float64(v)
		default:
			panic(meshError{}) // null, boolean, arrays
		}
		return slices.ContainsFunc(*a.Numbers, func(m rule.MeshNumber) bool {
			switch {
			case m.Broken:
				panic(meshError{})
			case m.Exact != nil && m.Mod == nil:
				return number == *m.Exact
			case m.HasRange && (m.From == nil && m.To == nil):
				return false
			case m.HasRange:
				return !(m.From != nil && number < *m.From) && !(m.To != nil && number >= *m.To)
			case m.Exact != nil:
				return math.Mod(number, *m.Mod) == *m.Exact
			}
			return false
		})
	case a.Bool != nil:
		b, isBool := arg.(bool)
		return isBool && b == *a.Bool
	}
	return false
}

// meshText is a string match; a nil value is Java's null.
func (n *naive) meshText(m rule.MeshText, value *string) bool {
	if m.Broken {
		panic(meshError{})
	}
	if value != nil {
		switch {
		case m.Exact != nil:
			return *value == *m.Exact
		case m.Prefix != nil:
			return strings.HasPrefix(*value, *m.Prefix)
		case m.Regex != nil:
			re, err := regexp.Compile(`\A(?:` + *m.Regex + `)\z`)
			if err != nil {
				panic(meshError{})
			}
			return re.MatchString(*value)
		case m.Wildcard != nil && n.d != dialect.Dubbo31: // since 3.2
			return *m.Wildcard == "*" || *m.Wildcard == *value
		}
	}
	blank := value == nil || *value == ""
	switch {
	case m.Empty != nil:
		return blank
	case m.NoEmpty != nil:
		return !blank
	}
	return false
}

// meshDestination draws. Dubbo takes the weights off a random number until it is 0 or less, tries the destinations from there on and then all of
// them; standard draws in proportion to the weights among those that can be used.
func (n *naive) meshDestination(doc *rule.MeshDocument, app string, destinations []rule.MeshDestination, in []int) ([]int, bool) {
	usable := func(d rule.MeshDestination) ([]int, bool) {
		if d.Broken {
			panic(meshError{})
		}
		for _, name := range d.Subsets {
			members := filter(in, func(i int) bool { return n.inSubset(doc, app, name, i) })
			if len(members) > 0 { // what no longer is in the list goes at the end anyway
				return members, true
			}
		}
		return nil, false
	}
	if len(destinations) == 0 {
		panic(meshError{})
	}
	list := destinations
	if n.d == dialect.Standard {
		list = slices.DeleteFunc(slices.Clone(destinations), func(d rule.MeshDestination) bool { _, ok := usable(d); return !ok })
	}
	sum := 0
	for _, d := range list {
		sum += max(d.Weight, 1)
	}
	if sum > math.MaxInt32 && n.d != dialect.Standard {
		panic(meshError{})
	}
	remainder := 0
	if len(list) > 1 {
		remainder = int(route.Draw(n.inv.Seed, n.drawn, uint64(sum)))
		n.drawn++
		n.note("mesh drawn")
	}
	for _, d := range list {
		remainder -= max(d.Weight, 1)
		if remainder < 0 || remainder == 0 && n.d != dialect.Standard {
			if members, ok := usable(d); ok {
				return members, true
			}
		}
	}
	for _, d := range list {
		if members, ok := usable(d); ok {
			return members, true
		}
	}
	return nil, false
}

// inSubset: label equality; no labels means every provider of the application; a name given twice means either.
func (n *naive) inSubset(doc *rule.MeshDocument, app, name string, i int) bool {
	if n.list[i].Application() != app {
		return false
	}
	return slices.ContainsFunc(doc.Subsets, func(s rule.MeshSubset) bool {
		return s.Name == name && !slices.ContainsFunc(s.Labels, func(l rule.MeshLabel) bool {
			v, ok := n.list[i].Labels.Param(l.Key)
			return !ok || v != l.Value
		})
	})
}

// mesh returns mesh rules of some applications, or nil. What a parser of standard refuses is made for the Dubbo dialects only.
func (g generator) mesh() map[string]*rule.MeshDocument {
	if g.maybe(50) || g.d == dialect.Dubbo26 || g.d == dialect.Dubbo27 {
		return nil
	}
	out := map[string]*rule.MeshDocument{}
	for range 1 + g.IntN(3) {
		out[g.one("hz", "gray", "hz", "gray", "bj", "unknown", "")] = g.meshDocument()
	}
	return out
}

func (g generator) broken() bool { return g.d != dialect.Standard && g.maybe(2) }

func (g generator) meshDocument() *rule.MeshDocument {
	doc := &rule.MeshDocument{}
	for range 1 + g.IntN(4) {
		s := rule.MeshSubset{Name: g.one("s1", "s2", "s3", "")}
		for range []int{0, 1, 1, 1, 1, 2}[g.IntN(6)] {
			s.Labels = append(s.Labels, rule.MeshLabel{Key: g.key(), Value: g.label()})
		}
		doc.Subsets = append(doc.Subsets, s)
	}
	for range []int{0, 1, 1, 1, 1, 2}[g.IntN(6)] {
		v := rule.VirtualService{Broken: g.broken()}
		for range []int{0, 1, 1, 1, 2}[g.IntN(5)] {
			v.Routes = append(v.Routes, g.meshRoute())
		}
		doc.Services = append(doc.Services, v)
	}
	return doc
}

func (g generator) meshRoute() rule.MeshRoute {
	r := rule.MeshRoute{Broken: g.broken()}
	if g.maybe(30) {
		for range 1 + g.IntN(2) {
			r.Services = append(r.Services, g.meshText("a.B", "a.", "x", "org.apache.dubbo.rpc.service.GenericService", "a.B"))
		}
	}
	for range []int{0, 1, 1, 2, 3}[g.IntN(5)] {
		e := rule.MeshEntry{Broken: g.broken()}
		if g.maybe(60) {
			for range 1 + g.IntN(2) {
				e.Match = append(e.Match, g.meshRequest())
			}
		}
		e.HasRoute = g.maybe(95)
		if e.HasRoute {
			for range []int{1, 1, 2, 2, 3, 4}[g.IntN(6)] {
				d := rule.MeshDestination{Weight: []int{1, 1, 2, 5, 30, 100}[g.IntN(6)], Broken: g.broken()}
				for range 1 + g.IntN(2) {
					d.Subsets = append(d.Subsets, g.one("s1", "s2", "s3", "", "none"))
				}
				e.Route = append(e.Route, d)
			}
			if g.broken() {
				e.Route = nil
			}
		}
		r.Details = append(r.Details, e)
	}
	return r
}

func (g generator) meshRequest() rule.MeshRequest {
	m := rule.MeshRequest{Broken: g.broken(), Tracing: g.maybe(4)}
	if g.maybe(30) {
		m.SourceLabels = append(m.SourceLabels, rule.MeshLabel{Key: g.key(), Value: g.label(), Broken: g.broken()})
	}
	if g.maybe(40) {
		m.Attachments = append(m.Attachments, rule.MeshAttachment{Key: g.one("env", "lane", "dubbo.tag", "none"), Value: g.meshText("gray", "x", "hz", "g", "")})
	}
	if g.maybe(50) {
		m.Method = g.meshMethod()
	}
	return m
}

func (g generator) meshMethod() *rule.MeshMethod {
	m := &rule.MeshMethod{}
	if g.maybe(50) {
		t := g.meshText("get", "getOrder", "g", "put", "get.*")
		m.Name = &t
	}
	if g.maybe(25) {
		n := g.IntN(4)
		m.Count = &n
	}
	if g.maybe(20) {
		for range 1 + g.IntN(3) {
			m.Types = append(m.Types, g.meshText("java.lang.String", "String", "long", "Object;", "java."))
		}
	}
	if g.maybe(40) {
		for range 1 + g.IntN(2) {
			m.Args = append(m.Args, g.meshArg())
		}
	}
	return m
}

func (g generator) meshArg() rule.MeshArg {
	a := rule.MeshArg{Index: []int{0, 0, 0, 0, 1, 1, 2, -1, 9}[g.IntN(9)], Broken: g.broken()}
	number := func() *float64 { v := []float64{7, 10, 0, 1, 3, 7.5, 2}[g.IntN(7)]; return &v }
	switch g.IntN(4) {
	case 0, 1:
		texts := []rule.MeshText{}
		for range g.IntN(3) {
			texts = append(texts, g.meshText("hz", "7", "get", "h", ""))
		}
		a.Texts = &texts
	case 2:
		numbers := []rule.MeshNumber{}
		for range g.IntN(3) {
			m := rule.MeshNumber{Broken: g.broken()}
			if g.maybe(60) {
				m.Exact = number()
			}
			if g.maybe(30) {
				m.Mod = number()
			}
			if m.HasRange = g.maybe(50); m.HasRange {
				if g.maybe(70) {
					m.From = number()
				}
				if g.maybe(70) {
					m.To = number()
				}
			}
			numbers = append(numbers, m)
		}
		a.Numbers = &numbers
	case 3:
		b := g.maybe(50)
		a.Bool = &b
	}
	return a
}

// meshText returns a string match with one of the values, and sometimes a second matcher.
func (g generator) meshText(values ...string) rule.MeshText {
	var t rule.MeshText
	if t.Broken = g.broken(); t.Broken {
		return t
	}
	for range []int{1, 1, 1, 2}[g.IntN(4)] {
		v := g.one(values...)
		switch g.IntN(8) {
		case 0, 1, 2:
			t.Exact = &v
		case 3:
			t.Prefix = &v
		case 4:
			v = g.one("g.t", "[a-z]+", "h|hz", "get.*", v)
			if g.d != dialect.Standard && g.maybe(10) {
				v = "("
			}
			t.Regex = &v
		case 5:
			v = g.one("*", v)
			t.Wildcard = &v
		case 6:
			t.Empty = &v
		case 7:
			t.NoEmpty = &v
		}
	}
	return t
}

// types gives the call parameter types that fit its arguments, or none.
func (g generator) types(inv *rpc.Invocation) []string {
	if g.maybe(40) {
		return nil
	}
	var out []string
	for range inv.Args {
		out = append(out, g.one("java.lang.String", "long", "int", "java.lang.Object"))
	}
	return out
}
