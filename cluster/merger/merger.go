package merger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
)

// Merger makes one result of several. Implementations are safe for concurrent use and leave the values alone.
type Merger interface {
	// Name is the value of the parameter merger that selects it.
	Name() string
	// Merge combines values, one of each group that answered, in the order of the groups; nil stands for null. There are at least two.
	Merge(values []any) (any, error)
}

// ErrNone is in the chain of errors for values that no merger fits.
var ErrNone = errors.New("there is no merger for these results")

// Func returns a Merger called name that calls merge. A name that starts with a dot, such as ".combine", stands for that method of a Java
// class.
func Func(name string, merge func(values []any) (any, error)) Merger { return function{name, merge} }

type function struct {
	name  string
	merge func([]any) (any, error)
}

func (f function) Name() string                    { return f.name }
func (f function) Merge(values []any) (any, error) { return f.merge(values) }

// Options say which mergers there are. The zero value has the built-in ones.
type Options struct {
	// Dialect is the Dubbo generation to agree with: mergers of numbers are Standard's own.
	Dialect dialect.Dialect
	// Custom are the application's mergers; they are found by Name, before the built-in ones.
	Custom []Merger
}

// Find returns the merger that the parameter merger names: "true" or "default" merge by the kind of the values, ".addAll" and the
// like stand for a method of the result's Java class, everything else is a name. The error lists the names.
func (o Options) Find(parameter string) (Merger, error) {
	for _, m := range o.Custom {
		if m.Name() == parameter {
			return m, nil
		}
	}
	if strings.EqualFold(parameter, "true") || strings.EqualFold(parameter, "default") {
		return byKind{}, nil
	}
	if method, ok := strings.CutPrefix(parameter, "."); ok {
		return byMethod{method}, nil
	}
	if merge, ok := named(parameter, o.numbers()); ok {
		return function{parameter, merge}, nil
	}
	return nil, fmt.Errorf("unknown merger %q: use true, one of %q, a method such as .addAll, or give your own", parameter, o.Names())
}

// IsSet reports whether the parameter merger asks for merging at all: "", false, 0, null and N/A do not (Dubbo's ConfigUtils.isEmpty).
func IsSet(parameter string) bool {
	switch strings.ToLower(parameter) {
	case "", "false", "0", "null", "n/a":
		return false
	}
	return true
}

// Names returns the names of the mergers that Find knows, the application's first. The slice is the caller's.
func (o Options) Names() []string {
	var out []string
	for _, m := range o.Custom {
		out = append(out, m.Name())
	}
	out = append(out, "list", "set", "map", "boolean", "byte", "char", "short", "int", "long", "float", "double")
	if o.numbers() {
		out = append(out, "intsum", "longsum", "doublesum")
	}
	return slices.Clip(out)
}

// numbers reports whether the dialect has mergers of numbers. Dubbo has none: those of these names are part of its tests only.
func (o Options) numbers() bool { return o.Dialect == dialect.Standard }

// named returns a built-in merger.
func named(name string, numbers bool) (func([]any) (any, error), bool) {
	switch name {
	case "list":
		return lists, true
	case "set":
		return sets, true
	case "map":
		return maps, true
	case "boolean":
		return arrays[bool](), true
	case "byte":
		return arrays[byte](), true
	case "char":
		return texts, true
	case "short":
		return arrays[int16](), true
	case "int":
		return arrays[int32](), true
	case "long":
		return arrays[int64](), true
	case "float":
		return arrays[float32](), true
	case "double":
		return arrays[float64](), true
	}
	if !numbers {
		return nil, false
	}
	switch name {
	case "intsum":
		return sum[int32], true
	case "longsum":
		return sum[int64], true
	case "doublesum":
		return sum[float64], true
	}
	return nil, false
}
