package rule

import (
	"errors"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// Parse reads the document of a rule key, of the kind that the key's suffix tells. All findings are returned; the document is
// nil iff there is an error among them. A kind that dubway does not read is an error.
func Parse(key, text string, d dialect.Dialect) (Document, diag.List) {
	o := Origin{Source: "config-centre", Name: key}
	k, err := ParseKey(key)
	if err != nil {
		return nil, asList(err, key)
	}
	switch k.Kind {
	case KindCondition:
		return document(ParseConditionDocument(o, text, d))
	case KindTag:
		return document(ParseTagDocument(o, text, d))
	case KindMesh:
		return document(ParseMeshDocument(o, text, d))
	case KindAffinity:
		return document(ParseAffinityDocument(o, text, d))
	case KindConfigurator:
		return document(ParseConfiguratorDocument(o, text, d))
	case KindScript:
		return document(ParseScriptDocument(o, text, d))
	}
	return nil, diag.List{{Code: diag.UnreadKind, Severity: diag.Error, File: key,
		Message: k.Kind.String() + " documents are not read", Hint: "condition-router, tag-router, script-router, affinity-router and configurators documents are"}}
}

// document keeps a nil pointer from becoming a Document that is not nil.
func document[T interface {
	comparable
	Document
}](doc T, list diag.List) (Document, diag.List) {
	var none T
	if doc == none {
		return nil, list
	}
	return doc, list
}

// asList turns an error into findings about file.
func asList(err error, file string) diag.List {
	var d diag.Diagnostic
	if !errors.As(err, &d) {
		d = diag.Diagnostic{Code: diag.BadRuleKey, Message: err.Error()}
	}
	d.File = file
	return diag.List{d}
}
