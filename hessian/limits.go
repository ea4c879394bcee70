package hessian

// Limits bound what a Decoder accepts and an Encoder writes. A zero field means its default; a
// negative field is treated as the default as well. Limits are per Reset, not per value.
type Limits struct {
	// MaxLength is the longest string or binary, in bytes of the wire form. Default 8 MiB.
	MaxLength int
	// MaxDepth is how deep lists, maps and objects may nest. Default 512.
	MaxDepth int
	// MaxCount is the number of values in total, containers and their elements. Default 1,048,576. Eight elements
	// of an array of a primitive type count as one.
	MaxCount int
	// MaxRefs is the number of lists, maps and objects in total. Default 262,144.
	MaxRefs int
	// MaxFields is the number of fields of one class definition. Default 4,096.
	MaxFields int
	// MaxClasses is the number of class definitions in total. Default 4,096.
	MaxClasses int
}

const (
	defaultMaxLength  = 8 << 20
	defaultMaxDepth   = 512
	defaultMaxCount   = 1 << 20
	defaultMaxRefs    = 1 << 18
	defaultMaxFields  = 1 << 12
	defaultMaxClasses = 1 << 12
)

func (l Limits) withDefaults() Limits {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.MaxLength, defaultMaxLength)
	set(&l.MaxDepth, defaultMaxDepth)
	set(&l.MaxCount, defaultMaxCount)
	set(&l.MaxRefs, defaultMaxRefs)
	set(&l.MaxFields, defaultMaxFields)
	set(&l.MaxClasses, defaultMaxClasses)
	return l
}
