package rule

import (
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/durl"
)

// ConfiguratorDocument is a configurator document of an application or a service: what it lays over the URLs of consumers
// and providers (spec §9.5).
type ConfiguratorDocument struct {
	Origin Origin `json:"origin"`
	// ConfigVersion is empty when the text gives none.
	ConfigVersion string `json:"configVersion,omitempty"`
	// Scope is "application" or anything else, which means a service; Key is the application or the service
	// ("group/interface:version") that the overrides are for.
	Scope   string `json:"scope,omitempty"`
	Key     string `json:"key,omitempty"`
	Enabled bool   `json:"enabled"`
	// Items are the entries of "configs"; they are empty in a document of the JSON form, a list of URL texts.
	Items []ConfiguratorItem `json:"configs,omitempty"`
	// Overrides are the rules that follow from the document, in the order in which Dubbo makes them.
	Overrides []Override `json:"overrides,omitempty"`
	Text      string     `json:"-"`
}

// DocumentOrigin implements Document.
func (d *ConfiguratorDocument) DocumentOrigin() Origin { return d.Origin }

// ConfiguratorItem is one entry of a configurator document, as written.
type ConfiguratorItem struct {
	// Side is "consumer" or "provider"; without it the item never applies.
	Side string `json:"side,omitempty"`
	// Addresses are those of the side; none means all ("0.0.0.0").
	Addresses         []Value `json:"addresses,omitempty"`
	ProviderAddresses []Value `json:"providerAddresses,omitempty"`
	// Applications narrows a service document, Services an application document.
	Applications []Value            `json:"applications,omitempty"`
	Services     []Value            `json:"services,omitempty"`
	Parameters   []ParameterSetting `json:"parameters"`
	// Type is empty, "general", "weight", "balancing" or "disabled".
	Type string `json:"type,omitempty"`
	// Enabled is the item's own switch, which Dubbo reads only when Type is neither empty nor "general"; nil when absent.
	Enabled *bool              `json:"enabled,omitempty"`
	Match   *ConfiguratorMatch `json:"match,omitempty"`
	Span    diag.Span          `json:"span"`
}

// ParameterSetting is one parameter that an item sets.
type ParameterSetting struct {
	Key   string    `json:"key"`
	Value string    `json:"value"`
	Span  diag.Span `json:"span"`
}

// Override is one override:// or absent:// rule of a document.
type Override struct {
	URL durl.URL `json:"-"`
	// Match is the item's match block; nil when there is none, or none that the dialect reads.
	Match *ConfiguratorMatch `json:"match,omitempty"`
	// Span is the item's place in the document.
	Span diag.Span `json:"span"`
}

// ConfiguratorMatch is a match block: all parts that are there must hold (spec §9.3).
type ConfiguratorMatch struct {
	// Address is compared with the host of the side that is configured, ProviderAddress with the URL's host:port.
	Address         *AddressMatch `json:"address,omitempty"`
	ProviderAddress *AddressMatch `json:"providerAddress,omitempty"`
	// Service holds when one of the matchers holds for the service key, App for the parameter application.
	Service *ListMatch   `json:"service,omitempty"`
	App     *ListMatch   `json:"app,omitempty"`
	Param   []ParamMatch `json:"param,omitempty"`
}

// AddressMatch is a matcher of addresses: the first of Cird, Wildcard and Exact that is set decides.
type AddressMatch struct {
	// Cird is an address expression (package match); Dubbo spells it so.
	Cird     *string   `json:"cird,omitempty"`
	Wildcard *string   `json:"wildcard,omitempty"`
	Exact    *string   `json:"exact,omitempty"`
	Span     diag.Span `json:"span"`
}

// ListMatch holds when one of OneOf holds. HasOneOf tells an empty list from none, at which Dubbo fails.
type ListMatch struct {
	OneOf    []StringMatch `json:"oneof"`
	HasOneOf bool          `json:"-"`
	Span     diag.Span     `json:"span"`
}
