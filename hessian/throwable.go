package hessian

import (
	"fmt"
	"strings"
	"unsafe"
)

// Throwable is a Java exception. Write one to make a Java caller throw it; the class must be one that the caller has,
// with the fields of java.lang.Throwable (any subclass that adds none of its own). Reading yields an *Object:
// AsThrowable gives this view of it.
type Throwable struct {
	Class   string
	Message string
	Cause   *Throwable
	Stack   []StackFrame
}

// StackFrame is a java.lang.StackTraceElement.
type StackFrame struct {
	Class  string
	Method string
	File   string
	Line   int
}

// String returns the frame as Java prints it.
func (f StackFrame) String() string {
	return fmt.Sprintf("%s.%s(%s:%d)", f.Class, f.Method, f.File, f.Line)
}

// Error returns "class: message", and the causes after that.
func (t *Throwable) Error() string {
	var b strings.Builder
	for i := 0; t != nil && i < 16; i++ {
		if i > 0 {
			b.WriteString("; caused by ")
		}
		b.WriteString(t.Class)
		if t.Message != "" {
			b.WriteString(": ")
			b.WriteString(t.Message)
		}
		t = t.Cause
	}
	return b.String()
}

// Unwrap returns the cause.
func (t *Throwable) Unwrap() error {
	if t.Cause == nil {
		return nil
	}
	return t.Cause
}

// AsThrowable reads a decoded Java exception: an object with the fields of java.lang.Throwable, or the map that a generic
// call yields. ok is false for other values.
func AsThrowable(v any) (t *Throwable, ok bool) { return asThrowable(v, 0) }

func asThrowable(v any, depth int) (*Throwable, bool) {
	var class string
	var get func(string) any
	switch v := v.(type) {
	case *Throwable:
		return v, v != nil
	case *Object:
		class = v.Name()
		get = func(name string) any { x, _ := v.Get(name); return x }
	case map[string]any:
		class, _ = v["class"].(string)
		get = func(name string) any { return v[name] }
	default:
		return nil, false
	}
	if get("stackTrace") == nil && get("detailMessage") == nil {
		return nil, false
	}
	t := &Throwable{Class: class}
	t.Message, _ = get("detailMessage").(string)
	if frames, ok := get("stackTrace").([]any); ok {
		for _, f := range frames {
			if o, ok := f.(*Object); ok {
				line, _ := ints(o, "lineNumber")
				t.Stack = append(t.Stack, StackFrame{o.Text("declaringClass"), o.Text("methodName"), o.Text("fileName"), line[0]})
			}
		}
	}
	// An exception without a cause names itself as its cause.
	if cause := get("cause"); depth < 16 && identity(cause) != identity(v) {
		t.Cause, _ = asThrowable(cause, depth+1)
	}
	return t, true
}

var (
	classStackFrame = Class{"java.lang.StackTraceElement", []string{"declaringClass", "methodName", "fileName", "lineNumber"}}
	throwableFields = []string{"detailMessage", "cause", "stackTrace", "suppressedExceptions"}
)

func (e *Encoder) encodeThrowable(t *Throwable) error {
	if t == nil {
		e.EncodeNull()
		return nil
	}
	if t.Class == "" {
		return fmt.Errorf("%w: a hessian.Throwable needs a Java class name", ErrType)
	}
	if e.seen(unsafe.Pointer(t), refThrowable, 0) {
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	self := len(e.refs.keys) - 1
	e.objectHeader(&Class{Name: t.Class, Fields: throwableFields})
	e.EncodeString(t.Message)
	if t.Cause == nil {
		e.buf = AppendInt(append(e.buf, tagRef), int32(self))
	} else if err := e.encodeThrowable(t.Cause); err != nil {
		return err
	}
	e.EncodeListBegin("[java.lang.StackTraceElement", len(t.Stack))
	for _, f := range t.Stack {
		e.EncodeObjectBegin(&classStackFrame)
		e.EncodeString(f.Class)
		e.EncodeString(f.Method)
		e.EncodeString(f.File)
		e.EncodeInt(int32(f.Line))
	}
	e.EncodeListBegin("", 0)
	e.leave()
	return nil
}
