package hessian

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Types ties Go types to Java classes. It is immutable and safe for concurrent use; nil and the zero value know no
// types. Build one with NewTypes.
type Types struct {
	byName  map[string]*plan
	byType  map[reflect.Type]*plan
	enums   map[string]*enumPlan
	enumsGo map[reflect.Type]*enumPlan
}

// TypesBuilder collects registrations. It is for one goroutine.
type TypesBuilder struct {
	types Types
	errs  []error
}

// NewTypes starts a builder.
func NewTypes() *TypesBuilder {
	return &TypesBuilder{types: Types{
		byName: map[string]*plan{}, byType: map[reflect.Type]*plan{},
		enums: map[string]*enumPlan{}, enumsGo: map[reflect.Type]*enumPlan{},
	}}
}

// Struct ties the Go struct type of sample (a value or pointer) to a Java class. Fields of the struct are fields of
// the class: the name in the tag `hessian:"name"`, else the Go name with its leading capitals lowered
// ("OrderID" is "orderID", "ID" is "id"); `hessian:"-"` leaves a field out. Fields of embedded structs count as the struct's own, as
// those of a Java superclass do.
//
// Objects of the class decode to a pointer to the struct; fields that the struct lacks are dropped.
func (b *TypesBuilder) Struct(class string, sample any) *TypesBuilder {
	t := reflect.TypeOf(sample)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case class == "":
		b.failf("hessian: struct %v needs a Java class name", t)
	case t == nil || t.Kind() != reflect.Struct:
		b.failf("hessian: class %s: %T is not a struct or a pointer to one", class, sample)
	case b.types.byName[class] != nil || b.types.enums[class] != nil:
		b.failf("hessian: class %s is registered twice", class)
	case b.types.byType[t] != nil:
		b.failf("hessian: %v is registered twice, as %s and as %s", t, b.types.byType[t].class.Name, class)
	default:
		p, err := newPlan(class, t)
		if err != nil {
			b.errs = append(b.errs, err)
			break
		}
		b.types.byName[class], b.types.byType[t] = p, p
	}
	return b
}

// Enum ties the Go type of sample to a Java enum. Its kind is string, the value being the constant's name; or
// it implements encoding.TextMarshaler, and its pointer encoding.TextUnmarshaler, with the name as the text.
func (b *TypesBuilder) Enum(class string, sample any) *TypesBuilder {
	t := reflect.TypeOf(sample)
	switch {
	case class == "" || t == nil:
		b.failf("hessian: enum %q needs a Java class name and a sample value", class)
	case b.types.byName[class] != nil || b.types.enums[class] != nil:
		b.failf("hessian: class %s is registered twice", class)
	case b.types.enumsGo[t] != nil:
		b.failf("hessian: %v is registered twice, as %s and as %s", t, b.types.enumsGo[t].class.Name, class)
	default:
		_, marshals := reflect.Zero(t).Interface().(encoding.TextMarshaler)
		_, unmarshals := reflect.New(t).Interface().(encoding.TextUnmarshaler)
		if t.Kind() != reflect.String && (!marshals || !unmarshals) {
			b.failf("hessian: enum %s: %v is neither a string type nor a TextMarshaler and TextUnmarshaler", class, t)
			break
		}
		e := &enumPlan{class: &Class{Name: class, Fields: []string{"name"}}, typ: t, text: marshals && unmarshals}
		b.types.enums[class], b.types.enumsGo[t] = e, e
	}
	return b
}

func (b *TypesBuilder) failf(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}

// Build returns the registry, or all that was wrong with the registrations. The builder must not be used afterwards.
func (b *TypesBuilder) Build() (*Types, error) {
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	t := b.types
	return &t, nil
}

// Classes returns the names of the registered classes, sorted.
func (t *Types) Classes() []string {
	if t == nil {
		return nil
	}
	var out []string
	for name := range t.byName {
		out = append(out, name)
	}
	for name := range t.enums {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// ClassOf returns the Java class that the type of v is registered as. A pointer counts as what it points to.
func (t *Types) ClassOf(v any) (string, bool) {
	typ := reflect.TypeOf(v)
	for typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if t == nil || typ == nil {
		return "", false
	}
	if p := t.byType[typ]; p != nil {
		return p.class.Name, true
	}
	if e := t.enumsGo[typ]; e != nil {
		return e.class.Name, true
	}
	return "", false
}

func (t *Types) structFor(class string) *plan {
	if t == nil {
		return nil
	}
	return t.byName[class]
}

func (t *Types) enumFor(class string) *enumPlan {
	if t == nil {
		return nil
	}
	return t.enums[class]
}

// enumPlan is how a Go type is a Java enum.
type enumPlan struct {
	class *Class
	typ   reflect.Type
	text  bool
}

func (p *enumPlan) parse(name string) (any, error) {
	v := reflect.New(p.typ)
	if err := p.parseInto(v.Elem(), name); err != nil {
		return nil, err
	}
	return v.Elem().Interface(), nil
}

func (p *enumPlan) parseInto(dst reflect.Value, name string) error {
	if !p.text {
		dst.SetString(name)
		return nil
	}
	u, ok := dst.Addr().Interface().(encoding.TextUnmarshaler)
	if !ok {
		return fmt.Errorf("%w: %v is not a TextUnmarshaler", ErrType, p.typ)
	}
	if err := u.UnmarshalText([]byte(name)); err != nil {
		return fmt.Errorf("%w: constant %q: %w", ErrType, name, err)
	}
	return nil
}

func (p *enumPlan) name(v reflect.Value) (string, error) {
	if !p.text {
		return v.String(), nil
	}
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok {
		return "", fmt.Errorf("%w: %v is not a TextMarshaler", ErrType, p.typ)
	}
	b, err := m.MarshalText()
	return string(b), err
}
