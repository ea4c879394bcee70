package hessian

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"
)

// EncoderOptions configure an Encoder. The zero value encodes with default limits and no registered types.
type EncoderOptions struct {
	Types  *Types
	Limits Limits
}

// Encoder appends Hessian values to a buffer. The values between two calls of Reset form one stream: class
// definitions, type names and references are shared among them, as Dubbo shares them within one message body.
// The zero value is ready for use. An Encoder is for one goroutine at a time; it keeps its scratch memory for reuse.
type Encoder struct {
	buf     []byte
	types   *Types
	limits  Limits
	refs    refTable
	classes []*Class
	names   []string // type names of lists and maps, by index
	depth   int
	plans   map[reflect.Type]*plan // of structs that types does not know
}

// NewEncoder returns an encoder that appends to a buffer of its own until Reset.
func NewEncoder(o EncoderOptions) *Encoder {
	return &Encoder{types: o.Types, limits: o.Limits.withDefaults()}
}

// Reset starts a new stream that is appended to dst.
func (e *Encoder) Reset(dst []byte) {
	e.buf = dst
	e.refs.reset()
	clear(e.classes)
	e.classes = e.classes[:0]
	clear(e.names)
	e.names = e.names[:0]
	e.depth = 0
	if e.limits.MaxDepth == 0 {
		e.limits = e.limits.withDefaults()
	}
}

// Bytes returns the buffer: what Reset was given and all that was encoded since. It is valid until the next Encode.
func (e *Encoder) Bytes() []byte { return e.buf }

// Len returns len(Bytes()).
func (e *Encoder) Len() int { return len(e.buf) }

// Truncate drops all but the first n bytes of the buffer. It is for taking back a value whose Encode failed; use it
// only when what is dropped defined no class, type or reference that later values build on.
func (e *Encoder) Truncate(n int) { e.buf = e.buf[:n] }

// EncodeNull appends a null.
func (e *Encoder) EncodeNull() { e.buf = AppendNull(e.buf) }

// EncodeBool appends a boolean.
func (e *Encoder) EncodeBool(v bool) { e.buf = AppendBool(e.buf, v) }

// EncodeInt appends a Java int.
func (e *Encoder) EncodeInt(v int32) { e.buf = AppendInt(e.buf, v) }

// EncodeLong appends a Java long.
func (e *Encoder) EncodeLong(v int64) { e.buf = AppendLong(e.buf, v) }

// EncodeDouble appends a Java double.
func (e *Encoder) EncodeDouble(v float64) { e.buf = AppendDouble(e.buf, v) }

// EncodeString appends a string.
func (e *Encoder) EncodeString(v string) { e.buf = AppendString(e.buf, v) }

// EncodeBinary appends a byte[]; nil is an empty one.
func (e *Encoder) EncodeBinary(v []byte) { e.buf = AppendBinary(e.buf, v) }

// EncodeTime appends a java.util.Date.
func (e *Encoder) EncodeTime(v time.Time) { e.buf = AppendTime(e.buf, v) }

// EncodeListBegin starts a list of exactly n elements, which the caller encodes next; there is no end
// mark. typ is the Java type ("[string", "java.util.LinkedList") or "" for ArrayList.
func (e *Encoder) EncodeListBegin(typ string, n int) {
	e.refs.anonymous()
	e.listHeader(typ, n)
}

func (e *Encoder) listHeader(typ string, n int) {
	if typ == "" {
		if n <= 7 {
			e.buf = append(e.buf, byte(tagListUntypedDirect+n))
			return
		}
		e.buf = AppendInt(append(e.buf, tagListUntyped), int32(n))
		return
	}
	if n <= 7 {
		e.buf = append(e.buf, byte(tagListDirect+n))
		e.typeName(typ)
		return
	}
	e.buf = append(e.buf, tagList)
	e.typeName(typ)
	e.buf = AppendInt(e.buf, int32(n))
}

// EncodeMapBegin starts a map: keys and values in turn, then EncodeMapEnd. typ is the Java class or "" for HashMap.
func (e *Encoder) EncodeMapBegin(typ string) {
	e.refs.anonymous()
	e.mapHeader(typ)
}

func (e *Encoder) mapHeader(typ string) {
	if typ == "" {
		e.buf = append(e.buf, tagMapUntyped)
		return
	}
	e.buf = append(e.buf, tagMap)
	e.typeName(typ)
}

// EncodeMapEnd ends a map.
func (e *Encoder) EncodeMapEnd() { e.buf = append(e.buf, tagEnd) }

func (e *Encoder) typeName(typ string) {
	for i, n := range e.names {
		if n == typ {
			e.buf = AppendInt(e.buf, int32(i))
			return
		}
	}
	e.names = append(e.names, typ)
	e.buf = AppendString(e.buf, typ)
}

// EncodeObjectBegin starts an object of class c: the class definition where it is the first of the stream,
// then the caller encodes one value for each field.
func (e *Encoder) EncodeObjectBegin(c *Class) {
	e.refs.anonymous()
	e.objectHeader(c)
}

func (e *Encoder) objectHeader(c *Class) {
	index := -1
	for i, known := range e.classes {
		if known == c || known.Name == c.Name && sameFields(known.Fields, c.Fields) {
			index = i
			break
		}
	}
	if index < 0 {
		index = len(e.classes)
		e.classes = append(e.classes, c)
		e.buf = AppendString(append(e.buf, tagClass), c.Name)
		e.buf = AppendInt(e.buf, int32(len(c.Fields)))
		for _, f := range c.Fields {
			e.buf = AppendString(e.buf, f)
		}
	}
	if index <= 0x0f {
		e.buf = append(e.buf, byte(tagObjectDirect+index))
		return
	}
	e.buf = AppendInt(append(e.buf, tagObject), int32(index))
}

func sameFields(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// enter guards one level of nesting; leave must follow when it returns nil.
func (e *Encoder) enter() error {
	if e.limits.MaxDepth == 0 {
		e.limits = e.limits.withDefaults()
	}
	if e.depth >= e.limits.MaxDepth {
		return fmt.Errorf("%w (a Go value that contains itself by value nests forever)", limitError("nesting", e.limits.MaxDepth))
	}
	e.depth++
	return nil
}

func (e *Encoder) leave() { e.depth-- }

// seen writes a reference when the container with this identity was written before in the stream; else it takes the next
// reference number for it.
func (e *Encoder) seen(p unsafe.Pointer, kind uintptr, n int) bool {
	if i := e.refs.find(refKey{p, kind, n}); i >= 0 {
		e.buf = AppendInt(append(e.buf, tagRef), int32(i))
		return true
	}
	return false
}
