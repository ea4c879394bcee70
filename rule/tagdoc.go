package rule

import (
	"errors"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/match"
)

var tagFields = []string{"configVersion", "scope", "key", "enabled", "force", "runtime", "priority", "valid", "dynamic", "tags"}

// ParseTagDocument reads a tag document of a provider application (spec §4.2). All findings are returned; the document is nil
// iff there is an error among them.
//
// Match conditions that the dialect ignores are left out: Dubbo reads them from 3.2 on, under a configVersion that starts
// with v3.0, and for tags without addresses only. Standard asks for no configVersion.
func ParseTagDocument(o Origin, text string, d dialect.Dialect) (*TagDocument, diag.List) {
	r := &report{file: o.Name}
	doc := readTagDocument(o, text, d, r)
	list := r.sorted()
	if list.HasErrors() {
		return nil, list
	}
	return doc, list
}

func readTagDocument(o Origin, text string, d dialect.Dialect, r *report) *TagDocument {
	root := readYAML(text, r)
	if r.list.HasErrors() {
		return nil
	}
	f := reader{dialect: d, report: r}
	if !f.root(root, tagFields) {
		return nil
	}
	doc := &TagDocument{
		Origin: o, Text: text,
		Enabled: f.bool(root, "enabled", true), Force: f.bool(root, "force", false), Valid: f.bool(root, "valid", true),
		Priority: f.int(root, "priority"), Key: f.text(root, "key"),
	}
	f.unused(root, doc.Priority)
	f.checkIdentity(root, o, doc.Key, "")
	if n := root.get("configVersion"); n != nil && n.kind == nodeScalar {
		if doc.ConfigVersion = n.string(); n.scalarType() != typeText && d == dialect.Dubbo33 {
			r.error(diag.BadConfigVersion, n.span, "configVersion must be text, not "+n.kindName(), "write configVersion: v3.0")
		}
	}
	r.soft = !doc.Enabled && f.strict() // Dubbo takes a document over before it looks at the switch
	tags := root.get("tags")
	switch {
	case tags == nil || tags.kind == nodeNull || tags.kind == nodeList && len(tags.items) == 0:
		doc.Valid = false
		r.warn(diag.NoConditions, root.span, "document has no tags: routing is by the providers' own dubbo.tag only", "give tags, or delete the document")
	case tags.kind != nodeList && !f.strict():
		doc.Valid = false
		r.warn(diag.WrongType, tags.span, "tags is "+tags.kindName()+", not a list: the document counts as one without tags", "write tags: [...]")
	case tags.kind != nodeList:
		f.wrongType(tags, "tags", "a list")
	default:
		t := tagReader{reader: f, v30: strings.HasPrefix(doc.ConfigVersion, "v3.0"), names: make(map[string]bool, len(tags.items)), owners: make(map[string]string, listed(tags.items))}
		doc.Tags = make([]Tag, 0, len(tags.items))
		for _, n := range tags.items {
			if tag, ok := t.tag(n); ok {
				doc.Tags = append(doc.Tags, tag)
			}
		}
		if len(doc.Tags) == 0 {
			doc.Tags = nil
		}
	}
	return doc
}

// listed returns how many addresses the tags list.
func listed(tags []*node) int {
	n := 0
	for _, tag := range tags {
		if a := tag.get("addresses"); a != nil {
			n += len(a.items)
		}
	}
	return n
}

// tagReader reads the tags of one document.
type tagReader struct {
	reader
	v30    bool
	names  map[string]bool
	owners map[string]string
}

