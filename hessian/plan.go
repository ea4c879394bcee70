package hessian

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// plan is how a Go struct is a Java class.
type plan struct {
	class  *Class
	typ    reflect.Type
	fields []fieldPlan
	byName map[string]*fieldPlan
}

type fieldPlan struct {
	name  string
	index []int
}

// of returns the field in v, a struct; nil pointers to embedded structs on the way are filled.
func (f *fieldPlan) of(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// peek is of for reading; the zero Value when an embedded pointer on the way is nil.
func (f *fieldPlan) peek(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// field returns the field of a Java name: the exact one, else one that differs in case only.
func (p *plan) field(name string) *fieldPlan {
	if f := p.byName[name]; f != nil {
		return f
	}
	for i := range p.fields {
		if strings.EqualFold(p.fields[i].name, name) {
			return &p.fields[i]
		}
	}
	return nil
}

func newPlan(class string, t reflect.Type) (*plan, error) {
	p := &plan{class: &Class{Name: class}, typ: t, byName: map[string]*fieldPlan{}}
	seen := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("hessian"), ",")
		if f.Anonymous && tag == "" && flattened(f.Type) || !f.IsExported() || tag == "-" || hidden(t, f.Index) {
			continue
		}
		name := tag
		if name == "" {
			name = javaName(f.Name)
		}
		if seen[name] {
			return nil, fmt.Errorf("hessian: class %s: two fields of %v are called %q: set a hessian tag on one", class, t, name)
		}
		seen[name] = true
		p.fields = append(p.fields, fieldPlan{name, f.Index})
		p.class.Fields = append(p.class.Fields, name)
	}
	for i := range p.fields {
		p.byName[p.fields[i].name] = &p.fields[i]
	}
	return p, nil
}

// flattened tells whether an embedded field of type t lends its fields to the outer struct.
func flattened(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// hidden tells whether the path to a field goes through an embedded field that is left out, or through an
// unexported pointer that reading could not fill.
func hidden(t reflect.Type, index []int) bool {
	for _, x := range index[:len(index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f := t.Field(x)
		if f.Tag.Get("hessian") != "" || !f.IsExported() && f.Type.Kind() == reflect.Pointer {
			return true
		}
		t = f.Type
	}
	return false
}

// javaName lowers the leading capitals of a Go name, but not the one that begins the next word.
func javaName(name string) string {
	r := []rune(name)
	for i := range r {
		if !unicode.IsUpper(r[i]) || i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}
