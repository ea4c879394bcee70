package app_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/dialect"
)

func TestTheExampleFileIsTheDefaults(t *testing.T) {
	text, err := os.ReadFile("../examples/dubway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, findings := app.ParseConfig("dubway.yaml", string(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := app.DefaultConfig()
	want.Registry = "zookeeper://127.0.0.1:2181"
	want.Consumer.Timeout, want.Consumer.Parameters = time.Second, map[string]string{"region": "hangzhou"}
	want.Services = []app.ServiceConfig{{Name: "com.example.OrderService", Cluster: "failover", LoadBalance: "random", Timeout: 800 * time.Millisecond, Retries: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestConfig(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "admin:\nservices:\n"} {
		if c, findings := app.ParseConfig("c", text); len(findings) > 0 || !reflect.DeepEqual(c, app.DefaultConfig()) {
			t.Errorf("%q: %+v %v", text, c, findings)
		}
	}
	c, findings := app.ParseConfig("c", "services:\n  - name: a.B\n    direct:\n      - 127.0.0.1:20880\n      - dubbo://h:1\n")
	if len(findings) > 0 || !reflect.DeepEqual(c.Services[0].Direct, []string{"127.0.0.1:20880", "dubbo://h:1"}) {
		t.Errorf("%+v %v", c, findings)
	}
	c, findings = app.ParseConfig("c", "dialect: dubbo-2.7\nservices: [{name: g/a.B:1, direct: [\"h:1\", \"h:2\"], retries: -1}]\ngateway: {listen: \"\"}\n")
	if len(findings) > 0 || c.Dialect != dialect.Dubbo27 || c.Gateway.Listen != "" || !reflect.DeepEqual(c.Services[0].Direct, []string{"h:1", "h:2"}) || c.Services[0].Retries != -1 {
		t.Errorf("%+v %v", c, findings)
	}
}

func TestScriptsConfig(t *testing.T) {
	c, findings := app.ParseConfig("c", "scripts: {enabled: true, time: 50ms, memory: 16777216, parallel: 3}\n")
	if want := (app.ScriptsConfig{Enabled: true, Time: 50 * time.Millisecond, Memory: 16 << 20, Parallel: 3}); len(findings) > 0 || c.Scripts != want {
		t.Errorf("%+v %v", c.Scripts, findings)
	}
	if app.DefaultConfig().Scripts.Enabled {
		t.Error("scripts are on by default")
	}
	for _, text := range []string{"scripts: {memory: 1000}", "scripts: {memory: 2147483648}", "scripts: {parallel: 0}", "scripts: {parallel: 65}", "scripts: {enabled: maybe}", "scripts: {time: 0s}", "scripts: true"} {
		if _, findings := app.ParseConfig("c", text+"\n"); !findings.HasErrors() {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestConfigErrorsHaveTheirPlace(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "admin:\n  listn: x\n", `c:2:3: error DW211: there is no key "listn" (did you mean listen?)`},
		{"unknown key without a near one", "zzz: 1\n", `c:1:1: error DW211: there is no key "zzz" (known keys are admin, application, `},
		{"wrong type", "admin: [1]\n", "c:1:8: error DW145: this must be a mapping"},
		{"text where a list belongs", "services: x\n", "c:1:11: error DW145: a list of services"},
		{"bad time span", "idle: soon\n", `c:1:7: error DW145: "soon" is no time span above zero (write for example 500ms`},
		{"zero time span", "idle: 0s\n", "no time span above zero"},
		{"number out of range", "maxServices: 0\n", `"0" is no whole number from 1 to`},
		{"no number", "gateway:\n  maxBody: lots\n", `c:2:12: error DW145: "lots"`},
		{"bad dialect", "dialect: dubbo-9\n", `unknown dialect "dubbo-9": use standard`},
		{"bad word", "log: {format: xml}\n", `"xml" is none of text, json`},
		{"service without a name", "services:\n  - cluster: failover\n", "the service has no name"},
		{"service with a bad name", "services:\n  - name: \"a b\"\n", "c:2:"},
		{"duplicate key", "idle: 1s\nidle: 2s\n", ":2:1: error"},
		{"alias", "admin: &a {listen: x}\ngateway: *a\n", "anchors, aliases"},
		{"bad YAML", "admin: [\n", "error DW143"},
		{"two documents", "idle: 1s\n---\nidle: 2s\n", "more than one document"},
		{"deep", strings.Repeat("[", 5000), "nests deeper"},
		{"deep block", deepBlock(200), "nests deeper"},
		{"large", strings.Repeat("#", 1<<20+1), "at most 1048576 are read"},
		{"control bytes", "a: \x00\n", "error"},
		{"not a mapping", "- 1\n", "the file must be a mapping"},
	}
	for _, tt := range tests {
		_, findings := app.ParseConfig("c", tt.text)
		if !findings.HasErrors() || !strings.Contains(findings.Error(), tt.want) {
			t.Errorf("%s: %q does not say %q", tt.name, findings.Error(), tt.want)
		}
	}
	_, findings := app.ParseConfig("c", "idel: 1s\nmaxServices: x\n")
	if len(findings) != 2 {
		t.Errorf("not every problem is reported: %v", findings)
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// FuzzConfig: no text makes the reader panic or hang, and every finding has a message.
func FuzzConfig(f *testing.F) {
	f.Add("admin:\n  listen: 127.0.0.1:0\n")
	f.Add("services: [{name: a.B, direct: [x]}]\nlog: {level: info}")
	f.Add("a: &b [*b]\n<<: 1")
	f.Add("? [a]\n: {b: c}\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, findings := app.ParseConfig("c", text)
		for _, d := range findings {
			if d.Message == "" || d.Code == "" {
				t.Fatalf("%q: an empty finding %+v", text, d)
			}
		}
	})
}
