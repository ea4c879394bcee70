package analyze_test

import (
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// FuzzLint: no text makes linting or printing fail.
func FuzzLint(f *testing.F) {
	for _, seed := range []struct{ name, key, text string }{
		{"a.yaml", "a.B::.condition-router", "conditions:\n  - \"method=get & arguments[0]=1~5 => region!=hz & host=$host\"\n"},
		{"a.yaml", "shop.tag-router", "tags:\n  - {name: gray, addresses: [\"10.0.0.*\"], match: [{key: a, value: {wildcard: \"*\"}}]}\n"},
		{"a.yaml", "", "configVersion: v3.1\nconditions:\n  - {from: {match: a=1}, to: [{match: b=1, weight: 3}]}\n"},
		{"a.yaml", "", "configs: [{side: consumer, parameters: {a: b}}]\n"},
		{"a.urls", "", "dubbo://h:1/a.B?tag=x\nconsumer://h/a.B?group=*\noverride://0.0.0.0/a.B?a=1\ncondition://0.0.0.0/a.B?rule=%3D%3E+a%3D1\n=> a=1 b\n"},
	} {
		f.Add(seed.name, seed.key, seed.text)
	}
	f.Fuzz(func(t *testing.T, name, key, text string) {
		found := analyze.Lint(analyze.Text{Name: name, Key: key, Text: text}, analyze.Options{Dialect: dialect.Dubbo33, Portability: dialect.All(), World: analyze.ReadWorld(text, dialect.Standard)})
		if err := analyze.Render(io.Discard, found, text); err != nil {
			t.Fatal(err)
		}
		analyze.ToSarif(found, map[string]string{name: text})
	})
}
