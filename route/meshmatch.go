package route

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
)

// verdict3 is the answer of a mesh test: Dubbo fails on some calls.
type verdict3 uint8

const (
	no verdict3 = iota
	yes
	failed
)

// meshPlan says which entry of an application's mesh rules applies to a call.
type meshPlan struct {
	// raw: a generic call shows itself as $invoke(method, types, args) of another service. strict: what Dubbo fails on does not hold.
	raw, strict     bool
	direct, generic meshCalls
	classes         []*class // by branch
}

// meshCalls are the entries for one service name, in order.
type meshCalls struct {
	fails   bool
	entries []meshEntry
}

// meshEntry applies when all its requests hold.
type meshEntry struct {
	requests []meshRequest
	branch   uint32
	fails    bool
}

// classOf judges a call. It does not allocate.
func (p *meshPlan) classOf(inv *rpc.Invocation) *class {
	calls := &p.direct
	generic := p.raw && !inv.Direct
	if generic {
		calls = &p.generic
	}
	if calls.fails {
		return p.classes[meshFails]
	}
entries:
	for i := range calls.entries {
		e := &calls.entries[i]
		if e.fails {
			return p.classes[meshFails]
		}
		for k := range e.requests {
			switch e.requests[k].holds(inv, generic) {
			case no:
				continue entries
			case failed:
				if p.strict {
					continue entries
				}
				return p.classes[meshFails]
			}
		}
		return p.classes[e.branch]
	}
	return p.classes[meshNone]
}

// meshRequest is one match request with what concerns the consumer decided.
type meshRequest struct {
	fails       bool
	method      *rule.MeshMethod
	name        meshText
	types       []meshText
	args        []meshArg
	source      verdict3
	attachments []meshAttachment
	tracing     bool
	wireName    bool // the method of a generic call is $invoke (before 3.2)
}

type meshAttachment struct {
	key  string
	text meshText
}

type meshArg struct {
	rule  *rule.MeshArg
	texts []meshText
}

func (m *meshCompiler) request(r *rule.MeshRequest) meshRequest {
	out := meshRequest{fails: r.Broken, method: r.Method, source: yes, tracing: r.Tracing, wireName: m.c.in.Dialect == dialect.Dubbo31}
	for _, l := range r.SourceLabels {
		if l.Broken {
			out.source = failed
			break
		}
		if v, ok := m.c.in.Consumer.URL.Param(l.Key); !ok || v != l.Value {
			out.source = no
			break
		}
	}
	for i := range r.Attachments {
		out.attachments = append(out.attachments, meshAttachment{r.Attachments[i].Key, m.text(&r.Attachments[i].Value)})
	}
	if r.Method == nil {
		return out
	}
	if r.Method.Name != nil {
		out.name = m.text(r.Method.Name)
	}
	for i := range r.Method.Types {
		out.types = append(out.types, m.text(&r.Method.Types[i]))
	}
	for i := range r.Method.Args {
		a := meshArg{rule: &r.Method.Args[i]}
		if a.rule.Texts != nil {
			for k := range *a.rule.Texts {
				a.texts = append(a.texts, m.text(&(*a.rule.Texts)[k]))
			}
		}
		out.args = append(out.args, a)
	}
	return out
}

func (r *meshRequest) holds(inv *rpc.Invocation, generic bool) verdict3 {
	if r.fails {
		return failed
	}
	if r.method != nil {
		if v := r.call(inv, generic); v != yes {
			return v
		}
	}
	if r.source != yes {
		return r.source
	}
	for i := range r.attachments {
		a := &r.attachments[i]
		value, ok := inv.Attachments.Get(a.key)
		if v := a.text.holds(value, ok); v != yes {
			return v
		}
	}
	if r.tracing {
		return no
	}
	return yes
}

// call judges method, number and types of arguments, and arguments, in this order.
func (r *meshRequest) call(inv *rpc.Invocation, generic bool) verdict3 {
	if r.method.Name != nil {
		name := inv.Method
		if generic && r.wireName {
			name = genericMethod
		}
		if v := r.name.holds(name, true); v != yes {
			return v
		}
	}
	count := len(inv.Args)
	if generic {
		count = 3
	}
	if r.method.Count != nil && *r.method.Count != count {
		return no
	}
	if len(r.types) > 0 {
		if v := r.typed(inv, generic); v != yes {
			return v
		}
	}
	if len(r.args) > 0 && count == 0 {
		return no
	}
	for i := range r.args {
		a := &r.args[i]
		if a.rule.Index < 0 || a.rule.Index >= count {
			return failed
		}
		if v := a.holds(inv, generic); v != yes {
			return v
		}
	}
	return yes
}

