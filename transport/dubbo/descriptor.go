package dubbo

import (
	"fmt"
	"strings"
)

// maxParameters is the JVM's own limit of parameters of a method.
const maxParameters = 255

// appendDescriptor appends the JVM descriptor of a list of Java types: "int" is I, "byte[]" is [B, "java.lang.String" is
// Ljava/lang/String;. Types that are descriptors or JVM class names already ("[Ljava.lang.String;") are taken too.
func appendDescriptor(dst []byte, types []string) ([]byte, error) {
	for _, t := range types {
		name := strings.TrimSpace(t)
		for strings.HasSuffix(name, "[]") {
			name = strings.TrimSpace(name[:len(name)-2])
			dst = append(dst, '[')
		}
		jvm := strings.HasPrefix(name, "[") // "[I", "[Ljava.lang.String;"
		for strings.HasPrefix(name, "[") {
			name = name[1:]
			dst = append(dst, '[')
		}
		if jvm && len(name) == 1 && primitiveName(name[0]) != "" {
			dst = append(dst, name[0])
			continue
		}
		if letter := primitiveLetter(name); letter != 0 {
			dst = append(dst, letter)
			continue
		}
		if strings.HasPrefix(name, "L") && strings.HasSuffix(name, ";") {
			name = name[1 : len(name)-1]
		}
		if name == "" || strings.ContainsAny(name, ";[]()<> \t") {
			return nil, fmt.Errorf("%q is not a Java type name (want \"long\", \"java.lang.String\", \"byte[]\", …)", t)
		}
		dst = append(dst, 'L')
		for i := range len(name) {
			c := name[i]
			if c == '.' {
				c = '/'
			}
			dst = append(dst, c)
		}
		dst = append(dst, ';')
	}
	return dst, nil
}

// parseDescriptor returns the Java names of the types in a descriptor.
func parseDescriptor(d string) ([]string, error) {
	types := []string{}
	for i := 0; i < len(d); {
		start := i
		for i < len(d) && d[i] == '[' {
			i++
		}
		arrays := i - start
		if i == len(d) || arrays > 255 || len(types) == maxParameters {
			return nil, fmt.Errorf("bad parameter descriptor %.200q", d)
		}
		name := primitiveName(d[i])
		switch {
		case d[i] == 'L':
			end := strings.IndexByte(d[i:], ';')
			if end < 2 {
				return nil, fmt.Errorf("bad parameter descriptor %.200q: a class name has no end", d)
			}
			name = strings.ReplaceAll(d[i+1:i+end], "/", ".")
			i += end + 1
		case name != "":
			i++
		default:
			return nil, fmt.Errorf("bad parameter descriptor %.200q: %q is no type", d, d[i])
		}
		if arrays > 0 {
			name += strings.Repeat("[]", arrays)
		}
		types = append(types, name)
	}
	return types, nil
}

func primitiveName(letter byte) string {
	switch letter {
	case 'Z':
		return "boolean"
	case 'B':
		return "byte"
	case 'C':
		return "char"
	case 'S':
		return "short"
	case 'I':
		return "int"
	case 'J':
		return "long"
	case 'F':
		return "float"
	case 'D':
		return "double"
	}
	return ""
}

func primitiveLetter(name string) byte {
	switch name {
	case "boolean":
		return 'Z'
	case "byte":
		return 'B'
	case "char":
		return 'C'
	case "short":
		return 'S'
	case "int":
		return 'I'
	case "long":
		return 'J'
	case "float":
		return 'F'
	case "double":
		return 'D'
	}
	return 0
}
