package route_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
)

func names(c route.Chain) string {
	out := make([]string, len(c))
	for i, s := range c {
		out[i] = s.Router
	}
	return strings.Join(out, " ")
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		d               dialect.Dialect
		parameter, want string
	}{
		{dialect.Dubbo31, "", "mock mesh tag service application"},
		{dialect.Dubbo31, "-tag", "mock mesh service application"},
		{dialect.Dubbo31, " -tag , -app ", "mock mesh service"},
		{dialect.Dubbo31, "-default", ""},
		{dialect.Dubbo31, "-default,tag", "tag"},
		{dialect.Dubbo31, "tag", "mock mesh tag service application"},
		{dialect.Dubbo31, "default,tag", "mock mesh service application tag"},
		{dialect.Dubbo31, "-default,default,tag", "tag"},
		{dialect.Dubbo31, "tag,-tag", "mock mesh service application"},
		{dialect.Dubbo31, "mock,default,tag,default,service", "mock mesh application tag service"},
		{dialect.Dubbo31, "tag,default,mock", "tag mesh service application mock"},
		{dialect.Dubbo31, "somebody", "mock mesh tag service application"},
		{dialect.Dubbo33, "-provider-app", "mock mesh tag service application script"},
		{dialect.Dubbo27, "-default", "url"},
		{dialect.Dubbo26, "-tag", "url tag mock"},
		{dialect.Standard, "-service,-mock", "mesh url tag affinity-service affinity-app provider-application application script"},
		{dialect.Standard, "-affinity-service,-affinity-app", "mock mesh url tag service provider-application application script"},
		{dialect.Dubbo33, "affinity-service,default", "affinity-service mock mesh tag service provider-application application script"},
		{dialect.Dubbo33, "affinity-app", "mock mesh tag affinity-app service provider-application application script"},
		{dialect.Dubbo33, "default,affinity-app", "mock mesh tag service provider-application application script affinity-app"},
		{dialect.Dubbo33, "-script-app", "mock mesh tag service provider-application application"},
		{dialect.Dubbo31, "affinity-service", "mock mesh tag service application"},
	} {
		if got := names(route.DefaultChain(c.d).Select(c.parameter, c.d)); got != c.want {
			t.Errorf("%v %q: %q, want %q", c.d, c.parameter, got, c.want)
		}
	}
	// A moved router runs where it is written, whatever its usual priority.
	moved := route.DefaultChain(dialect.Dubbo31).Select("tag,default,mock", dialect.Dubbo31)
	if moved[0].Priority >= moved[1].Priority || moved[4].Priority <= moved[3].Priority {
		t.Errorf("priorities %+v", moved)
	}
	// In 2.7 the list is sorted by priority again.
	if c := route.DefaultChain(dialect.Dubbo27).Select("application,default,tag", dialect.Dubbo27); names(c) != names(route.DefaultChain(dialect.Dubbo27)) {
		t.Errorf("%+v", c)
	}
}

func TestWithAffinity(t *testing.T) {
	if got := names(route.DefaultChain(dialect.Dubbo33).WithAffinity()); got != "mock mesh tag affinity-service affinity-app service provider-application application script" {
		t.Error(got)
	}
	if c := route.DefaultChain(dialect.Standard); names(c.WithAffinity()) != names(c) {
		t.Error(names(c.WithAffinity()))
	}
}

func TestOnlyWithout(t *testing.T) {
	c := route.DefaultChain(dialect.Standard)
	if names(c.Only(route.RouterTag, route.RouterMock)) != "mock tag" || names(c.Without(route.RouterURL)) != "mock mesh tag affinity-service affinity-app service provider-application application script" || len(c) != 10 {
		t.Errorf("%s; %s", names(c.Only(route.RouterTag, route.RouterMock)), names(c.Without(route.RouterURL)))
	}
}
