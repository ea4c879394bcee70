package source

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dubway-go/dubway/durl"
)

// Category is one of the four folders a registry keeps for a service interface (spec §10.1).
type Category string

// The closed set of categories.
const (
	Providers     Category = "providers"
	Consumers     Category = "consumers"
	Routers       Category = "routers"
	Configurators Category = "configurators"
)

// Categories returns all categories, in the order in which registries create them. The slice is the caller's.
func Categories() []Category { return []Category{Providers, Consumers, Routers, Configurators} }

// ErrPlace is in the chain of every error of PlaceOf.
var ErrPlace = errors.New("URL cannot be registered")

// Place is where a registry keeps a URL, and for how long.
type Place struct {
	// Interface is the service interface whose folder holds the URL; it may be "*" for rules of all services.
	Interface string
	// Category is the folder; providers when the URL names none.
	Category Category
	// Persistent is true for dynamic=false: the URL outlives whoever registered it.
	Persistent bool
}

// PlaceOf tells where u belongs (spec §10.1, §1.4). The error says which part of u is missing or wrong: a
// URL that names several categories subscribes, it cannot be registered.
func PlaceOf(u durl.URL) (Place, error) {
	if u.IsZero() || u.Scheme() == "" {
		return Place{}, fmt.Errorf("%w: it has no scheme; it should read like dubbo://10.0.0.7:20880/com.example.OrderService", ErrPlace)
	}
	p := Place{Interface: u.Interface(), Category: Category(u.Category()), Persistent: !u.Bool("dynamic", true)}
	if p.Interface == "" {
		return Place{}, fmt.Errorf("%w: %s has neither a path nor an interface parameter", ErrPlace, u.Redacted())
	}
	if !slices.Contains(Categories(), p.Category) {
		return Place{}, fmt.Errorf("%w: category %q is not one of providers, consumers, routers, configurators", ErrPlace, p.Category)
	}
	return p, nil
}
