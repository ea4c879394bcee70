package durl_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// versions maps the versions of the recorded answers to the dialects that stand for them.
var versions = map[string]dialect.Dialect{
	"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33,
}

type answer struct {
	Error                                                                                  string
	Protocol, Username, Password, Host, Path, Address, Full, String, ServiceKey, Interface *string
	RuleKey                                                                                *string
	Port                                                                                   int
	Params                                                                                 map[string]string
	Match                                                                                  bool
	Value                                                                                  any
}

type urlCase struct {
	ID, Op, URL, Text, Method, Key string
	Consumer, Provider             string
	Category, Wanted               string
	Default                        any
	Expect                         map[string]answer
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestConformance compares with what the real Dubbo versions answered.
func TestConformance(t *testing.T) {
	f, err := os.Open("../testdata/conformance/url.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	checked := map[string]int{}
	for scan.Scan() {
		var c urlCase
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for version, want := range c.Expect {
			if check(t, c, version, want) {
				checked[c.Op]++
			}
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	for op, least := range map[string]int{"parse": 1800, "parseEncoded": 852, "match": 720, "category": 232, "methodParam": 336, "encode": 144, "decode": 168, "intParam": 48, "boolParam": 52} {
		if checked[op] < least {
			t.Errorf("%s: only %d answers checked, want %d", op, checked[op], least)
		}
	}
}

func check(t *testing.T, c urlCase, version string, want answer) bool {
	t.Helper()
	d := versions[version]
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s %s %q: "+format, append([]any{c.ID, version, c.Op, c.URL + c.Text}, args...)...)
	}
	switch c.Op {
	case "parse", "parseEncoded":
		parse := durl.ParseAs
		if c.Op == "parseEncoded" {
			parse = durl.ParseEncoded
		}
		u, err := parse(c.URL, d)
		checkParsed(bad, u, err, want)
		if err == nil && c.Op == "parse" && u.String() != c.URL {
			bad("String() = %q", u)
		}
	case "match":
		a, err1 := durl.ParseAs(c.Consumer, d)
		b, err2 := durl.ParseAs(c.Provider, d)
		if err1 != nil || err2 != nil {
			if want.Error == "" {
				bad("%v %v", err1, err2)
			}
		} else if got := durl.Matches(a, b, d); got != want.Match {
			bad("%s\n%s\n = %v", c.Consumer, c.Provider, got)
		}
	case "category":
		if got := durl.MatchCategory(c.Category, c.Wanted); got != want.Match {
			bad("%q %q = %v", c.Category, c.Wanted, got)
		}
	case "encode":
		if got := durl.Encode(c.Text); got != want.Value {
			bad("= %q", got)
		}
	case "decode":
		if got, err := durl.Decode(c.Text); err != nil && want.Error == "" || err == nil && got != want.Value {
			bad("= %q, %v", got, err)
		}
	case "methodParam", "intParam", "boolParam":
		u, err := durl.ParseAs(c.URL, d)
		if err != nil {
			bad("%v", err)
			return true
		}
		checkParam(bad, u, c, want)
	default:
		return false
	}
	return true
}

func checkParam(bad func(string, ...any), u durl.URL, c urlCase, want answer) {
	switch c.Op {
	case "methodParam":
		got, ok := u.MethodParam(c.Method, c.Key)
		if w, present := want.Value.(string); ok != present || got != w {
			bad("%s.%s = %q %v, want %v", c.Method, c.Key, got, ok, want.Value)
		}
	case "intParam":
		got, err := u.Int(c.Key, int(c.Default.(float64)))
		if (err != nil) != (want.Error != "") || err == nil && float64(got) != want.Value {
			bad("= %v %v, want %v", got, err, want)
		}
	case "boolParam":
		if got := u.Bool(c.Key, c.Default.(bool)); got != want.Value {
			bad("= %v", got)
		}
	}
}

func checkParsed(bad func(string, ...any), u durl.URL, err error, want answer) {
	if err != nil || want.Error != "" {
		var d diag.Diagnostic
		if err == nil || want.Error == "" {
			bad("error %v, want %q", err, want.Error)
		} else if !errors.As(err, &d) || d.Code == "" || d.Message == "" {
			bad("error %v is no diagnostic", err)
		}
		return
	}
	same := func(what, got, want string) {
		if got != want {
			bad("%s = %q, want %q", what, got, want)
		}
	}
	same("Scheme", u.Scheme(), text(want.Protocol))
	same("User", u.User(), text(want.Username))
	same("Password", u.Password(), text(want.Password))
	same("Host", u.Host(), text(want.Host))
	same("Path", u.Path(), text(want.Path))
	same("Address", u.Address(), strings.TrimPrefix(text(want.Address), "null")) // Java prints a null host
	same("Full", u.Full(), text(want.Full))
	same("Plain", u.Plain(), text(want.String))
	if u.Interface() != "" { // Java tells a null interface from an empty one; no service has either
		same("ServiceKey", u.ServiceKey(), text(want.ServiceKey))
	}
	same("Interface", u.Interface(), text(want.Interface))
	if want.RuleKey != nil {
		same("RuleKey", u.RuleKey(), strings.TrimPrefix(*want.RuleKey, "null"))
	}
	if u.Port() != want.Port {
		bad("Port = %d, want %d", u.Port(), want.Port)
	}
	if u.Len() != len(want.Params) {
		bad("%d parameters, want %v", u.Len(), want.Params)
	}
	for k, v := range u.All() {
		if w, ok := want.Params[k]; !ok || w != v {
			bad("parameter %q = %q, want %q %v", k, v, w, ok)
		}
	}
}
