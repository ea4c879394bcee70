package main

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// rule changes the single rule of a condition-route case.
func (m *mutator) rule(c *routerCase) {
	if text, ok := c.Rule["text"].(string); ok {
		switch m.below(8) {
		case 0:
			c.Rule["force"] = m.one(2)
		case 1:
			c.Rule["enabled"] = m.one(2)
		case 2:
			if t, ok := m.other().Rule["text"].(string); ok {
				left, _, _ := strings.Cut(text, "=>")
				_, right, _ := strings.Cut(t, "=>")
				c.Rule["text"] = left + "=>" + right
			}
		default:
			c.Rule["text"] = m.condition(text)
		}
	}
	if u, ok := c.Rule["url"].(string); ok {
		c.Rule["url"] = m.ruleURL(u)
	}
}

func conditionKeys() []string {
	return append(params(), "method", "host", "port", "address", "arguments[0]", "arguments[1]", "arguments[9]", "arguments[-1]", "arguments[x]", "arguments[ 0 ]", "arguments[0].x", "arguments", "attachments[env]",
		"attachments[x.y]", "attachments[nosuch]", "attachments[ env ]", "attachments", "attachments[]", "attachments[dubbo.tag]", "consumer.application", "consumer.host", "provider.application", "consumer.region",
		"provider.region", "METHOD", "Host", "path", "username", "nosuch", "键", "interface", "methods", "x.y", "a-b", "a_b", "consumer.version", "argument[0]", "attachment[env]", "arguments[00]", "arguments[+1]", "arguments[1]extra")
}

func conditionValues() []string {
	return []string{"", "*", "**", "n*", "*h", "n*h", "*or*", "$region", "$host", "$application", "$nosuch", "$", "$protocol", "$method", "1", "10", "1~5", "5~1", "~10", "5~", "~", "1~5~9", "-5~5", "a~b", "1.5~2", "10.1.*", "10.1.0.1",
		"10.1.0.1:20880", "10.1.0.*:*", "*:20880", "getOrder", "get*", "north", "south", "gray", "prod", "vip", "7", "42", "null", "true", "false", "北", "a|b", "%2C", "%20", "shop", "web", "9999999999", "0~9999999999", "01",
		"+1", " ", "1 2", "'north'", "\"north\"", "[1]", "consumer", "dubbo", "n**h", "*,*", "20880~20890", "!north", "-1"}
}

var (
	wordPattern     = regexp.MustCompile(`[^\s=!&,'":\[\]{}|>-]+`)
	operatorPattern = regexp.MustCompile(`!=|=>|=|&|,|\s+`)
)

// condition changes a text of the condition language.
func (m *mutator) condition(text string) string {
	switch m.below(9) {
	case 0:
		return m.replaced(text, operatorPattern, m.pick("=", "!=", "&", ",", " ", "=>", "  ", "\t", "", " & ", " = ", "!", "==", "&&", ",,", ">", "=!", "|", "\u00a0", "\u3000", "\r\n"))
	case 1:
		return text + m.pick("", " & ", " ", "=>", "&") + m.from(conditionKeys()) + m.pick("=", "!=", " = ", " != ") + m.from(conditionValues())
	case 2:
		return m.from(conditionKeys()) + m.pick("=", "!=", " = ") + m.from(conditionValues()) + m.pick(" & ", " => ", "&", "=>", " ") + strings.TrimSpace(text)
	case 3:
		return text + m.pick(",", ", ", " ,") + m.from(conditionValues())
	case 4:
		i := m.below(len(text) + 1)
		return text[:i] + m.pick(" ", "=", "!", "&", ",", "\\", "$", "*", "~", "\n", ".", "(", "[", "]", "{", "/") + text[i:]
	case 5:
		return m.from(conditionKeys()) + "=" + m.from(conditionValues()) + "," + m.from(conditionValues()) + " & " + m.from(conditionKeys()) + "!=" + m.from(conditionValues()) + " => " +
			m.from(conditionKeys()) + "=" + m.from(conditionValues()) + " & " + m.from(conditionKeys()) + "!=" + m.from(conditionValues())
	case 6:
		return m.replaced(text, wordPattern, m.from(conditionKeys()))
	}
	return m.replaced(text, wordPattern, m.from(conditionValues()))
}

