package rule

import "github.com/dubway-go/dubway/diag"

// Outline is a piece of a YAML text with its place, for readers of documents that this package has no type for. It is immutable; nil is
// a piece that is not there.
type Outline struct{ n *node }

// OutlineField is one field of a mapping.
type OutlineField struct {
	Name     string
	NameSpan diag.Span
	Value    *Outline
}

// ReadOutline reads a YAML text within the limits of rule documents. It is nil when the list has an error, and when the text is empty.
func ReadOutline(o Origin, text string) (*Outline, diag.List) {
	r := &report{file: o.Name}
	n := readYAML(text, r)
	return outline(n), r.sorted()
}

func outline(n *node) *Outline {
	if n == nil {
		return nil
	}
	return &Outline{n}
}

// Span returns where the piece stands.
func (o *Outline) Span() diag.Span {
	if o == nil {
		return diag.Span{}
	}
	return o.n.span
}

// Field returns the value of a mapping's field, the last one of that name; nil when there is none or when it is null.
func (o *Outline) Field(name string) *Outline {
	if o == nil || o.n.kind != nodeMapping {
		return nil
	}
	if v := o.n.get(name); v != nil && v.kind != nodeNull {
		return outline(v)
	}
	return nil
}

// Fields returns the fields of a mapping in order; nil for everything else.
func (o *Outline) Fields() []OutlineField {
	if o == nil || o.n.kind != nodeMapping {
		return nil
	}
	out := make([]OutlineField, len(o.n.fields))
	for i, f := range o.n.fields {
		out[i] = OutlineField{Name: f.key.string(), NameSpan: f.key.span, Value: outline(f.value)}
	}
	return out
}

// Items returns the items of a list; ok is false for everything else.
func (o *Outline) Items() (items []*Outline, ok bool) {
	if o == nil || o.n.kind != nodeList {
		return nil, false
	}
	for _, n := range o.n.items {
		items = append(items, outline(n))
	}
	return items, true
}

// Mapping reports whether the piece is a mapping.
func (o *Outline) Mapping() bool { return o != nil && o.n.kind == nodeMapping }

// Text returns a scalar as Java prints its value; ok is false for everything else.
func (o *Outline) Text() (text string, ok bool) {
	if o == nil || o.n.kind != nodeScalar {
		return "", false
	}
	return o.n.javaText(), true
}
