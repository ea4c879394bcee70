package rule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
)

// word draws a key or value: any text without separators and blanks, often one with a meaning.
func word(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"host", "method", "true", "false", ">", "a>", "$host", "*", "10.*", "1~5", "5~", "consumer.", "provider.x", "x.consumer.y", "arguments[0]", "attachments[a.b]", "köln", "\u3000", "\x01", "\"q\"", "it's", "#c", "-", "{", "\\"}),
		rapid.StringMatching(`[a-z0-9.*$~|\[\]'"\\#:{}<>@-]{1,12}`),
		rapid.StringMatching(`[^&!=,\s\x00-\x1f]{1,6}`),
	).Draw(t, label)
}

func clauses(t *rapid.T, least int) []rule.Clause {
	keys := map[string]bool{}
	var out []rule.Clause
	for range rapid.IntRange(least, 4).Draw(t, "clauses") {
		c := rule.Clause{Key: word(t, "key")}
		if keys[c.Key] {
			continue
		}
		keys[c.Key] = true
		seen := map[string]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "values") {
			v := word(t, "value")
			if seen[v] {
				continue
			}
			seen[v] = true
			c.In = append(c.In, rule.Value{Text: v})
		}
		if rapid.Bool().Draw(t, "negative") {
			c.NotIn = append(c.NotIn, rule.Value{Text: word(t, "not")})
		}
		out = append(out, c)
	}
	return out
}

// TestPrintedConditionReadsTheSame: any condition survives being printed and read, in each Dubbo dialect.
func TestPrintedConditionReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]dialect.Dialect{dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33}).Draw(t, "dialect")
		c := rule.Condition{Dialect: d, When: clauses(t, 0), Blacklist: rapid.Bool().Draw(t, "blacklist")}
		if !c.Blacklist {
			c.Then = clauses(t, 0)
		}
		text := c.String()
		got, list := rule.ParseCondition(text, d)
		if list.HasErrors() || got.Blacklist != c.Blacklist || !sameClauses(got.When, c.When) || !sameClauses(got.Then, c.Then) {
			t.Fatalf("%s: %+v printed as %q, which reads as %+v %v", d, c, text, got, list)
		}
		if got.String() != text {
			t.Fatalf("%q printed again as %q", text, got)
		}
	})
}

// TestPrintedDocumentReadsTheSame: any document survives being printed and read.
func TestPrintedDocumentReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]dialect.Dialect{dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33}).Draw(t, "dialect")
		text := rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"a: b", "'", "\"", "\\", "  x ", "# no comment", "null", "1.0", "yes", "é\u2028\U0001f600", "a\nb", "\u00a0", "\u0085", "%", "@x", "- y"}), rapid.StringMatching(`\PC{0,10}`))
		key := "com.example.Order::.condition-router"
		var doc rule.Document
		if rapid.Bool().Draw(t, "tags") {
			key = "shop.tag-router"
			tags := &rule.TagDocument{Enabled: rapid.Bool().Draw(t, "enabled"), Force: rapid.Bool().Draw(t, "force"), Valid: true, Key: text.Draw(t, "key")}
			for range rapid.IntRange(1, 3).Draw(t, "tags") {
				tag := rule.Tag{Name: text.Draw(t, "name"), HasAddresses: true}
				for range rapid.IntRange(1, 3).Draw(t, "addresses") {
					tag.Addresses = append(tag.Addresses, rule.Value{Text: text.Draw(t, "address")})
				}
				tags.Tags = append(tags.Tags, tag)
			}
			doc = tags
		} else {
			conditions := &rule.ConditionDocument{Enabled: rapid.Bool().Draw(t, "enabled"), Force: rapid.Bool().Draw(t, "force"), Valid: rapid.Bool().Draw(t, "valid"),
				Priority: rapid.IntRange(-9, 9).Draw(t, "priority"), Key: text.Draw(t, "key"), Scope: text.Draw(t, "scope")}
			for range rapid.IntRange(1, 4).Draw(t, "conditions") {
				conditions.Conditions = append(conditions.Conditions, rule.Condition{Dialect: d, When: clauses(t, 0), Then: clauses(t, 1)})
			}
			doc = conditions
		}
		printed := rule.Format(doc)
		again, list := rule.Parse(key, printed, d)
		if again == nil || rule.Format(again) != printed {
			t.Fatalf("%s:\n%s\nreads as\n%s\n%v", d, printed, rule.Format(again), list)
		}
	})
}
