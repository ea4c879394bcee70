package rule

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// ParseMeshDocument reads the mesh rules of a provider application (spec §6.5): several YAML documents, each a DestinationRule or a
// VirtualService. All findings are returned; the document is nil iff there is an error among them.
//
// In the Dubbo dialects a text without any rule of the family "standard" gives a document that says that there is no rule; parts
// on which Dubbo fails at the call are kept, marked Broken. Standard refuses both.
func ParseMeshDocument(o Origin, text string, d dialect.Dialect) (*MeshDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readMeshDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readMeshDocument(o Origin, text string, d dialect.Dialect, r *report) *MeshDocument {
	parts := readYAMLDocuments(text, r)
	if r.list.HasErrors() {
		return nil
	}
	b := &meshBinder{reader: reader{dialect: d, report: r}, doc: &MeshDocument{Origin: o, Text: text}}
	for _, n := range parts {
		if n != nil && n.kind != nodeNull {
			b.part(n)
		}
	}
	switch {
	case r.list.HasErrors():
		return nil
	case !b.standard && b.strict():
		r.error(diag.BadMesh, diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}, "there is no mesh rule in this text", "delete the key to end the rules")
	case !b.standard:
		r.warn(diag.MeshSurprise, diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}, "there is no mesh rule in this text: it clears the rules in force", "")
	case b.destinations == 0 || b.virtuals == 0:
		r.error(diag.BadMesh, diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: 1}, "mesh rules need a DestinationRule and a VirtualService: Dubbo keeps the old rules in force", "put both into this text, separated by ---")
	}
	return b.doc
}

// meshBinder turns nodes into rules as Dubbo binds them to its classes: a wrong type is sometimes an absent field, sometimes
// fatal, sometimes a failure at the call.
type meshBinder struct {
	reader
	doc                    *MeshDocument
	standard               bool
	destinations, virtuals int
}

// refuse: the text is refused as a whole.
func (b *meshBinder) refuse(n *node, message, hint string) {
	b.report.error(diag.BadMesh, n.span, message+": Dubbo refuses the rules and keeps the old ones", hint)
}

// ignored: Dubbo goes on as if the field were not there.
func (b *meshBinder) ignored(n *node, message, hint string) {
	if b.strict() {
		b.report.error(diag.BadMesh, n.span, message, hint)
		return
	}
	b.report.warn(diag.MeshSurprise, n.span, message+": Dubbo ignores it", hint)
}

// fails: Dubbo fails on each call that gets here.
func (b *meshBinder) fails(n *node, message, hint string) {
	if b.strict() {
		b.report.error(diag.BadMesh, n.span, message, hint)
		return
	}
	b.report.warn(diag.MeshSurprise, n.span, message+": Dubbo fails on the calls that get here, and they find no provider", hint)
}

// part reads one YAML document.
func (b *meshBinder) part(n *node) {
	if n.kind != nodeMapping {
		b.ignored(n, "a mesh rule is a mapping, not "+n.kindName(), "write kind: VirtualService or kind: DestinationRule")
		return
	}
	metadata := n.get("metadata")
	if metadata == nil || metadata.kind != nodeMapping || len(metadata.fields) == 0 {
		b.ignored(n, "a mesh rule without metadata", "write metadata: {name: order}")
		return
	}
	name := metadata.get("name")
	if name == nil || name.kind != nodeScalar || name.scalarType() != typeText {
		b.refuse(metadata, "metadata has no name in text form", "write name: order")
		return
	}
	if _, family, dotted := strings.Cut(name.string(), "."); dotted && family != "standard" {
		b.ignored(name, "the part after the first dot of a name is the family of the rule, and there is none called "+quote(family), "write the name without a dot")
		return
	}
	b.standard = true
	for _, x := range metadata.fields {
		if x.value.kind == nodeNull || x.value.kind == nodeMapping {
			b.refuse(x.value, "metadata may hold texts only, "+quote(x.key.string())+" is "+x.value.kindName(), "take it out")
		}
	}
	kind := n.get("kind")
	switch {
	case kind != nil && kind.kind == nodeScalar && kind.string() == "DestinationRule":
		b.destinations++
		b.destinationRule(n)
	case kind != nil && kind.kind == nodeScalar && kind.string() == "VirtualService":
		b.virtuals++
		b.virtualService(n, name.string())
	default:
		b.ignored(n, "neither kind: DestinationRule nor kind: VirtualService", "write one of them")
	}
}