// replaced puts a text in the place of one match.
func (m *mutator) replaced(text string, p *regexp.Regexp, with string) string {
	all := p.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text + with
	}
	at := all[m.below(len(all))]
	return text[:at[0]] + with + text[at[1]:]
}

// scalars are spellings of YAML 1.1 with types of their own, and some that look like it.
func scalars() []string {
	return []string{"on", "off", "yes", "no", "y", "n", "True", "FALSE", "true", "false", "'true'", "\"false\"", "null", "~", "Null", "", "''", "\"\"", "0", "1", "-1", "010", "0x1F", "0b101", "1_000", "0o17", "190:20:30", "1.5", "1e3",
		"1.0e+3", ".5", ".inf", "-.INF", ".nan", "2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "12:30", "!!str 1", "!!int '1'", "!!bool 'yes'", "!!float 1", "!x a", "!!null x", "!!binary aGk=", "[]", "{}", "[1, 2]",
		"{a: 1}", "[true]", "&a 1", "*a", "|", ">", "|\n  text\n", "<<", "=", "v3.0", "v3.1", "v2.7", "3.1", "v3.10", "V3.1", "v3", "v3.2", "application", "service", "2147483648", "99999999999999999999", "-0", "+1", "1.", "0.0", "50", "100", "101",
		"北", "a b", "a: b", "a #b", "a#b", "# c", "'a''b'", "\"a\\nb\"", "\"\\u4e2d\"", "%x", "@x", "`x", "?", "- a", "north", "red", "region", "zone", "shop", "[a, b,]", "[a", "{a", "'a", "\"a", "1 ", "\ttrue", "true # c", "TRUE", "oN", "0.", "1e400", "-", "08", "0_1", "1__0",
		"{exact: a}", "[north, south]", "{key: region, value: {exact: north}}"}
}

func documentKeys() []string {
	return []string{"conditions", "enabled", "force", "runtime", "priority", "valid", "dynamic", "scope", "key", "configVersion", "tags", "name", "addresses", "match", "value", "exact", "prefix", "regex", "noempty", "empty", "wildcard", "from",
		"to", "weight", "ratio", "affinityAware", "spec", "subsets", "labels", "hosts", "dubbo", "route", "destination", "subset", "host", "version", "rawRule", "id", "type", "script", "kind", "metadata", "apiVersion", "trafficDisable", "routedetail", "services",
		"fallback", "method", "name_match", "argc", "args", "argp", "headers", "sourceLabels", "attachments", "cidr", "range"}
}

var (
	scalarPattern = regexp.MustCompile(`(?m)(:|^\s*-)[ ]+[^\n{\[|>&]+$`)
	keyPattern    = regexp.MustCompile(`[A-Za-z_]+:`)
	quotedPattern = regexp.MustCompile(`'[^'\n]*'|"[^"\n]*"`)
	listPattern   = regexp.MustCompile(`\[[^\]\n]*\]`)
)

