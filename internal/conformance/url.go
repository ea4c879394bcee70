package conformance

import (
	"fmt"
	"maps"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/match"
)

type urlCase struct {
	Op             string            `json:"op"`
	URL            string            `json:"url"`
	Text           string            `json:"text"`
	Consumer       string            `json:"consumer"`
	Provider       string            `json:"provider"`
	Category       string            `json:"category"`
	Wanted         string            `json:"wanted"`
	Pattern        string            `json:"pattern"`
	Value          *string           `json:"value"`
	Param          string            `json:"param"`
	Host           string            `json:"host"`
	Port           int               `json:"port"`
	Method         string            `json:"method"`
	Key            string            `json:"key"`
	Default        any               `json:"default"`
	ConsumerParams map[string]string `json:"consumerParams"`
}

type urlAnswer struct {
	Error      string             `json:"error"`
	Match      bool               `json:"match"`
	Value      any                `json:"value"`
	Params     map[string]*string `json:"params"`
	Protocol   *string            `json:"protocol"`
	Username   *string            `json:"username"`
	Password   *string            `json:"password"`
	Host       *string            `json:"host"`
	Port       int                `json:"port"`
	Path       *string            `json:"path"`
	Address    *string            `json:"address"`
	Full       *string            `json:"full"`
	String     *string            `json:"string"`
	ServiceKey *string            `json:"serviceKey"`
	Interface  *string            `json:"interface"`
	RuleKey    *string            `json:"ruleKey"`
}

// replayURL runs one operation on URLs, patterns and addresses.
func replayURL(raw []byte, d dialect.Dialect, expect []byte) (want, got string, err error) {
	var c urlCase
	var a urlAnswer
	if err := decode(raw, &c, expect, &a); err != nil {
		return "", "", err
	}
	switch c.Op {
	case "parse", "parseEncoded":
		want, got = c.parse(&a, d)
		return want, got, nil
	case "merge":
		provider, err := durl.ParseAs(c.Provider, d)
		switch {
		case err != nil && a.Error != "":
			return a.Error, a.Error, nil
		case err != nil:
			return parameters(a.Params), "bad-url", nil
		case a.Error != "":
			return a.Error, provider.Full(), nil
		}
		params := make([]durl.Param, 0, len(c.ConsumerParams))
		for k, v := range c.ConsumerParams {
			params = append(params, durl.Param{Key: k, Value: v})
		}
		merged := directory.Merge(provider, durl.New("consumer", "10.0.0.9", 0, "x", params...), d)
		return parameters(a.Params), printed(maps.Collect(merged.All())), nil
	case "match", "category", "glob", "ip":
		want = fmt.Sprint(a.Match)
		got = c.test(d)
		if c.Op == "match" && a.Error != "" {
			if want = "bad-url"; got != want { // a port that is no number is recorded by a word of its own
				want = a.Error
			}
		}
		return want, got, nil // an address pattern that raises is no match to Dubbo's callers
	}
	if want = a.Error; want == "" {
		want = fmt.Sprint(a.Value)
	}
	got, err = c.read(d, a.Error)
	return want, got, err
}

// test runs the operations that say yes or no.
func (c *urlCase) test(d dialect.Dialect) string {
	switch c.Op {
	case "match":
		consumer, err1 := durl.ParseAs(c.Consumer, d)
		provider, err2 := durl.ParseAs(c.Provider, d)
		if err1 != nil || err2 != nil {
			return "bad-url"
		}
		return fmt.Sprint(durl.Matches(consumer, provider, d))
	case "category":
		return fmt.Sprint(durl.MatchCategory(c.Category, c.Wanted))
	case "ip":
		p, err := match.CompileAddress(c.Pattern, d)
		return fmt.Sprint(err == nil && p.Match(c.Host, c.Port))
	}
	value, pattern := "", c.Pattern
	if c.Value != nil {
		value = *c.Value
	}
	if name, ok := strings.CutPrefix(pattern, "$"); ok && c.Param != "" {
		u, err := durl.ParseAs(c.Param, d)
		if err != nil {
			return "bad-url"
		}
		pattern, _ = u.Raw(name)
	}
	return fmt.Sprint(match.Glob(pattern, value))
}

// read runs the operations that give a value; word is the recorded error, which stands for any error of ours.
func (c *urlCase) read(d dialect.Dialect, word string) (string, error) {
	failed := func(err error) string {
		if word != "" {
			return word
		}
		return err.Error()
	}
	switch c.Op {
	case "encode":
		return durl.Encode(c.Text), nil
	case "decode":
		text, err := durl.Decode(c.Text)
		if err != nil {
			return failed(err), nil
		}
		return text, nil
	}
	u, err := durl.ParseAs(c.URL, d)
	if err != nil {
		return failed(err), nil
	}
	switch c.Op {
	case "methodParam":
		if v, ok := u.MethodParam(c.Method, c.Key); ok {
			return v, nil
		}
		return fmt.Sprint(nil), nil
	case "intParam":
		def, _ := c.Default.(float64)
		n, err := u.Int(c.Key, int(def))
		if err != nil {
			return failed(err), nil
		}
		return fmt.Sprint(float64(n)), nil
	case "boolParam":
		def, _ := c.Default.(bool)
		return fmt.Sprint(u.Bool(c.Key, def)), nil
	}
	return "", fmt.Errorf("conformance: unknown operation %q", c.Op)
}

// parse compares all parts of a parsed URL; Java's null host and interface print as "null" there and are empty here.
func (c *urlCase) parse(a *urlAnswer, d dialect.Dialect) (want, got string) {
	parse := durl.ParseAs
	if c.Op == "parseEncoded" {
		parse = durl.ParseEncoded
	}
	u, err := parse(c.URL, d)
	switch {
	case err != nil && a.Error != "":
		return a.Error, a.Error
	case err != nil:
		return "a URL", err.Error()
	case a.Error != "":
		return a.Error, u.Full()
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	wants := []string{text(a.Protocol), text(a.Username), text(a.Password), text(a.Host), fmt.Sprint(a.Port), text(a.Path),
		strings.TrimPrefix(text(a.Address), "null"), text(a.Full), text(a.String), text(a.Interface), parameters(a.Params)}
	gots := []string{u.Scheme(), u.User(), u.Password(), u.Host(), fmt.Sprint(u.Port()), u.Path(),
		u.Address(), u.Full(), u.Plain(), u.Interface(), printed(maps.Collect(u.All()))}
	if u.Interface() != "" { // Java tells a null interface from an empty one; no service has either
		wants, gots = append(wants, text(a.ServiceKey)), append(gots, u.ServiceKey())
	}
	if c.Op == "parse" { // a URL remembers its text
		wants, gots = append(wants, c.URL), append(gots, u.String())
	}
	if a.RuleKey != nil {
		wants, gots = append(wants, strings.TrimPrefix(*a.RuleKey, "null")), append(gots, u.RuleKey())
	}
	return fmt.Sprintf("%q", wants), fmt.Sprintf("%q", gots)
}
