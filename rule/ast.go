// Package rule reads and prints the texts in which people write Dubbo routing rules: condition rules
// from YAML documents and from registry URLs, multi-destination rules, tag, affinity and mesh documents. It knows
// syntax only: what a rule does to a call is the business of package route.
package rule

import (
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
)

// Origin says where a text came from.
type Origin struct {
	// Source is "config-centre", "registry", "file" or "code".
	Source string `json:"source,omitempty"`
	// Name is the rule key or the URL.
	Name string `json:"name,omitempty"`
	// Rev identifies the revision of the text for display; it may be empty.
	Rev string `json:"rev,omitempty"`
}

// Document is a parsed rule text: *ConditionDocument, *TagDocument, *ConfiguratorDocument, *AffinityDocument or *MeshDocument. Documents are immutable.
type Document interface {
	// DocumentOrigin returns where the text came from.
	DocumentOrigin() Origin
}

// Value is one value of a clause, as written.
type Value struct {
	Text string    `json:"text"`
	Span diag.Span `json:"span"`
}

// Clause is all that one side of a condition says about one key. A value matches when it is among
// In (if there are any) and not among NotIn; a clause without values is a key alone (spec §2.5).
type Clause struct {
	Key   string    `json:"key"`
	In    []Value   `json:"in,omitempty"`
	NotIn []Value   `json:"notIn,omitempty"`
	Span  diag.Span `json:"span"`
}

// Condition is one condition rule: "when => then".
type Condition struct {
	// Text is the rule as written; Span is where it stands in its document.
	Text string    `json:"text"`
	Span diag.Span `json:"span"`
	// When are the clauses that a call must meet, all of them; none means every call.
	When []Clause `json:"when"`
	// Then are the clauses that a provider must meet. With no clause and Blacklist unset, no provider meets it.
	Then []Clause `json:"then"`
	// Blacklist is set when the right side is blank or "false": a call that meets When gets no provider.
	Blacklist bool `json:"blacklist,omitempty"`
	// Dialect is the dialect that the text was read in; String prints for it.
	Dialect dialect.Dialect `json:"-"`
}

// ConditionDocument is a condition rule document, or one condition rule URL (then with one condition).
type ConditionDocument struct {
	Origin        Origin `json:"origin"`
	ConfigVersion string `json:"configVersion,omitempty"`
	Enabled       bool   `json:"enabled"`
	Force         bool   `json:"force"`
	// Valid is false when the document says so; it has no effect then (spec §3.4).
	Valid    bool   `json:"valid"`
	Priority int    `json:"priority"`
	Key      string `json:"key,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// Conditions are applied one after the other. They are empty in a multi-destination document.
	Conditions []Condition `json:"conditions,omitempty"`
	// Multi are the rules of a multi-destination document (configVersion v3.1, spec §3.6).
	Multi []MultiCondition `json:"multi,omitempty"`
	Text  string           `json:"-"`
}

// DocumentOrigin implements Document.
func (d *ConditionDocument) DocumentOrigin() Origin { return d.Origin }

// MultiCondition is one rule of a multi-destination document.
type MultiCondition struct {
	Span diag.Span `json:"span"`
	// From are the clauses that a call must meet; none means every call.
	From []Clause `json:"from"`
	// To are the destinations; none means that the call gets no provider.
	To []Destination `json:"to"`
}

// Destination is a weighted group of providers.
type Destination struct {
	// Match are the clauses that a provider must meet; none means every provider.
	Match []Clause `json:"match"`
	// Weight is above 0; 100 when the text gives none.
	Weight int       `json:"weight"`
	Span   diag.Span `json:"span"`
}

// TagDocument is a tag rule document of a provider application (spec §4.2).
type TagDocument struct {
	Origin        Origin `json:"origin"`
	ConfigVersion string `json:"configVersion,omitempty"`
	Enabled       bool   `json:"enabled"`
	Force         bool   `json:"force"`
	// Valid is false when the document says so or has no tags: routing is by static tags then.
	Valid    bool   `json:"valid"`
	Priority int    `json:"priority"`
	Key      string `json:"key,omitempty"`
	Tags     []Tag  `json:"tags"`
	Text     string `json:"-"`
}

// DocumentOrigin implements Document.
func (d *TagDocument) DocumentOrigin() Origin { return d.Origin }

// Tag is one named group of providers.
type Tag struct {
	Name string    `json:"name"`
	Span diag.Span `json:"span"`
	// Addresses are address expressions (package match); HasAddresses tells an empty list from none.
	Addresses    []Value `json:"addresses,omitempty"`
	HasAddresses bool    `json:"hasAddresses,omitempty"`
	// Match are conditions on provider parameters, all of which must hold. HasMatch tells an empty list, which
	// every provider meets, from none. They are used only without addresses (spec §4.2).
	Match    []ParamMatch `json:"match,omitempty"`
	HasMatch bool         `json:"hasMatch,omitempty"`
}

// ParamMatch is a condition on one provider parameter.
type ParamMatch struct {
	Key   string      `json:"key"`
	Value StringMatch `json:"value"`
	Span  diag.Span   `json:"span"`
}

// StringMatch is one matcher. The first of Exact, Prefix, Regex and Wildcard that is set decides, when the parameter is
// present; otherwise Empty (absent or blank matches) or NoEmpty (present and not blank matches) decides if set.
type StringMatch struct {
	Exact    *string `json:"exact,omitempty"`
	Prefix   *string `json:"prefix,omitempty"`
	Regex    *string `json:"regex,omitempty"`
	Wildcard *string `json:"wildcard,omitempty"`
	Empty    *string `json:"empty,omitempty"`
	NoEmpty  *string `json:"noempty,omitempty"`
}
