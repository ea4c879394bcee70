package directory

import (
	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rule"
)

// parseRouteURL reads a condition rule out of a rule URL.
func parseRouteURL(u durl.URL, d dialect.Dialect) (*rule.ConditionDocument, diag.List) {
	if u.Scheme() != "condition" && u.Get("router", "") != "condition" {
		return nil, nil
	}
	text, err := durl.Decode(u.Get("rule", ""))
	if err != nil {
		return nil, diag.List{{Code: diag.BadEscape, File: u.Redacted(), Message: err.Error()}}
	}
	priority, err := u.Int("priority", 0)
	if err != nil {
		return nil, diag.List{{Code: diag.URLBadNumber, File: u.Redacted(), Message: err.Error()}}
	}
	c, findings := rule.ParseCondition(text, d)
	if findings.HasErrors() {
		return nil, findings
	}
	return &rule.ConditionDocument{Enabled: u.Bool("enabled", true), Force: u.Bool("force", false), Valid: true,
		Priority: priority, Conditions: []rule.Condition{c}, Text: text}, findings
}
