package hessian

// Class is the definition of a Java class on the wire: its name and its fields in order. It must not be changed
// after first use: the encoder recognises a class by its address.
type Class struct {
	Name   string
	Fields []string
}

// Object is an instance of a Java class that has no Go struct in Types. Values holds one value for each field
// of Class. A nil *Object encodes as null.
type Object struct {
	Class  *Class
	Values []any
}

// Field is one field of an object.
type Field struct {
	Name  string
	Value any
}

// NewObject returns an object of the named class with the given fields, in this order.
func NewObject(class string, fields ...Field) *Object {
	c := &Class{Name: class, Fields: make([]string, len(fields))}
	o := &Object{Class: c, Values: make([]any, len(fields))}
	for i, f := range fields {
		c.Fields[i], o.Values[i] = f.Name, f.Value
	}
	return o
}

// Name returns the class name, "" for a nil object.
func (o *Object) Name() string {
	if o == nil || o.Class == nil {
		return ""
	}
	return o.Class.Name
}

// Get returns the value of the first field called name.
func (o *Object) Get(name string) (any, bool) {
	if o == nil || o.Class == nil {
		return nil, false
	}
	for i, f := range o.Class.Fields {
		if f == name && i < len(o.Values) {
			return o.Values[i], true
		}
	}
	return nil, false
}

// Text returns the value of a field that holds text, else "".
func (o *Object) Text(name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// List is a list with a Java type: an array ("[com.example.Order") or a collection
// ("java.util.HashSet"). It is for writing; reading one yields a Go slice unless Options.Raw is set.
type List struct {
	Type  string
	Items []any
}

// Map is a map as a list of entries. It is for writing maps of a certain Java class or in a certain order. Reading yields one only
// for maps whose keys cannot be keys of a Go map, and for all typed maps when Options.Raw is set.
type Map struct {
	// Type is the Java class, "" for HashMap.
	Type    string
	Entries []Entry
}

// Entry is one key and value of a Map.
type Entry struct{ Key, Value any }

// Enum is a constant of a Java enum, for writing. It is read as an *Object with the field "name", because
// the wire form does not tell an enum from a class; a Go type given to TypesBuilder.Enum is read as itself.
type Enum struct {
	Class string
	Name  string
}
