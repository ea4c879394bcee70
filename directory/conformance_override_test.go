package directory_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
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
		Params map[string]*string
		Error  string
	}
}

// TestConformanceOverrideURLs replays area override with registry URLs.
func TestConformanceOverrideURLs(t *testing.T) {
	score := newTally(t)
	documents := 0
	for _, c := range readCases[overrideCase](t, "override") {
		if c.Rules.URLs == nil {
			documents++ // configurator documents are not read yet
			continue
		}
		for version, want := range c.Expect {
			d := versions[version]
			got := configure(t, c, d)
			answer := want.Error
			if answer == "" {
				answer = sorted(present(want.Params))
			}
			score.check(c.ID+" "+c.Target+" "+strings.Join(c.Rules.URLs, " "), d, got, answer)
		}
	}
	score.report("override (URLs)")
	t.Logf("override: %d cases are configurator documents and were not replayed", documents)
}

func configure(t *testing.T, c overrideCase, d dialect.Dialect) string {
	t.Helper()
	target, err := durl.ParseAs(c.Target, d)
	if err != nil {
		t.Fatal(err)
	}
	var urls []durl.URL
	for _, text := range c.Rules.URLs {
		u, err := durl.ParseAs(text, d)
		if err != nil {
			return "bad-url"
		}
		urls = append(urls, u)
	}
	list, _, ok := directory.ParseConfigurators(urls, d)
	if !ok {
		return "bad-number"
	}
	out, err := list.Apply(target, c.LocalHost)
	if err != nil {
		return "configure-failed"
	}
	return sorted(maps.Collect(out.All()))
}
