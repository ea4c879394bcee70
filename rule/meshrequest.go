package rule

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
)

// request reads one match request.
func (b *meshBinder) request(n *node) MeshRequest {
	var r MeshRequest
	if n.kind != nodeMapping {
		b.fails(n, "a match request is a mapping, not "+n.kindName(), "write - {method: {name_match: {exact: get}}}")
		r.Broken = true
		return r
	}
	b.text(n.get("name"), "name")
	if m := b.mapping(n.get("method"), "method"); m != nil {
		r.Method = b.method(m)
	}
	r.SourceLabels = b.labels(n.get("sourceLabels"), "sourceLabels")
	for _, l := range r.SourceLabels {
		if l.Broken {
			b.fails(n, "source label "+quote(l.Key)+" has no text value", "write "+l.Key+": \"...\"")
		}
	}
	b.headers(n.get("headers"))
	if a := b.mapping(n.get("attachments"), "attachments"); a != nil {
		r.Attachments = b.context(a.get("dubboContext"), "dubboContext")
		if tracing := b.context(a.get("tracingContext"), "tracingContext"); len(tracing) > 0 {
			r.Tracing = true
			b.report.warn(diag.MeshSurprise, a.span, "a tracing context is never there without a tracer: this request never holds", "ask for an attachment: dubboContext")
		}
	}
	return r
}

// headers have no effect, but their types count.
func (b *meshBinder) headers(n *node) {
	if m := b.mapping(n, "headers"); m != nil {
		for _, x := range m.fields {
			if x.value.kind == nodeNull {
				b.refuse(m, "headers has a key without a value", "take it out")
			}
		}
		b.ignored(m, "headers are not matched", "ask for an attachment: attachments: {dubboContext: {...}}")
	}
}

func (b *meshBinder) context(n *node, name string) []MeshAttachment {
	m := b.mapping(n, name)
	if m == nil {
		return nil
	}
	out := make([]MeshAttachment, 0, len(m.fields))
	for _, x := range m.fields {
		if x.value.kind == nodeNull {
			b.refuse(m, name+" has "+quote(x.key.string())+" without a value", "write "+x.key.string()+": {exact: \"...\"}")
			continue
		}
		out = append(out, MeshAttachment{Key: x.key.string(), Value: b.match(x.value, x.key.string())})
	}
	return out
}

func (b *meshBinder) method(n *node) *MeshMethod {
	m := &MeshMethod{}
	if name := b.mapping(n.get("name_match"), "name_match"); name != nil {
		t := b.match(name, "name_match")
		m.Name = &t
	}
	if c := n.get("argc"); c != nil && c.kind != nodeNull {
		v, err := int64(0), strconv.ErrSyntax
		if c.kind == nodeScalar && c.scalarType() == typeInt {
			v, err = strconv.ParseInt(c.integer(), 10, 32)
		}
		if err != nil {
			b.ignored(c, "argc must be a whole number without quotes, not "+c.kindName(), "write argc: 1")
		} else {
			count := int(v)
			m.Count = &count
		}
	}
	m.Types = b.texts(n.get("argp"), "argp")
	b.headers(n.get("headers"))
	items, _ := b.list(n.get("args"), "args")
	for _, item := range items {
		m.Args = append(m.Args, b.arg(item))
	}
	return m
}

func (b *meshBinder) arg(n *node) MeshArg {
	var a MeshArg
	if n.kind != nodeMapping {
		b.fails(n, "an entry of args is a mapping, not "+n.kindName(), "write - {index: 0, str_value: {oneof: [{exact: a}]}}")
		a.Broken = true
		return a
	}
	a.Index = b.int(n.get("index"), "index")
	b.text(n.get("type"), "type")
	if m := b.mapping(n.get("str_value"), "str_value"); m != nil {
		if _, ok := b.list(m.get("oneof"), "oneof"); !ok {
			b.fails(m, "str_value without oneof", "write str_value: {oneof: [{exact: a}]}")
			a.Broken = true
		}
		list := b.texts(m.get("oneof"), "oneof")
		a.Texts = &list
	}
	if m := b.mapping(n.get("num_value"), "num_value"); m != nil {
		list := b.numbers(m, &a)
		if a.Texts == nil {
			a.Numbers = &list
		}
	}
	if m := b.mapping(n.get("bool_value"), "bool_value"); m != nil {
		switch e := m.get("exact"); {
		case a.Texts != nil || a.Numbers != nil || e == nil || e.kind == nodeNull:
		case e.kind == nodeScalar && e.scalarType() == typeBool:
			v := e.bool()
			a.Bool = &v
		default:
			b.ignored(e, "exact must be true or false, not "+e.kindName(), "write bool_value: {exact: true}")
		}
	}
	return a
}

func (b *meshBinder) numbers(m *node, a *MeshArg) []MeshNumber {
	items, ok := b.list(m.get("oneof"), "oneof")
	if !ok && a.Texts == nil {
		b.fails(m, "num_value without oneof", "write num_value: {oneof: [{exact: 7.0}]}")
		a.Broken = true
	}
	out := make([]MeshNumber, len(items))
	for i, item := range items {
		if item.kind != nodeMapping {
			b.fails(item, "a number match is a mapping, not "+item.kindName(), "write {exact: 7.0}")
			out[i].Broken = true
			continue
		}
		x := MeshNumber{Exact: b.double(item.get("exact"), "exact"), Mod: b.double(item.get("mod"), "mod")}
		if r := b.mapping(item.get("range"), "range"); r != nil {
			x.HasRange, x.From, x.To = true, b.double(r.get("start"), "start"), b.double(r.get("end"), "end")
		}
		out[i] = x
	}
	return out
}

// double reads a number with a decimal point: Dubbo ignores a whole number. Standard takes it.
func (b *meshBinder) double(n *node, name string) *float64 {
	if n == nil || n.kind == nodeNull {
		return nil
	}
	whole := n.kind == nodeScalar && n.scalarType() == typeInt
	if n.kind == nodeScalar && n.scalarType() == typeFloat || whole && b.strict() {
		if v, ok := javaNumber(strings.ReplaceAll(n.javaText(), "_", "")); ok {
			return &v
		}
	}
	b.ignored(n, name+" must be a number with a decimal point, not "+n.string(), "write "+name+": 7.0")
	return nil
}
