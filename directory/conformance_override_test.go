package directory_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

type overrideCase struct {
	ID        string
	Target    string
	LocalHost string
	Rules     struct {
		URLs []string
		YAML *string
	}
	Expect map[string]struct {
		Params   map[string]*string
		RuleURLs []string
		Error    string
	}
}

// TestConformanceOverride replays area override: registry URLs and configurator documents.
func TestConformanceOverride(t *testing.T) {
	score := newTally(t)
	for _, c := range readCases[overrideCase](t, "override") {
		for version, want := range c.Expect {
			d := versions[version]
			got, urls := configure(t, c, d)
			answer := want.Error
			if answer == "" {
				answer = sorted(present(want.Params))
			}
			rules := strings.Join(c.Rules.URLs, " ")
			if c.Rules.YAML != nil {
				rules = *c.Rules.YAML
			}
			if c.Rules.YAML != nil && want.Error == "" {
				got += strings.Join(urls, " ")
				answer += strings.Join(want.RuleURLs, " ")
			}
			score.check(c.ID+" "+c.Target+" "+rules, d, got, answer)
		}
	}
	score.report("override")
}

func configure(t *testing.T, c overrideCase, d dialect.Dialect) (answer string, made []string) {
	t.Helper()
	target, err := durl.ParseAs(c.Target, d)
	if err != nil {
		t.Fatal(err)
	}
	var list directory.Configurators
	var ok bool
	if c.Rules.YAML != nil {
		doc, _ := rule.ParseConfiguratorDocument(rule.Origin{}, *c.Rules.YAML, d)
		if doc == nil {
			return "bad-document", nil
		}
		for _, o := range doc.Overrides {
			made = append(made, o.URL.Full())
		}
		list, _, ok = directory.DocumentConfigurators(doc, d, false)
	} else {
		var urls []durl.URL
		for _, text := range c.Rules.URLs {
			u, err := durl.ParseAs(text, d)
			if err != nil {
				return "bad-url", nil
			}
			urls = append(urls, u)
		}
		list, _, ok = directory.ParseConfigurators(urls, d)
	}
	if !ok {
		return "bad-number", made
	}
	out, err := list.Apply(target, c.LocalHost)
	if err != nil {
		return "configure-failed", made
	}
	return sorted(maps.Collect(out.All())), made
}
