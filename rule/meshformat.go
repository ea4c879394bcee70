package rule

import (
	"math"
	"strconv"
	"strings"
)

// meshDocument prints the rules as one DestinationRule and the VirtualServices in order, in flow style below their heads.
func (w *yamlWriter) meshDocument(d *MeshDocument) {
	if len(d.Services) == 0 {
		return
	}
	w.linef("kind: DestinationRule")
	w.linef("metadata: {name: subsets}")
	w.linef("spec:")
	w.linef("  subsets:%s", emptyList(len(d.Subsets)))
	for _, s := range d.Subsets {
		w.linef("    - {name: %s%s}", yamlQuote(s.Name), meshMap(", labels", meshLabels(s.Labels)))
	}
	for _, v := range d.Services {
		w.linef("---")
		w.linef("kind: VirtualService")
		w.linef("metadata: {name: %s}", yamlQuote(v.Name))
		if v.Broken {
			continue
		}
		w.linef("spec:")
		w.linef("  dubbo:%s", emptyList(len(v.Routes)))
		for _, r := range v.Routes {
			w.meshRoute(&r)
		}
	}
}

func emptyList(n int) string {
	if n == 0 {
		return " []"
	}
	return ""
}

func (w *yamlWriter) meshRoute(r *MeshRoute) {
	if r.Broken {
		w.linef("    - broken")
		return
	}
	w.linef("    - services: [%s]", meshList(r.Services, meshText))
	w.linef("      routedetail:%s", emptyList(len(r.Details)))
	for _, e := range r.Details {
		if e.Broken {
			w.linef("        - broken")
			continue
		}
		w.linef("        - match: [%s]", meshList(e.Match, meshRequest))
		if e.HasRoute {
			w.linef("          route:%s", emptyList(len(e.Route)))
		}
		for _, d := range e.Route {
			w.linef("            - %s", meshDestination(&d))
		}
	}
}

func meshDestination(d *MeshDestination) string {
	if d.Broken {
		return "{weight: " + strconv.Itoa(d.Weight) + "}"
	}
	// {destination: {subset: a, fallback: {destination: {subset: b}}}, weight: 1}
	var b strings.Builder
	for i, s := range d.Subsets {
		if i > 0 {
			b.WriteString(", fallback: ")
		}
		b.WriteString("{destination: {subset: " + yamlQuote(s))
	}
	b.WriteString(strings.Repeat("}", 2*len(d.Subsets)-1))
	return b.String() + ", weight: " + strconv.Itoa(d.Weight) + "}"
}

func meshList[T any](list []T, print func(*T) string) string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = print(&list[i])
	}
	return strings.Join(out, ", ")
}

func meshMap(name, fields string) string {
	if fields == "" {
		return ""
	}
	return name + ": {" + fields + "}"
}

func meshLabels(labels []MeshLabel) string {
	return meshList(labels, func(l *MeshLabel) string {
		if l.Broken {
			return yamlQuote(l.Key) + ": []"
		}
		return yamlQuote(l.Key) + ": " + yamlQuote(l.Value)
	})
}

func meshText(t *MeshText) string {
	if t.Broken {
		return "broken"
	}
	return "{" + strings.Join(t.fields(), ", ") + "}"
}

func meshRequest(r *MeshRequest) string {
	if r.Broken {
		return "broken"
	}
	var parts []string
	if m := r.Method; m != nil {
		parts = append(parts, "method: {"+strings.Join(m.parts(), ", ")+"}")
	}
	if len(r.SourceLabels) > 0 {
		parts = append(parts, "sourceLabels: {"+meshLabels(r.SourceLabels)+"}")
	}
	var context []string
	if len(r.Attachments) > 0 {
		context = append(context, "dubboContext: {"+meshList(r.Attachments, func(a *MeshAttachment) string { return yamlQuote(a.Key) + ": " + meshText(&a.Value) })+"}")
	}
	if r.Tracing {
		context = append(context, "tracingContext: {any: {noempty: x}}")
	}
	if len(context) > 0 {
		parts = append(parts, "attachments: {"+strings.Join(context, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (m *MeshMethod) parts() []string {
	var parts []string
	if m.Name != nil {
		parts = append(parts, "name_match: "+meshText(m.Name))
	}
	if m.Count != nil {
		parts = append(parts, "argc: "+strconv.Itoa(*m.Count))
	}
	if len(m.Types) > 0 {
		parts = append(parts, "argp: ["+meshList(m.Types, meshText)+"]")
	}
	if len(m.Args) > 0 {
		parts = append(parts, "args: ["+meshList(m.Args, meshArg)+"]")
	}
	return parts
}

func meshArg(a *MeshArg) string {
	parts := []string{"index: " + strconv.Itoa(a.Index)}
	switch {
	case a.Broken:
		parts = append(parts, "str_value: {}")
	case a.Texts != nil:
		parts = append(parts, "str_value: {oneof: ["+meshList(*a.Texts, meshText)+"]}")
	case a.Numbers != nil:
		parts = append(parts, "num_value: {oneof: ["+meshList(*a.Numbers, meshNumber)+"]}")
	case a.Bool != nil:
		parts = append(parts, "bool_value: {exact: "+strconv.FormatBool(*a.Bool)+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func meshNumber(n *MeshNumber) string {
	if n.Broken {
		return "broken"
	}
	var parts, ends []string
	add := func(to *[]string, name string, v *float64) {
		if v == nil {
			return
		}
		text := strconv.FormatFloat(*v, 'f', -1, 64)
		switch {
		case math.IsNaN(*v):
			text = ".nan"
		case math.IsInf(*v, 0):
			text = strings.ToLower(text[:1]) + ".inf"
		case !strings.Contains(text, "."):
			text += ".0"
		}
		*to = append(*to, name+": "+text)
	}
	add(&parts, "exact", n.Exact)
	add(&parts, "mod", n.Mod)
	add(&ends, "start", n.From)
	add(&ends, "end", n.To)
	if n.HasRange {
		parts = append(parts, "range: {"+strings.Join(ends, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
