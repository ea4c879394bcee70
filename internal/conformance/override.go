package conformance

import (
	"fmt"
	"maps"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

type overrideCase struct {
	Target    string `json:"target"`
	LocalHost string `json:"localHost"`
	Rules     struct {
		URLs []string `json:"urls"`
		YAML *string  `json:"yaml"`
	} `json:"rules"`
}

type overrideAnswer struct {
	Params   map[string]*string `json:"params"`
	URL      *string            `json:"url"`
	RuleURLs []string           `json:"ruleUrls"`
	Error    string             `json:"error"`
}

// replayOverride applies registry URLs, or a configurator document, to one URL.
func replayOverride(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error) {
	var c overrideCase
	var a overrideAnswer
	if err := decode(raw, &c, expect, &a); err != nil {
		return "", "", err
	}
	want = a.Error
	if want == "configure-failed" || want == "bad-number" { // two words for a list that fails as a whole
		want = "configure-failed"
	}
	if want == "" {
		want = parameters(a.Params)
		if c.Rules.YAML != nil {
			want += strings.Join(a.RuleURLs, " ")
		}
	}
	target, err := durl.ParseAs(c.Target, d)
	if err != nil {
		return want, "bad-url", nil
	}
	list, made, problem := c.configurators(d)
	if problem != "" {
		return want, problem, nil
	}
	out, err := list.Apply(target, c.LocalHost)
	if err != nil {
		return want, "configure-failed", nil
	}
	got = printed(maps.Collect(out.All())) + made
	if out.Scheme() != target.Scheme() || out.Address() != target.Address() {
		got += fmt.Sprintf(" %s://%s", out.Scheme(), out.Address())
	}
	return want, got, nil
}

// configurators reads the rules; problem is the corpus' word for what is wrong with them, made prints those of a document.
func (c *overrideCase) configurators(d dialect.Dialect) (list directory.Configurators, made, problem string) {
	var ok bool
	if c.Rules.YAML != nil {
		doc, _ := rule.ParseConfiguratorDocument(rule.Origin{}, *c.Rules.YAML, d)
		if doc == nil {
			return list, "", "bad-document"
		}
		texts := make([]string, len(doc.Overrides))
		for i, o := range doc.Overrides {
			texts[i] = o.URL.Full()
		}
		made = strings.Join(texts, " ")
		list, _, ok = directory.DocumentConfigurators(doc, d, false)
	} else {
		urls := make([]durl.URL, len(c.Rules.URLs))
		for i, text := range c.Rules.URLs {
			u, err := durl.ParseAs(text, d)
			if err != nil {
				return list, "", "bad-url"
			}
			urls[i] = u
		}
		list, _, ok = directory.ParseConfigurators(urls, d)
	}
	if !ok {
		return list, made, "configure-failed"
	}
	return list, made, ""
}
