package durl_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

const provider = "dubbo://10.0.0.7:20880/com.example.Order?application=shop&category=&dubbo=2.0.2&interface=com.example.Order&getOrder.timeout=300&group=g&methods=getOrder,putOrder&region=hz&side=provider&timeout=100&timestamp=1700000000000&version=1.0.0&weight=50"

func parse(t testing.TB, s string) durl.URL {
	t.Helper()
	u, err := durl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestStandard: where Standard repairs what Dubbo 3.3 does (spec §1.1).
func TestStandard(t *testing.T) {
	for _, c := range []struct {
		text, host string
		port       int
		full, code string
	}{
		{text: "  dubbo://h:1/a \n", host: "h", port: 1, full: "dubbo://h:1/a"},
		{text: "", code: diag.URLEmpty},
		{text: " \t", code: diag.URLEmpty},
		{text: "consumer://[fd00::1]/a", host: "[fd00::1]", full: "consumer://[fd00::1]/a"},
		{text: "dubbo://[fd00::1]:20880/a", host: "[fd00::1]", port: 20880, full: "dubbo://[fd00::1]:20880/a"},
		{text: "dubbo://[fd00::1/a", code: diag.URLBadHost},
		{text: "dubbo://[fd00::1]x/a", code: diag.URLBadHost},
		{text: "dubbo://fd00:0:0:0:0:0:0:1/a", host: "fd00:0:0:0:0:0:0:1", full: "dubbo://fd00:0:0:0:0:0:0:1/a"},
		{text: "dubbo://fd00:0:0:0:0:0:0:1:20880/a", host: "fd00:0:0:0:0:0:0:1", port: 20880, full: "dubbo://fd00:0:0:0:0:0:0:1:20880/a"},
		{text: "dubbo://h:65535/a", host: "h", port: 65535, full: "dubbo://h:65535/a"},
		{text: "dubbo://h:65536/a", code: diag.URLBadPort},
		{text: "dubbo://h:/a", code: diag.URLBadPort},
		{text: "dubbo://h:-1/a", host: "h", full: "dubbo://h/a"},
		{text: "dubbo://h:007/a", host: "h", port: 7, full: "dubbo://h:7/a"},
		{text: "dubbo://h/a?side=both", host: "h", full: "dubbo://h/a?side=both"},
		{text: "dubbo://h/a?side=Provider&generic& x = 1 ", host: "h", full: "dubbo://h/a?generic=&side=provider&x =1"},
		{text: "://h/a", code: diag.URLNoProtocol},
		{text: strings.Repeat("x", durl.MaxLength+1), code: diag.URLTooLong},
	} {
		u, err := durl.Parse(c.text)
		if c.code != "" {
			d, ok := errors.AsType[diag.Diagnostic](err)
			if !ok || d.Code != c.code || d.Span.Line != 1 || !u.IsZero() {
				t.Errorf("%.60q: %v, want %s", c.text, err, c.code)
			}
			continue
		}
		if err != nil || u.Host() != c.host || u.Port() != c.port || u.Full() != c.full || u.String() != c.text {
			t.Errorf("%q: host %q port %d full %q, %v", c.text, u.Host(), u.Port(), u.Full(), err)
		}
	}
}

func TestAccessors(t *testing.T) {
	u := parse(t, provider)
	for name, got := range map[string]string{
		"dubbo": u.Scheme(), "10.0.0.7": u.Host(), "10.0.0.7:20880": u.Address(), "com.example.Order": u.Path(), "g": u.Group(), "1.0.0": u.Version(),
		"shop": u.Application(), "providers": u.Category(), "provider": u.Side(), "g/com.example.Order:1.0.0": u.ServiceKey(), "com.example.Order:1.0.0:g": u.RuleKey(),
		"hz": u.Get("region", "x"), "x": u.Get("nosuch", "x"),
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
	if v, ok := u.Param("category"); v != "" || !ok {
		t.Error("an empty parameter is present")
	}
	if v, _ := u.MethodParam("getOrder", "timeout"); v != "300" {
		t.Errorf("timeout of getOrder %q", v)
	}
	if v, _ := u.MethodParam("putOrder", "timeout"); v != "100" {
		t.Errorf("timeout of putOrder %q", v)
	}
	if n, err := u.Int("timestamp", 1); err == nil || n != 1 || !strings.Contains(err.Error(), "timestamp") {
		t.Errorf("a number of more than 32 bits: %d, %v", n, err)
	}
	keys := []string{}
	for k := range u.All() {
		keys = append(keys, k)
	}
	if !slices.IsSorted(keys) || len(keys) != u.Len() {
		t.Errorf("keys %q of %d", keys, u.Len())
	}
	for k := range u.All() {
		if k != "application" {
			t.Errorf("first key %q", k)
		}
		break
	}
}

// TestViews: what rules see under a name (spec §1.3).
func TestViews(t *testing.T) {
	u := parse(t, "dubbo://u:p@10.0.0.7:20880/a.B?host=fake&x=1&default.y=2")
	consumer := parse(t, "consumer://10.0.0.9/a.B?x=2")
	old, err := durl.ParseAs("dubbo://10.0.0.7:20880/a.B?default.y=2&y=", dialect.Dubbo26)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		u           durl.URL
		key         string
		raw, mapped string
		inMap       bool
	}{
		{u, "protocol", "dubbo", "dubbo", true}, {u, "username", "u", "u", true}, {u, "password", "p", "p", true},
		{u, "host", "10.0.0.7", "10.0.0.7", true}, {u, "port", "20880", "20880", true}, {u, "path", "a.B", "a.B", true},
		{u, "address", "", "10.0.0.7:20880", true}, {u, "x", "1", "1", true}, {u, "y", "2", "2", true}, {u, "nosuch", "", "", false},
		{consumer, "port", "0", "", false}, {consumer, "address", "", "10.0.0.9", true}, {consumer, "username", "", "", false},
		{old, "address", "", "", false}, {old, "y", "2", "2", true},
		{durl.URL{}, "port", "0", "", false}, {durl.URL{}, "host", "", "", false},
	} {
		raw, _ := c.u.Raw(c.key)
		mapped, ok := c.u.Mapped(c.key)
		if raw != c.raw || mapped != c.mapped || ok != c.inMap {
			t.Errorf("%s of %s: raw %q, mapped %q %v", c.key, c.u, raw, mapped, ok)
		}
	}
}

// TestBuild: changed URLs leave the one they came from alone.
func TestBuild(t *testing.T) {
	u := parse(t, "dubbo://u:secret@h:1/a?b=1&d=2")
	same := func(got durl.URL, want string) {
		t.Helper()
		if got.Full() != want || got.String() != want && !got.Equal(u) {
			t.Errorf("got %s, want %s", got, want)
		}
		if again := parse(t, want); !again.Equal(got) || again.Hash() != got.Hash() {
			t.Errorf("%s reads as another URL", want)
		}
		if u.String() != "dubbo://u:secret@h:1/a?b=1&d=2" || u.Full() != u.String() {
			t.Fatalf("the source has changed to %s", u.Full())
		}
	}
	same(u.With("c", "3"), "dubbo://u:secret@h:1/a?b=1&c=3&d=2")
	same(u.With("a", "3").With("e", ""), "dubbo://u:secret@h:1/a?a=3&b=1&d=2&e=")
	same(u.With("b", "9"), "dubbo://u:secret@h:1/a?b=9&d=2")
	same(u.With("b", "1"), "dubbo://u:secret@h:1/a?b=1&d=2")
	same(u.WithParams(durl.Param{Key: "d", Value: "x"}, durl.Param{Key: "a", Value: "y"}, durl.Param{Key: "a", Value: "z"}), "dubbo://u:secret@h:1/a?a=z&b=1&d=x")
	same(u.Without("b", "nosuch"), "dubbo://u:secret@h:1/a?d=2")
	same(u.Without("nosuch"), "dubbo://u:secret@h:1/a?b=1&d=2")
	same(u.WithScheme("tri"), "tri://u:secret@h:1/a?b=1&d=2")
	same(u.WithHost("other"), "dubbo://u:secret@other:1/a?b=1&d=2")
	same(u.WithPort(65000), "dubbo://u:secret@h:65000/a?b=1&d=2")
	same(u.WithPort(0), "dubbo://u:secret@h/a?b=1&d=2")
	same(u.WithPort(-5), "dubbo://u:secret@h/a?b=1&d=2")
	same(u.WithPath("/x"), "dubbo://u:secret@h:1/x?b=1&d=2")
	same(u.WithUser("", ""), "dubbo://h:1/a?b=1&d=2")
	same(durl.New("dubbo", "h", 1, "/a", durl.Param{Key: "d", Value: "2"}, durl.Param{Key: "b", Value: "1"}).WithUser("u", "secret"), "dubbo://u:secret@h:1/a?b=1&d=2")
	same(durl.URL{}.WithScheme("x").WithHost("h").With("k", "v"), "x://h?k=v")
	if got := u.Redacted(); strings.Contains(got, "secret") || !strings.Contains(got, "u:***@") {
		t.Errorf("redacted %s", got)
	}
	if got := u.Plain(); got != "dubbo://h:1/a?b=1&d=2" {
		t.Errorf("plain %s", got)
	}
}

func TestZero(t *testing.T) {
	var u durl.URL
	if !u.IsZero() || u.String() != "" || u.Full() != "" || u.Len() != 0 || u.Scheme()+u.User()+u.Password()+u.Host()+u.Path()+u.Address() != "" || u.Port() != 0 ||
		u.Category() != "providers" || u.Dialect() != dialect.Standard || !u.Equal(durl.URL{}) || u.Equal(durl.New("a", "", 0, "")) || u.Hash() != (durl.URL{}).Hash() {
		t.Error("the zero URL is not empty")
	}
	if _, ok := u.MethodParam("m", "k"); ok {
		t.Error("the zero URL has a parameter")
	}
	for range u.All() {
		t.Error("the zero URL yields a parameter")
	}
}

// TestStandardMatches: the two repairs of registry-side matching (spec §1.8).
func TestStandardMatches(t *testing.T) {
	c := func(s string) durl.URL { return parse(t, "consumer://h/a.B?"+s) }
	p := func(s string) durl.URL { return parse(t, "dubbo://h:1/a.B?"+s) }
	for _, x := range []struct {
		consumer, provider durl.URL
		standard, dubbo33  bool
	}{
		{c("category=dynamicconfigurators"), p("category=configurators"), false, true},
		{c("category=routers,configurators"), p("category=configurators"), true, true},
		{c("category=-routers"), p("category=configurators"), true, true},
		{c("category=-routers"), p("category=routers"), false, false},
		{c("version="), p(""), true, false},
		{c("group=g1, g2"), p("group=g2"), true, true},
		{c("group=g1,g2"), p(""), false, false},
		{c("enabled=*"), p("enabled=false"), true, true},
		{c(""), p("enabled=false"), false, false},
		{c("classifier=x"), p("classifier=y"), false, false},
	} {
		if got := durl.Matches(x.consumer, x.provider, dialect.Standard); got != x.standard {
			t.Errorf("standard: %s takes %s: %v", x.consumer, x.provider, got)
		}
		if got := durl.Matches(x.consumer, x.provider, dialect.Dubbo33); got != x.dubbo33 {
			t.Errorf("dubbo-3.3: %s takes %s: %v", x.consumer, x.provider, got)
		}
	}
}

// TestHostile: texts that would be costly if the work grew with the square of their size.
func TestHostile(t *testing.T) {
	var many strings.Builder
	for i := range 100_000 {
		many.WriteString("&k")
		many.WriteByte(byte('a' + i%26))
	}
	for _, s := range []string{"dubbo://h?" + strings.Repeat("a&", 300_000), "dubbo://h?" + strings.Repeat("default.", 100_000) + "x=1", "dubbo://h?" + strings.Repeat("&default.a=1", 50_000),
		"dubbo://h?" + many.String(), strings.Repeat("/", 500_000), "dubbo://" + strings.Repeat("@", 500_000), "dubbo://" + strings.Repeat(":", 500_000)} {
		for _, d := range dialect.All() {
			if u, err := durl.ParseAs(s, d); err == nil && u.String() != s {
				t.Errorf("%.40q does not print as read", s)
			}
		}
	}
}