// destinationRule reads subsets. What is wrong here makes Dubbo fail when it takes the rules over.
func (b *meshBinder) destinationRule(n *node) {
	unusable := func(at *node, message string) {
		b.report.error(diag.MeshFails, at.span, message+": Dubbo fails when it takes the rules over, and at the first subscription loses the whole notification",
			"write spec: {subsets: [{name: v1, labels: {version: \"1\"}}]}")
	}
	spec := b.mapping(n.get("spec"), "spec")
	if spec == nil {
		unusable(n, "a DestinationRule without spec")
		return
	}
	b.text(spec.get("host"), "host")
	list := spec.get("subsets")
	items, ok := b.list(list, "subsets")
	if !ok {
		unusable(n, "a DestinationRule without subsets")
		return
	}
	for _, item := range items {
		if item.kind != nodeMapping {
			unusable(item, "a subset is a mapping, not "+item.kindName())
			continue
		}
		s := MeshSubset{Span: item.span}
		if name := b.text(item.get("name"), "name"); name != nil {
			s.Name = *name
		}
		s.Labels = b.labels(item.get("labels"), "labels")
		for _, l := range s.Labels {
			if l.Broken {
				unusable(item, "label "+quote(l.Key)+" has no text value")
			}
		}
		b.doc.Subsets = append(b.doc.Subsets, s)
	}
}

func (b *meshBinder) virtualService(n *node, name string) {
	v := VirtualService{Name: name, Span: n.span}
	spec := b.mapping(n.get("spec"), "spec")
	if spec == nil {
		v.Broken = true
		b.fails(n, "a VirtualService without spec", "write spec: {dubbo: [...]}")
	} else {
		if hosts, ok := b.list(spec.get("hosts"), "hosts"); ok {
			for _, h := range hosts {
				b.text(h, "hosts")
			}
		}
		items, _ := b.list(spec.get("dubbo"), "dubbo")
		for _, item := range items {
			v.Routes = append(v.Routes, b.route(item))
		}
	}
	b.doc.Services = append(b.doc.Services, v)
}

func (b *meshBinder) route(n *node) MeshRoute {
	r := MeshRoute{Span: n.span}
	if n.kind != nodeMapping {
		r.Broken = true
		b.fails(n, "an entry of dubbo is a mapping, not "+n.kindName(), "write - {services: [...], routedetail: [...]}")
		return r
	}
	b.text(n.get("name"), "name")
	r.Services = b.texts(n.get("services"), "services")
	items, _ := b.list(n.get("routedetail"), "routedetail")
	for _, item := range items {
		r.Details = append(r.Details, b.entry(item))
	}
	return r
}

func (b *meshBinder) entry(n *node) MeshEntry {
	e := MeshEntry{Span: n.span}
	if n.kind != nodeMapping {
		e.Broken = true
		b.fails(n, "an entry of routedetail is a mapping, not "+n.kindName(), "write - {match: [...], route: [...]}")
		return e
	}
	b.text(n.get("name"), "name")
	matches, _ := b.list(n.get("match"), "match")
	for _, item := range matches {
		e.Match = append(e.Match, b.request(item))
	}
	if len(e.Match) > 1 && !b.strict() {
		b.report.info(diag.MeshSurprise, n.span, "all requests of match must hold; in Istio one is enough", "write one entry of routedetail for each")
	}
	var route []*node
	route, e.HasRoute = b.list(n.get("route"), "route")
	sum := 0
	for _, item := range route {
		d := b.destination(item)
		sum += d.Weight
		e.Route = append(e.Route, d)
	}
	if e.HasRoute && len(route) == 0 || sum > math.MaxInt32 {
		b.fails(n, "route has no destination, or weights with too large a sum", "write route: [{destination: {host: order, subset: v1}}]")
	}
	return e
}

func (b *meshBinder) destination(n *node) MeshDestination {
	d := MeshDestination{Span: n.span, Weight: 1}
	if n.kind != nodeMapping {
		d.Broken = true
		b.fails(n, "a destination is a mapping, not "+n.kindName(), "write - {destination: {host: order, subset: v1}, weight: 50}")
		return d
	}
	d.Weight = max(b.int(n.get("weight"), "weight"), 1)
	at := b.mapping(n.get("destination"), "destination")
	if at == nil {
		d.Broken = true
		b.fails(n, "an entry of route without destination", "write destination: {host: order, subset: v1}")
		return d
	}
	for depth := 0; at != nil; depth++ {
		b.text(at.get("host"), "host")
		b.int(at.get("port"), "port")
		subset := ""
		if s := b.text(at.get("subset"), "subset"); s != nil {
			subset = *s
		}
		d.Subsets = append(d.Subsets, subset)
		next := b.mapping(at.get("fallback"), "fallback")
		if next == nil {
			break
		}
		b.int(next.get("weight"), "weight")
		at = b.mapping(next.get("destination"), "destination")
	}
	return d
}

