package hessian

import (
	"fmt"
	"reflect"
)

// classDef is a class definition of the stream; names are made when an object of it is first decoded.
type classDef struct {
	at     int // offset of the class name
	fields int32
	class  *Class
	plan   *plan
	bound  []*fieldPlan // by wire field, nil where the Go struct has none
}

// define reads a class definition.
func (d *Decoder) define() error {
	at := d.pos
	if d.nclass >= d.limits.MaxClasses {
		return limitError("number of class definitions", d.limits.MaxClasses)
	}
	if err := d.skipString("a class name"); err != nil {
		return err
	}
	n, err := d.length("the fields of a class")
	if err != nil {
		return err
	}
	if n > d.limits.MaxFields {
		return limitError("number of fields of a class", d.limits.MaxFields)
	}
	if n > d.Remaining() {
		return d.malformed("a class announces %d fields, but %d bytes remain", n, d.Remaining())
	}
	if err := d.charge(n + 1); err != nil {
		return err
	}
	for range n {
		if err := d.skipString("a field name"); err != nil {
			return err
		}
	}
	if d.nclass == len(d.class) {
		d.class = append(d.class, classDef{at: at, fields: int32(n)})
	}
	d.nclass++
	return nil
}

// classAt returns class definition number index, with its names.
func (d *Decoder) classAt(index int) (*classDef, error) {
	if index >= d.nclass {
		return nil, d.malformed("an object of class %d, but only %d classes are defined", index, d.nclass)
	}
	c := &d.class[index]
	if c.class != nil {
		return c, nil
	}
	pos := d.pos
	defer func() { d.pos = pos }()
	d.pos = c.at
	name, err := d.text()
	if err != nil {
		return nil, err
	}
	if _, err := d.length("the fields of a class"); err != nil {
		return nil, err
	}
	p := d.types.structFor(name)
	if p != nil {
		c.bound = make([]*fieldPlan, c.fields)
	}
	class := &Class{Name: name, Fields: make([]string, c.fields)}
	for i := range class.Fields {
		if class.Fields[i], err = d.text(); err != nil {
			return nil, err
		}
		if p != nil {
			c.bound[i] = p.field(class.Fields[i])
		}
	}
	c.class, c.plan = class, p
	return c, nil
}

// object reads an object of class number n.
func (d *Decoder) object(n, start int) (any, error) {
	c, err := d.classAt(n)
	if err != nil {
		return nil, err
	}
	index, _, err := d.open(start, refOpen)
	if err != nil {
		return nil, err
	}
	if err := d.owe(int(c.fields), "an object"); err != nil {
		return nil, err
	}
	if c.plan != nil && !d.raw {
		return d.structObject(index, c.class, c.plan, c.bound)
	}
	o := &Object{Class: c.class, Values: make([]any, c.fields)}
	d.refs[index].value = o
	for i := range o.Values {
		d.owed--
		if o.Values[i], err = d.value(); err != nil {
			return nil, err
		}
	}
	if d.raw {
		return d.close(index, o), nil
	}
	if e := d.types.enumFor(o.Class.Name); e != nil {
		v, err := e.parse(o.Text("name"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Class.Name, err)
		}
		return d.close(index, v), nil
	}
	return d.close(index, fromJava(o)), nil
}

func (d *Decoder) structObject(index int, class *Class, p *plan, bound []*fieldPlan) (any, error) {
	ptr := reflect.New(p.typ)
	out := ptr.Interface()
	d.refs[index].value = out
	a := assigner{types: d.types}
	for i, f := range bound {
		d.owed--
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		if err := a.set(f.of(ptr.Elem()), v); err != nil {
			return nil, inField(class.Name, class.Fields[i], err)
		}
	}
	return d.close(index, out), nil
}

func inField(class, field string, err error) error { return fmt.Errorf("%s.%s: %w", class, field, err) }
