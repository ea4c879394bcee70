package rule

import "github.com/dubway-go/dubway/diag"

// MeshDocument are the mesh rules of one provider application: the DestinationRules and VirtualServices of one text (spec §6.5).
// Host names, ports, headers and traffic policies in them have no effect in Dubbo and are not kept.
type MeshDocument struct {
	Origin Origin `json:"origin"`
	// Subsets are those of all DestinationRules; the same name twice means either. A document without subsets and services says that there is no rule.
	Subsets []MeshSubset `json:"subsets"`
	// Services are the VirtualServices, in order.
	Services []VirtualService `json:"services"`
	Text     string           `json:"-"`
}

// DocumentOrigin implements Document.
func (d *MeshDocument) DocumentOrigin() Origin { return d.Origin }

// MeshSubset is a named part of an application's providers: those that have all labels as parameters; without labels all.
type MeshSubset struct {
	Name   string      `json:"name"`
	Labels []MeshLabel `json:"labels,omitempty"`
	Span   diag.Span   `json:"span"`
}

// MeshLabel is a parameter and the value that it must have.
type MeshLabel struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Broken marks a value that Dubbo fails on when it gets to it.
	Broken bool `json:"broken,omitempty"`
}

// VirtualService says where the calls of some services go.
type VirtualService struct {
	Name string `json:"name"`
	// Broken: there is no usable spec; Dubbo fails on each call that gets here. In the parts below Broken means the same.
	Broken bool        `json:"broken,omitempty"`
	Routes []MeshRoute `json:"routes"`
	Span   diag.Span   `json:"span"`
}

// MeshRoute is the routing of the services that it names: the first one that names a service counts.
type MeshRoute struct {
	// Services are matched with the interface name; none means every service.
	Services []MeshText  `json:"services,omitempty"`
	Details  []MeshEntry `json:"details"`
	Broken   bool        `json:"broken,omitempty"`
	Span     diag.Span   `json:"span"`
}

// MeshEntry sends calls to destinations. The first entry of which all requests hold counts.
type MeshEntry struct {
	Match []MeshRequest `json:"match,omitempty"`
	// Route are the destinations; HasRoute tells an empty list, on which Dubbo fails, from none.
	Route    []MeshDestination `json:"route"`
	HasRoute bool              `json:"hasRoute,omitempty"`
	Broken   bool              `json:"broken,omitempty"`
	Span     diag.Span         `json:"span"`
}

// MeshText is a StringMatch; in Broken ones there is none.
type MeshText struct {
	StringMatch
	Broken bool `json:"broken,omitempty"`
}

// MeshRequest is one test of a call.
type MeshRequest struct {
	Method *MeshMethod `json:"method,omitempty"`
	// SourceLabels are compared with the consumer's parameters.
	SourceLabels []MeshLabel `json:"sourceLabels,omitempty"`
	// Attachments are compared with the call's attachments.
	Attachments []MeshAttachment `json:"attachments,omitempty"`
	// Tracing is set when a tracing context is asked for, which a consumer without a tracer never has.
	Tracing bool `json:"tracing,omitempty"`
	Broken  bool `json:"broken,omitempty"`
}

// MeshAttachment is a test of one attachment.
type MeshAttachment struct {
	Key   string   `json:"key"`
	Value MeshText `json:"value"`
}

// MeshMethod is a test of a call's method and arguments.
type MeshMethod struct {
	Name *MeshText `json:"name,omitempty"`
	// Count is how many arguments there must be.
	Count *int `json:"count,omitempty"`
	// Types are matched with the parameter types, by full or simple name.
	Types []MeshText `json:"types,omitempty"`
	Args  []MeshArg  `json:"args,omitempty"`
}

// MeshArg is a test of one argument: the first of Texts, Numbers and Bool that is there decides.
type MeshArg struct {
	Index   int           `json:"index"`
	Texts   *[]MeshText   `json:"texts,omitempty"`
	Numbers *[]MeshNumber `json:"numbers,omitempty"`
	Bool    *bool         `json:"bool,omitempty"`
	Broken  bool          `json:"broken,omitempty"`
}

// MeshNumber is a test of a number: Exact; or From ≤ n < To with either end open; or n modulo Mod = Exact.
type MeshNumber struct {
	Exact    *float64 `json:"exact,omitempty"`
	Mod      *float64 `json:"mod,omitempty"`
	HasRange bool     `json:"hasRange,omitempty"`
	From     *float64 `json:"from,omitempty"`
	To       *float64 `json:"to,omitempty"`
	Broken   bool     `json:"broken,omitempty"`
}

// MeshDestination is a weighted place to go: the first of its subsets that has a provider.
type MeshDestination struct {
	// Subsets are the subset and its fallbacks, in order.
	Subsets []string `json:"subsets"`
	// Weight is at least 1.
	Weight int       `json:"weight"`
	Broken bool      `json:"broken,omitempty"`
	Span   diag.Span `json:"span"`
}