// typed compares parameter types; unknown ones match nothing.
func (r *meshRequest) typed(inv *rpc.Invocation, generic bool) verdict3 {
	types := inv.ParamTypes
	var raw [3]string
	if generic {
		raw = [3]string{"java.lang.String", "[Ljava.lang.String;", "[Ljava.lang.Object;"}
		types = raw[:]
	}
	if len(types) != len(r.types) {
		return no
	}
	for i, name := range types {
		v := r.types[i].holds(name, true)
		if v == no {
			v = r.types[i].holds(name[strings.LastIndexByte(name, '.')+1:], true)
		}
		if v != yes {
			return v
		}
	}
	return yes
}

func (a *meshArg) holds(inv *rpc.Invocation, generic bool) verdict3 {
	if a.rule.Broken {
		return failed
	}
	var arg any
	text, isText := "", false
	switch {
	case !generic:
		arg = inv.Args[a.rule.Index]
		text, isText = arg.(string)
	case a.rule.Index == 0:
		text, isText = inv.Method, true
	}
	switch {
	case a.rule.Texts != nil:
		if !isText {
			return no
		}
		for i := range a.texts {
			if v := a.texts[i].holds(text, true); v != no {
				return v
			}
		}
	case a.rule.Numbers != nil:
		n, ok := meshNumber(arg, text, isText)
		if !ok {
			return failed
		}
		for i := range *a.rule.Numbers {
			if v := numberHolds(&(*a.rule.Numbers)[i], n); v != no {
				return v
			}
		}
	case a.rule.Bool != nil:
		if b, ok := arg.(bool); ok && *a.rule.Bool == b {
			return yes
		}
	}
	return no
}

// meshNumber reads an argument as a number; ok is false for what Dubbo fails on.
func meshNumber(arg any, text string, isText bool) (float64, bool) {
	if isText {
		return javaDouble(text)
	}
	switch v := arg.(type) {
	case int:
		return float64(v), true
	case int8:
		return float64(v), true
	case int16:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// javaDouble reads a text as Java's Double.parseDouble does: blanks around it, a suffix f or d, and NaN and Infinity in this spelling only.
func javaDouble(text string) (float64, bool) {
	s := strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	bare := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	switch {
	case len(s)-len(bare) > 1 || bare == "":
		return 0, false
	case bare == "NaN":
		return math.NaN(), true
	case bare == "Infinity":
		n, _ := strconv.ParseFloat(s, 64)
		return n, true
	case strings.ContainsAny(bare, "_iInN"): // what only Go reads
		return 0, false
	}
	if last := s[len(s)-1]; last|0x20 == 'f' || last|0x20 == 'd' {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

func numberHolds(m *rule.MeshNumber, n float64) verdict3 {
	hold := false
	switch {
	case m.Broken:
		return failed
	case m.Exact != nil && m.Mod == nil:
		hold = n == *m.Exact
	case m.HasRange:
		hold = (m.From != nil || m.To != nil) && (m.From == nil || n >= *m.From) && (m.To == nil || n < *m.To)
	case m.Exact != nil:
		hold = math.Mod(n, *m.Mod) == *m.Exact
	}
	if hold {
		return yes
	}
	return no
}

// meshText is a string match.
type meshText struct {
	rule  *rule.MeshText
	regex *regexp.Regexp
}

// text prepares a string match. Before 3.2 there is no "wildcard": the field is unknown, and so skipped.
func (m *meshCompiler) text(t *rule.MeshText) meshText {
	if m.c.in.Dialect == dialect.Dubbo31 && t.Wildcard != nil {
		known := *t
		known.Wildcard = nil
		t = &known
	}
	out := meshText{rule: t}
	if t.Regex != nil {
		out.regex, _ = regexp.Compile("^(?:" + *t.Regex + ")$") // nil fails; reported when the text was read
	}
	return out
}

// holds: the first of exact, prefix, regex and wildcard that is there decides about a present value; then empty, then noempty (spec §6.5).
func (t *meshText) holds(value string, present bool) verdict3 {
	m := t.rule
	hold := false
	switch {
	case m.Broken:
		return failed
	case m.Exact != nil && present:
		hold = value == *m.Exact
	case m.Prefix != nil && present:
		hold = strings.HasPrefix(value, *m.Prefix)
	case m.Regex != nil && present:
		if t.regex == nil {
			return failed
		}
		hold = t.regex.MatchString(value)
	case m.Wildcard != nil && present:
		hold = value == *m.Wildcard || *m.Wildcard == "*"
	case m.Empty != nil:
		hold = value == ""
	case m.NoEmpty != nil:
		hold = value != ""
	}
	if hold {
		return yes
	}
	return no
}
