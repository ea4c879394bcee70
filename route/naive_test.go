package route_test

import (
	"fmt"
	"math"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// naive answers a call by walking the rules over the providers, in the words of the specification. It shares
// no code with the engine; it is slow and meant to be read. It returns the numbers of the providers left.
type naive struct {
	d        dialect.Dialect
	consumer durl.URL
	list     []*service.Instance
	rules    route.Rules
	inv      *rpc.Invocation
	drawn    int // splits that drew so far
	// registered: the user of 3.3 registered the affinity routers.
	registered bool
	// script is the rule of the provider application, scriptURLs those of the registry.
	script     *naiveScript
	scriptURLs []*naiveScript
	met        map[string]bool
}

const missingValue = "dubbo_internal_not_found_argument_condition_value"

// since32 is true for the generations from 3.2 on.
func (n *naive) since32() bool { return n.d == dialect.Standard || n.d == dialect.Dubbo33 }

func (n *naive) route() []int {
	left := make([]int, len(n.list))
	for i := range left {
		left[i] = i
	}
	for _, r := range n.chain() {
		out := r.run(left)
		switch {
		case len(left) == 0:
		case len(out) == 0:
			n.note(r.kind + " emptied")
		case len(out) < len(left):
			n.note(r.kind + " narrowed")
		default:
			n.note(r.kind + " passed")
		}
		left = out
	}
	return left
}

// note remembers what the evaluation met, so that a run can tell what it proved.
func (n *naive) note(what string) {
	if n.met == nil {
		n.met = map[string]bool{}
	}
	n.met[what] = true
}

// filter keeps what passes, in order.
func filter(in []int, pass func(int) bool) []int {
	out := []int{}
	for _, i := range in {
		if pass(i) {
			out = append(out, i)
		}
	}
	return out
}

// mock: spec §6.1.
func (n *naive) mock(in []int) []int {
	want, set := n.inv.Attachments.Get("invocation.need.mock")
	if set && !strings.EqualFold(want, "true") {
		return in
	}
	return filter(in, func(i int) bool { return (n.list[i].URL.Scheme() == "mock") == set })
}

// document: spec §3.3, one condition after the other.
func (n *naive) document(doc *rule.ConditionDocument, in []int) []int {
	if doc == nil || !doc.Valid {
		return in
	}
	for i := range doc.Multi {
		in = n.multi(doc, &doc.Multi[i], in)
	}
	for i := range doc.Conditions {
		in = n.condition(doc, &doc.Conditions[i], in)
	}
	return in
}

// affinity: spec §3.7, with the repairs that docs/dialects.md lists for standard.
func (n *naive) affinity(doc *rule.AffinityDocument, in []int) []int {
	if doc == nil || !doc.Enabled || len(in) == 0 {
		return in
	}
	if n.d == dialect.Standard {
		own, ok := n.consumer.Raw(doc.Affinity)
		if !ok || own == "" {
			return in
		}
		cl := rule.Clause{Key: doc.Affinity, In: []rule.Value{{Text: "$" + doc.Affinity}}}
		out := filter(in, func(i int) bool { return n.right(cl, n.list[i].Labels) })
		if len(out) == 0 || !(float64(100*len(out)) >= doc.Ratio*float64(len(in))) {
			return in
		}
		return out
	}
	own, ok := n.consumer.Param(doc.Affinity)
	failed := false
	out := filter(in, func(i int) bool {
		value, present := n.urlValue(n.list[i].Labels, doc.Affinity)
		failed = failed || present && !ok
		return present && ok && n.pattern(own, value, true)
	})
	if share := float64(len(out)) / float64(len(in)); failed || !(share >= doc.Ratio/100) {
		return in
	}
	return out
}

// multi: a weighted choice among the destinations that have providers (spec §3.6).
func (n *naive) multi(doc *rule.ConditionDocument, m *rule.MultiCondition, in []int) []int {
	if len(in) == 0 || !doc.Enabled || slices.ContainsFunc(m.From, func(cl rule.Clause) bool { return !n.left(cl) }) {
		return in
	}
	if len(m.To) == 0 {
		return []int{}
	}
	var subsets [][]int
	var weights []int
	sum := 0
	for _, to := range m.To {
		subset := filter(in, func(i int) bool {
			return !slices.ContainsFunc(to.Match, func(cl rule.Clause) bool { return !n.right(cl, n.list[i].Labels) })
		})
		if len(subset) > 0 {
			subsets, weights, sum = append(subsets, subset), append(weights, to.Weight), sum+to.Weight
		}
	}
	switch len(subsets) {
	case 0:
		if doc.Force {
			return []int{}
		}
		return in
	case 1:
		return subsets[0]
	}
	r := int(route.Draw(n.inv.Seed, n.drawn, uint64(sum)))
	n.drawn++
	n.note("v3.1 drawn")
	for i := range subsets {
		if r -= weights[i]; r < 0 || r == 0 && n.d == dialect.Dubbo33 {
			return subsets[i]
		}
	}
	return nil
}

// condition: spec §2.8.
func (n *naive) condition(doc *rule.ConditionDocument, c *rule.Condition, in []int) []int {
	if len(in) == 0 || !doc.Enabled && n.d != dialect.Dubbo26 {
		return in
	}
	for _, cl := range c.When {
		if !n.left(cl) {
			return in
		}
	}
	if c.Blacklist {
		n.note("condition blocked")
		return []int{}
	}
	out := filter(in, func(i int) bool {
		for _, cl := range c.Then {
			if !n.right(cl, n.list[i].Labels) {
				return false
			}
		}
		return len(c.Then) > 0
	})
	if len(out) == 0 && !doc.Force {
		n.note("condition fell back")
		return in
	}
	return out
}

// left: where a key's value comes from on the left side (spec §2.3, §2.6).
func (n *naive) left(cl rule.Clause) bool {
	generic := !n.inv.Direct && n.d != dialect.Standard
	switch {
	case cl.Key == "method" || cl.Key == "methods":
		if generic && n.d != dialect.Dubbo33 {
			return n.clause(cl, "$invoke", true, false)
		}
		return n.clause(cl, n.inv.Method, true, false)
	case strings.HasPrefix(cl.Key, "arguments") && n.d != dialect.Dubbo26:
		args := n.inv.Args
		if generic {
			args = []any{n.inv.Method, "[Ljava.lang.String;", "[Ljava.lang.Object;"}
		}
		pattern := `arguments\[([0-9]+)\]`
		key := cl.Key
		if n.d == dialect.Standard {
			pattern = "^" + pattern + "$"
		} else {
			key, _, _ = strings.Cut(key, ".")
		}
		if m := regexp.MustCompile(pattern).FindStringSubmatch(key); m != nil {
			if i, err := strconv.Atoi(m[1]); err == nil && i < len(args) {
				n.note("argument read")
				return n.clause(cl, naiveText(args[i]), true, false)
			}
		}
		return n.d == dialect.Dubbo33 && n.clause(cl, missingValue, true, false)
	case strings.HasPrefix(cl.Key, "attachments") && n.since32():
		pattern, key := `attachments\[(.+)\]`, cl.Key
		if n.d == dialect.Standard {
			pattern = `^attachments\[([^\[\]]+)\]$`
		} else {
			key, _, _ = strings.Cut(key, ".")
		}
		m := regexp.MustCompile(pattern).FindStringSubmatch(key)
		if m == nil {
			return n.d == dialect.Dubbo33 && n.clause(cl, missingValue, true, false)
		}
		value, present := n.inv.Attachments.Get(m[1])
		n.note("attachment read")
		return n.clause(cl, value, present, false)
	}
	value, present := n.urlValue(n.consumer, cl.Key)
	return n.clause(cl, value, present, false)
}

// right: the provider's value (spec §2.3, §2.6).
func (n *naive) right(cl rule.Clause, provider durl.URL) bool {
	if strings.HasPrefix(cl.Key, "arguments") && n.d != dialect.Dubbo26 || strings.HasPrefix(cl.Key, "attachments") && n.since32() {
		return n.d == dialect.Dubbo33 && n.clause(cl, missingValue, true, true)
	}
	value, present := n.urlValue(provider, cl.Key)
	return n.clause(cl, value, present, true)
}

// urlValue: spec §1.3.
func (n *naive) urlValue(u durl.URL, key string) (string, bool) {
	part := ""
	switch key {
	case "protocol":
		part = u.Scheme()
	case "host":
		part = u.Host()
	case "path":
		part = u.Path()
	case "port":
		if u.Port() > 0 {
			part = strconv.Itoa(u.Port())
		}
	case "address":
		if n.d != dialect.Dubbo26 {
			part = u.Address()
		}
	}
	if part != "" {
		return part, true
	}
	return u.Param(key)
}

// clause: the table of spec §2.5.
func (n *naive) clause(cl rule.Clause, value string, present, right bool) bool {
	if !present {
		return len(cl.In) == 0 && !n.since32()
	}
	among := func(values []rule.Value) bool {
		return slices.ContainsFunc(values, func(v rule.Value) bool { return n.pattern(v.Text, value, right) })
	}
	if among(cl.NotIn) {
		return false
	}
	return among(cl.In) || len(cl.In) == 0 && len(cl.NotIn) > 0
}

// pattern: spec §1.9, §2.4, §2.7.
func (n *naive) pattern(p, value string, right bool) bool {
	if strings.Contains(p, "~") && n.d == dialect.Dubbo33 {
		n.note("range compared")
		return looseRange(p, value, right)
	}
	if low, high, ok := strings.Cut(p, "~"); ok && n.d == dialect.Standard {
		if in, isRange := exactRange(low, high, value); isRange {
			n.note("range compared")
			return in
		}
	}
	if right && strings.HasPrefix(p, "$") {
		n.note("reference resolved")
		p, _ = n.consumer.Raw(p[1:])
	}
	i := strings.LastIndex(p, "*")
	switch {
	case p == "*":
		return true
	case p == "" || value == "":
		return p == value
	case i < 0:
		return p == value
	}
	return strings.HasPrefix(value, p[:i]) && strings.HasSuffix(value, p[i+1:])
}

// looseRange: the slips of 3.2 and 3.3; only all-digit texts are numbers, everything else is 0.
func looseRange(p, value string, right bool) bool {
	pieces := strings.Split(p, "~")
	for len(pieces) > 0 && pieces[len(pieces)-1] == "" {
		pieces = pieces[:len(pieces)-1]
	}
	if len(pieces) < 2 {
		return right
	}
	overflow := false
	number := func(s string) int64 {
		if ok, _ := regexp.MatchString(`^[0-9]+$`, s); !ok {
			return 0
		}
		v, err := strconv.ParseInt(s, 10, 32)
		overflow = overflow || err != nil
		return v
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if pieces[0] != "" {
		low = number(pieces[0])
	}
	if pieces[1] != "" {
		high = number(pieces[1])
	}
	if v := number(value); !overflow {
		return low <= v && v <= high
	}
	return right
}

// exactRange: what the documentation promises.
func exactRange(low, high, value string) (in, isRange bool) {
	if low == "" && high == "" || strings.HasPrefix(low, "+") || strings.HasPrefix(high, "+") {
		return false, false
	}
	from, to := math.MinInt, math.MaxInt
	var err error
	if low != "" {
		if from, err = strconv.Atoi(low); err != nil {
			return false, false
		}
	}
	if high != "" {
		if to, err = strconv.Atoi(high); err != nil {
			return false, false
		}
	}
	v, err := strconv.Atoi(value)
	return err == nil && !strings.HasPrefix(value, "+") && from <= v && v <= to, true
}

func naiveText(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}

// tag: the decision table of spec §4.3 with the levels of §4.4.
func (n *naive) tag(in []int) []int {
	tag, _ := n.inv.Attachments.Get("dubbo.tag")
	if tag == "" && n.d != dialect.Dubbo26 {
		tag, _ = n.consumer.Param("dubbo.tag")
	}
	force := n.forceTag()
	static := func(i int) string { s, _ := n.list[i].URL.Param("dubbo.tag"); return s }
	sameTag := func() []int { return filter(in, func(i int) bool { return static(i) == tag }) }
	doc := n.rules.Tag
	if doc == nil || !doc.Valid || !doc.Enabled || len(doc.Tags) == 0 || n.d == dialect.Dubbo26 {
		untagged := filter(in, func(i int) bool { return static(i) == "" })
		if tag == "" {
			if n.d == dialect.Dubbo26 && force {
				return []int{}
			}
			return untagged
		}
		if out := sameTag(); len(out) > 0 || force {
			return out
		}
		return untagged
	}
	listed := map[string][]int{} // tag → providers; every tag that counts as set has an entry
	all := map[int]bool{}
	tags := slices.Clone(doc.Tags)
	if n.d == dialect.Dubbo33 { // "match" is worked out after all addresses
		slices.SortStableFunc(tags, func(a, b rule.Tag) int { return min(1, len(b.Addresses)) - min(1, len(a.Addresses)) })
	}
	for _, t := range tags {
		if members, set := n.members(doc, t); set {
			listed[t.Name] = members
			if !n.since32() {
				for _, i := range members {
					all[i] = true // also what a later tag of that name replaces
				}
			}
		}
	}
	for _, members := range listed {
		for _, i := range members {
			all[i] = true
		}
	}
	if tag == "" {
		return filter(in, func(i int) bool {
			foreign := !n.since32() && !slices.ContainsFunc(doc.Tags, func(t rule.Tag) bool { return t.Name == static(i) })
			return !all[i] && (static(i) == "" || foreign)
		})
	}
	members, set := listed[tag]
	for level := tag; !set && !force && n.since32() && strings.Contains(level, "|"); {
		level = level[:strings.LastIndex(level, "|")]
		if members, set = listed[level]; set {
			n.note("tag met by a level")
		}
	}
	var out []int
	if set {
		if out = filter(in, func(i int) bool { return slices.Contains(members, i) }); len(out) > 0 || doc.Force {
			n.note("tag listed")
			return out
		}
	} else {
		out = sameTag()
	}
	if len(out) > 0 || force {
		return out
	}
	return filter(in, func(i int) bool { return !all[i] && static(i) == "" })
}

// forceTag: spec §4.1.
func (n *naive) forceTag() bool {
	value, present := n.inv.Attachments.Get("dubbo.force.tag")
	if n.d == dialect.Dubbo26 {
		return value != "" && value != "false"
	}
	if value != "" {
		return strings.EqualFold(value, "true")
	}
	if !present && n.d == dialect.Dubbo27 && len(n.inv.Attachments) > 0 {
		return false
	}
	reference, _ := n.consumer.Param("dubbo.force.tag")
	return strings.EqualFold(reference, "true")
}

// members: what a tag lists, and whether it counts as set (spec §4.2).
func (n *naive) members(doc *rule.TagDocument, t rule.Tag) ([]int, bool) {
	var out []int
	if len(t.Addresses) > 0 {
		for i, in := range n.list {
			if slices.ContainsFunc(t.Addresses, func(a rule.Value) bool { return n.address(a.Text, in.URL) }) {
				n.note("tag address met")
				out = append(out, i)
			}
		}
		return out, true
	}
	if t.HasAddresses || !t.HasMatch || !n.since32() || n.d == dialect.Dubbo33 && !strings.HasPrefix(doc.ConfigVersion, "v3.0") {
		return nil, false
	}
	for i, in := range n.list {
		for _, same := range n.list { // the answer is kept by address
			if same.URL.Address() == in.URL.Address() && !slices.ContainsFunc(t.Match, func(m rule.ParamMatch) bool { return !param(m, same.Labels) }) {
				n.note("tag match met")
				out = append(out, i)
				break
			}
		}
	}
	return out, len(out) > 0
}

// param: one entry of a match block (spec §4.2).
func param(m rule.ParamMatch, u durl.URL) bool {
	v, present := u.Param(m.Key)
	switch s := m.Value; {
	case present && s.Exact != nil:
		return v == *s.Exact
	case present && s.Prefix != nil:
		return strings.HasPrefix(v, *s.Prefix)
	case s.Empty != nil:
		return v == ""
	case s.NoEmpty != nil:
		return v != ""
	}
	return false
}

// address: spec §1.10 for IPv4 providers.
func (n *naive) address(expr string, u durl.URL) bool {
	if strings.Contains(expr, "/") {
		_, block, err := net.ParseCIDR(expr)
		in := err == nil && block.Contains(net.ParseIP(u.Host()))
		if in {
			n.note("tag address block met")
		}
		return in
	}
	if expr == "*" {
		return true
	}
	host, port, ported := strings.Cut(expr, ":")
	if ported && port != strconv.Itoa(u.Port()) {
		return false
	}
	if host == "0.0.0.0" && ported || host == "*" && n.d == dialect.Standard {
		return true
	}
	want, have := strings.Split(host, "."), strings.Split(u.Host(), ".")
	if len(want) != 4 {
		return false
	}
	for i := range want {
		low, high, ranged := strings.Cut(want[i], "-")
		if ranged {
			l, _ := strconv.Atoi(low)
			h, _ := strconv.Atoi(high)
			if v, _ := strconv.Atoi(have[i]); v < l || v > h {
				return false
			}
		} else if want[i] != "*" && want[i] != have[i] {
			return false
		}
	}
	return true
}
