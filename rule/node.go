package rule

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
)

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeScalar
	nodeList
	nodeMapping
)

// node is a piece of a YAML document, free of the YAML library. An aliased node is shared.
type node struct {
	kind nodeKind
	// plain is set for scalars without quotes: those may mean numbers or words.
	plain bool
	// tag is the type that a YAML tag gave, typeText for none.
	tag scalarType
	// text is the scalar with the place of each byte.
	text   located
	span   diag.Span
	items  []*node
	fields []field
	// size counts the nodes below with every alias written out.
	size int
}

type field struct {
	key, value *node
}

func (n *node) string() string { return n.text.text }

// get returns the field name of a mapping; the last one counts, as for SnakeYAML.
func (n *node) get(name string) *node {
	for i := len(n.fields) - 1; i >= 0; i-- {
		if n.fields[i].key.string() == name {
			return n.fields[i].value
		}
	}
	return nil
}

// kindName says in a message what n is.
func (n *node) kindName() string {
	switch n.kind {
	case nodeNull:
		return "nothing"
	case nodeList:
		return "a list"
	case nodeMapping:
		return "a mapping"
	}
	switch n.scalarType() {
	case typeBool:
		return "a boolean"
	case typeInt, typeFloat:
		return "a number"
	case typeTime:
		return "a date"
	}
	return "text"
}

type scalarType uint8

const (
	typeText scalarType = iota
	typeNull
	typeBool
	typeInt
	typeFloat
	typeTime
)

// The patterns by which YAML 1.1, the version that Dubbo's reader follows, tells numbers from text.
var (
	intPattern   = regexp.MustCompile(`^(?:[-+]?0b_*[01][01_]*|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x_*[0-9a-fA-F][0-9a-fA-F_]*|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	floatPattern = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	timePattern  = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*)?$`)
)

// scalarType tells what a plain scalar means; a quoted one is text.
func (n *node) scalarType() scalarType {
	s := n.string()
	if n.tag != typeText {
		return n.tag
	}
	if !n.plain || len(s) > 64 {
		return typeText
	}
	switch s {
	case "", "~", "null", "Null", "NULL":
		return typeNull
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON",
		"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF":
		return typeBool
	}
	switch c := s[0]; {
	case !digit(c) && c != '-' && c != '+' && c != '.':
		return typeText // every pattern begins so
	case decimal(s):
		return typeInt
	case intPattern.MatchString(s):
		return typeInt
	case floatPattern.MatchString(s):
		return typeFloat
	case timePattern.MatchString(s):
		return typeTime
	}
	return typeText
}

// decimal reports whether s is a whole number as it is mostly written: digits only, the first of which is 0 in "0" only.
func decimal(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] != '0' || len(s) == 1)
}

func (n *node) bool() bool {
	switch strings.ToLower(n.string()) {
	case "true", "yes", "on":
		return true
	}
	return false
}

// integer returns the number of a scalar of typeInt, as decimal text.
func (n *node) integer() string {
	s := strings.ReplaceAll(n.string(), "_", "")
	if decimal(s) {
		return s
	}
	if strings.Contains(s, ":") {
		return sexagesimal(s)
	}
	if v, ok := new(big.Int).SetString(s, 0); ok {
		return v.String()
	}
	return s
}

// sexagesimal reads YAML 1.1's "1:30" as 90.
func sexagesimal(s string) string {
	negative := strings.HasPrefix(s, "-")
	total := new(big.Int)
	for piece := range strings.SplitSeq(strings.TrimLeft(s, "+-"), ":") {
		v, _ := strconv.Atoi(piece)
		total.Add(total.Mul(total, big.NewInt(60)), big.NewInt(int64(v)))
	}
	if negative {
		total.Neg(total)
	}
	return total.String()
}

// javaText returns what Java prints for the value of n: how the Dubbo dialects turn anything into text.
func (n *node) javaText() string {
	switch n.kind {
	case nodeNull:
		return "null"
	case nodeList:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.javaText()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nodeMapping:
		parts := make([]string, len(n.fields))
		for i, f := range n.fields {
			parts[i] = f.key.javaText() + "=" + f.value.javaText()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	switch n.scalarType() {
	case typeNull:
		return "null"
	case typeBool:
		return strconv.FormatBool(n.bool())
	case typeInt:
		return n.integer()
	case typeFloat:
		switch s := strings.TrimLeft(strings.ToLower(n.string()), "+"); s {
		case ".nan":
			return "NaN"
		case ".inf":
			return "Infinity"
		case "-.inf":
			return "-Infinity"
		}
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n.string(), "_", ""), 64); err == nil {
			s := strconv.FormatFloat(v, 'f', -1, 64)
			if !strings.Contains(s, ".") {
				s += ".0"
			}
			return s
		}
	}
	return n.string()
}