func (f *tagReader) tag(n *node) (Tag, bool) {
	if n.kind != nodeMapping {
		f.report.error(diag.WrongType, n.span, "a tag is a mapping with \"name\" and \"addresses\", not "+n.kindName(), "write - {name: gray, addresses: [\"10.0.0.1:20880\"]}")
		return Tag{}, false
	}
	f.keys(n, []string{"name", "addresses", "match"}, " in a tag")
	tag := Tag{Name: f.name(n), Span: n.span}
	addresses, matches := n.get("addresses"), n.get("match")
	if addresses != nil && addresses.kind != nodeNull {
		f.addresses(&tag, addresses)
	}
	if matches != nil && matches.kind != nodeNull {
		f.matches(&tag, matches)
	}
	if len(tag.Addresses) == 0 && (matches == nil || matches.kind == nodeNull) {
		f.unset(tag)
	}
	return tag, tag.Name != "" || !f.strict()
}

// unset reports a tag that no provider can have. Dubbo 3.2+ fails on it under configVersion v3.0 and refuses the document.
func (f *tagReader) unset(tag Tag) {
	severity := f.report.warn
	if f.v30 && (f.dialect == dialect.Dubbo33 || f.strict() && !tag.HasAddresses) {
		severity = f.report.error
	}
	severity(diag.TagWithoutMatch, tag.Span, "tag "+quote(tag.Name)+" has neither addresses nor match", "give addresses: [\"10.0.0.1:20880\"], or take the tag out")
}

func (f *tagReader) name(n *node) string {
	name := n.get("name")
	switch {
	case name == nil || name.kind == nodeNull || name.kind == nodeScalar && name.string() == "":
		severity := f.report.warn
		if f.strict() {
			severity = f.report.error
		}
		severity(diag.TagWithoutName, n.span, "tag without a name", "write name: gray")
		return ""
	case name.kind != nodeScalar:
		f.wrongType(name, "name", "text in quotes")
		return ""
	case name.scalarType() != typeText && (f.dialect == dialect.Dubbo31 || f.dialect == dialect.Dubbo33):
		f.wrongType(name, "name", "text in quotes")
	case name.scalarType() != typeText:
		f.report.warn(diag.WrongType, name.span, "tag name is "+name.kindName()+" to YAML: Dubbo 3 refuses the document", "put the name in quotes")
	}
	text := name.string()
	if f.names[text] {
		f.report.warn(diag.DuplicateTag, name.span, "tag "+quote(text)+" is given twice: the later one counts", "put all addresses into one tag")
	}
	f.names[text] = true
	return text
}

func (f *tagReader) addresses(tag *Tag, n *node) {
	if n.kind != nodeList {
		if !f.strict() {
			f.report.warn(diag.WrongType, n.span, "addresses is not a list and is ignored", "write addresses: [\"10.0.0.1:20880\"]")
			return
		}
		f.wrongType(n, "addresses", "a list")
		return
	}
	tag.HasAddresses = true
	tag.Addresses = make([]Value, 0, len(n.items))
	for _, item := range n.items {
		if item.kind != nodeScalar && f.strict() || item.kind == nodeNull && f.old() {
			f.report.error(diag.WrongType, item.span, "an address must be text, not "+item.kindName(), "write \"10.0.0.1:20880\"")
			continue
		}
		text := item.javaText() // Dubbo makes a text of anything
		v := Value{Text: text, Span: item.span}
		f.checkAddress(v)
		if owner, ok := f.owners[text]; ok && owner != tag.Name {
			f.report.warn(diag.AddressInTwoTags, v.Span, "address "+quote(text)+" is also in tag "+quote(owner), "keep it in one tag if that was not meant")
		}
		f.owners[text] = tag.Name
		tag.Addresses = append(tag.Addresses, v)
	}
}

func (f *tagReader) checkAddress(v Value) {
	if match.PlainAddress(v.Text) {
		return
	}
	_, err := match.CompileAddress(v.Text, f.dialect)
	if err == nil {
		return
	}
	d, ok := errors.AsType[diag.Diagnostic](err)
	if !ok {
		d = diag.Diagnostic{Code: diag.BadAddress, Message: err.Error()}
	}
	if f.strict() {
		f.report.error(d.Code, v.Span, d.Message, d.Hint)
	} else {
		f.report.warn(d.Code, v.Span, d.Message+": it matches no provider", d.Hint)
	}
}
