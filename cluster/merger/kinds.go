package merger

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/dubway-go/dubway/hessian"
)

// byKind is merger=true: it looks at the values, because a call carries no return type. A Set arrives as a list, so name the merger set
// where a Set is wanted. Texts and numbers have no merger of this kind, as in Dubbo.
type byKind struct{}

func (byKind) Name() string { return "default" }

// Merge implements Merger.
func (byKind) Merge(values []any) (any, error) {
	first := firstValue(values)
	switch v := first.(type) {
	case nil:
		return nil, nil
	case *hessian.List:
		if isSetClass(v.Type) {
			return sets(values)
		}
		return lists(values)
	case map[string]any, map[any]any, *hessian.Map:
		if class := classOf(first); class != "" {
			return nil, fmt.Errorf("%w: they are objects of class %s", ErrNone, class)
		}
		return maps(values)
	default:
		if reflect.TypeOf(first).Kind() == reflect.Slice {
			return slicesOf(values)
		}
	}
	return nil, fmt.Errorf("%w: they are %T", ErrNone, first)
}

// byMethod is merger=.method: what the method of that name does to the first result, with each of the others as its argument. The method
// of a class of the application needs a merger of the application, called by the method's name with its dot.
type byMethod struct{ name string }

func (m byMethod) Name() string { return "." + m.name }

// Merge implements Merger.
func (m byMethod) Merge(values []any) (any, error) {
	first := firstValue(values)
	missing := fmt.Errorf("cannot merge results because %s has no method %q that is known here: give a merger called %q: %w", javaName(first), m.name, "."+m.name, ErrNone)
	switch first.(type) {
	case nil:
		return nil, nil
	case string:
		if m.name == "concat" {
			return texts(values)
		}
	case map[string]any, map[any]any, *hessian.Map:
		if m.name == "putAll" && classOf(first) == "" {
			return maps(values)
		}
	case *big.Int, hessian.Decimal:
		return bigNumbers(m.name, values, missing)
	default:
		if l, ok := first.(*hessian.List); ok && m.name == "addAll" && isSetClass(l.Type) {
			return sets(values)
		}
		if _, err := items(first); err != nil {
			break
		}
		switch m.name {
		case "addAll":
			return lists(values)
		case "removeAll", "retainAll":
			return without(values, m.name == "removeAll")
		}
	}
	return nil, missing
}

// firstValue returns the first value that is not null.
func firstValue(values []any) any {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// classOf returns the Java class of an object that is no plain map, "" for a map. In answers to generic calls an object is a map with the
// key class.
func classOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		class, _ := v["class"].(string)
		return class
	case *hessian.Object:
		if v.Class != nil {
			return v.Class.Name
		}
	}
	return ""
}

func javaName(v any) string {
	if class := classOf(v); class != "" {
		return class
	}
	return fmt.Sprintf("%T", v)
}

// isSetClass reports whether a Java class is one of the sets of java.util.
func isSetClass(class string) bool {
	switch class {
	case "java.util.HashSet", "java.util.LinkedHashSet", "java.util.TreeSet", "java.util.Set", "java.util.concurrent.ConcurrentSkipListSet", "java.util.concurrent.CopyOnWriteArraySet":
		return true
	}
	return false
}