// document changes one YAML document.
func (m *mutator) document(text string) string {
	lines := strings.Split(text, "\n")
	i, j := m.below(len(lines)), m.below(len(lines))
	switch m.below(24) {
	case 0, 1, 2, 3, 4:
		all := scalarPattern.FindAllStringSubmatchIndex(text, -1)
		if len(all) == 0 {
			return text
		}
		at := all[m.below(len(all))]
		return text[:at[3]] + " " + m.from(scalars()) + text[at[1]:]
	case 5:
		return m.replaced(text, keyPattern, m.from(documentKeys())+":")
	case 6, 7, 8:
		all := quotedPattern.FindAllStringIndex(text, -1)
		if len(all) == 0 {
			return m.replaced(text, wordPattern, m.from(scalars()))
		}
		at := all[m.below(len(all))]
		quote := text[at[0] : at[0]+1]
		return text[:at[0]+1] + strings.ReplaceAll(m.condition(text[at[0]+1:at[1]-1]), quote, "") + text[at[1]-1:]
	case 9:
		return m.replaced(text, listPattern, m.from(scalars()))
	case 10:
		lines = slices.Insert(lines, i, lines[j])
	case 11:
		lines = slices.Delete(lines, i, i+1)
	case 12:
		lines[i], lines[j] = lines[j], lines[i]
	case 13:
		lines[i] = m.pick("  ", " ", "\t", "    ", "- ", "? ", "# ", "\u00a0", "\ufeff") + lines[i]
	case 14:
		lines[i] = strings.TrimPrefix(lines[i], m.pick(" ", "  ", "- "))
	case 15:
		return strings.ReplaceAll(text, "\n", m.pick("\r\n", "\n\n", "\r", "\n# c\n", " # c\n", "\u2028", " \n", "\u0085"))
	case 16:
		return m.pick("---\n", "--- \n", "\ufeff", "%YAML 1.2\n---\n", "%YAML 1.1\n---\n", "# c\n", "\n\n", "...\n", "--- !!map\n", "- ", "a: &a 1\n", "enabled: true\n", "  ") + text
	case 17:
		return text + m.pick("---\n", "...\n", "\n---\nenabled: false\n", "enabled: false\n", "force: true\n", "force: false\n", "runtime: off\n", "extra: 1\n", "valid: false\n", "priority: x\n", "- a\n", "  x\n", "\x00", "? a\n", ": b\n", "null: 1\n", "1: 2\n",
			"configVersion: v3.1\n", "configVersion: v3.0\n", "enabled: !!bool no\n", "priority: 1_0\n", "!!str force: true\n", "'force': true\n", "{}\n", "<<: {force: true}\n", "force : true\n", "force:true\n", "enabled: 'no'\n", "dynamic: 1\n", "key: 5\n", "version: x\n")
	case 18:
		_, t := m.documentOf()
		return t
	case 19:
		_, t := m.documentOf()
		other := strings.Split(t, "\n")
		lines = slices.Insert(lines, i, other[m.below(len(other))])
	case 20:
		return m.replaced(text, wordPattern, m.from(scalars()))
	case 21:
		return m.replaced(text, wordPattern, m.address())
	case 22:
		return m.replaced(text, regexp.MustCompile(`: `), m.pick(":", " : ", ":  ", ": \n  ", ":\t", "=", ": !!str ", ": &x "))
	case 23:
		k := m.below(len(text) + 1)
		return text[:k] + m.pick(" ", ":", "-", "'", "\"", "\n", "#", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "\\", "0", "\t", "é", "?") + text[k:]
	}
	return strings.Join(lines, "\n")
}

func (m *mutator) address() string {
	return m.pick("10.1.0.1:20880", "10.1.0.1", "10.1.0.*", "10.1.0.*:20880", "10.1.*.*:*", "10.1.0.1-3:20880", "10.1.0.1-3", "10.1.0.0/24", "10.1.0.0/24:20880", "0.0.0.0:20880", "*", "*:20880", "*.*.*.*", "*.*.*.*:20880", "10.1.0.1:208*", "10.1.0.1:",
		":20880", "10.1", "10.1.0", "10.1.0.1.1", "10.1.0.256", "0.0.0.0", "0.0.0.0:*", "10.1.0.3-1:20880", "10.1.0.-3", "[::1]:20880", "::1", "fd00::*", "2001:db8::1:20880", "10.1.0.1/32", "10.1.0.1/33", "10.1.0.1/", "/24", "10.1.0.0/0", "10.1.0.1: 20880", " 10.1.0.1:20880",
		url.QueryEscape("10.1.0.1:20880"), "10.1.0.1,10.1.0.2", "010.1.0.1:20880")
}