// text reads a text field: nil when it is absent.
func (b *meshBinder) text(n *node, name string) *string {
	switch {
	case n == nil || n.kind == nodeNull:
		return nil
	case n.kind == nodeMapping:
		b.refuse(n, name+" must be text, not a mapping", "write "+name+": \"...\"")
		return nil
	case n.kind == nodeList || n.scalarType() == typeTime:
		b.ignored(n, name+" must be text, not "+n.kindName(), "write "+name+": \"...\"")
		return nil
	}
	text := n.string()
	if n.scalarType() != typeText {
		text = n.javaText()
	}
	return &text
}

// mapping returns a mapping, or nil when the field is absent or something else.
func (b *meshBinder) mapping(n *node, name string) *node {
	switch {
	case n == nil || n.kind == nodeNull:
		return nil
	case n.kind != nodeMapping:
		b.ignored(n, name+" must be a mapping, not "+n.kindName(), "write "+name+": {...}")
		return nil
	}
	return n
}

// list returns a list; ok is false when the field is absent or something else.
func (b *meshBinder) list(n *node, name string) (items []*node, ok bool) {
	switch {
	case n == nil || n.kind == nodeNull:
		return nil, false
	case n.kind != nodeList:
		b.ignored(n, name+" must be a list, not "+n.kindName(), "write "+name+": [...]")
		return nil, false
	}
	for _, item := range n.items {
		if item.kind == nodeNull {
			b.refuse(n, name+" has an empty item", "take it out")
			return nil, false
		}
	}
	return n.items, true
}

// int reads a whole number that must be written as one; absent is 0.
func (b *meshBinder) int(n *node, name string) int {
	if n == nil || n.kind == nodeNull {
		return 0
	}
	if n.kind == nodeScalar && n.scalarType() == typeInt {
		if v, err := strconv.ParseInt(n.integer(), 10, 32); err == nil {
			return int(v)
		}
	}
	b.refuse(n, name+" must be a whole number without quotes, not "+n.kindName(), "write "+name+": 1")
	return 0
}

// labels reads a mapping of texts.
func (b *meshBinder) labels(n *node, name string) []MeshLabel {
	m := b.mapping(n, name)
	if m == nil {
		return nil
	}
	out := make([]MeshLabel, 0, len(m.fields))
	for i, x := range m.fields {
		if x.value.kind == nodeNull {
			b.refuse(x.key, name+" has "+quote(x.key.string())+" without a value", "write "+x.key.string()+": \"...\"")
			continue
		}
		l := MeshLabel{Key: x.key.string()}
		if text := b.text(x.value, x.key.string()); text != nil {
			l.Value = *text
		} else {
			l.Broken = true
		}
		if m.get(l.Key) == m.fields[i].value {
			out = append(out, l)
		}
	}
	return out
}

// texts reads a list of string matches.
func (b *meshBinder) texts(n *node, name string) []MeshText {
	items, ok := b.list(n, name)
	if !ok {
		return nil
	}
	out := make([]MeshText, len(items))
	for i, item := range items {
		out[i] = b.match(item, name)
	}
	return out
}

// match reads a string match.
func (b *meshBinder) match(n *node, name string) MeshText {
	if n.kind != nodeMapping {
		b.fails(n, name+" must have a mapping such as {exact: a} here, not "+n.kindName(), "write {exact: \"...\"}")
		return MeshText{Broken: true}
	}
	var m MeshText
	known := []string{"exact", "prefix", "regex", "wildcard", "empty", "noempty"}
	set := 0
	for i, at := range []**string{&m.Exact, &m.Prefix, &m.Regex, &m.Wildcard, &m.Empty, &m.NoEmpty} {
		if *at = b.text(n.get(known[i]), known[i]); *at != nil {
			set++
		}
	}
	b.keys(n, known, " in a string match")
	if set == 0 {
		b.ignored(n, "a string match without a matcher never matches", "write one of exact, prefix, regex, wildcard, empty, noempty")
	}
	if m.Regex != nil && m.Exact == nil && m.Prefix == nil {
		if _, err := regexp.Compile(*m.Regex); err != nil {
			b.fails(n, "regular expression "+quote(*m.Regex)+" cannot be read", "look-around and back references are not supported")
		}
	}
	return m
}
