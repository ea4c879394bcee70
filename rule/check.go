package rule

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/match"
)

// checkClause reports what a well-formed clause hardly was meant to say (spec §12.2 L1 to L10).
func checkClause(c *Clause, s side, r *report) {
	doubt := r.warn
	if s.strict() {
		doubt = r.error
	}
	if len(c.In) == 0 && len(c.NotIn) == 0 {
		hint := "write " + c.Key + "=value; several values are separated by commas: key=a,b"
		if strings.EqualFold(c.Key, "true") || strings.EqualFold(c.Key, "false") {
			hint = "only lower-case \"true\" (left) and \"false\" (right), alone, are special"
		}
		doubt(diag.KeyWithoutValue, c.Span, "key "+strconv.Quote(c.Key)+" has no value", hint)
	}
	if strings.IndexByte(c.Key, '*') >= 0 {
		r.warn(diag.StarInKey, c.Span, "\"*\" in a key is plain text", "name the key in full")
	}
	checkKey(c, s, r)
	for i := range c.In {
		checkValue(c, c.In[i], s, r)
	}
	for i := range c.NotIn {
		checkValue(c, c.NotIn[i], s, r)
	}
}

func checkKey(c *Clause, s side, r *report) {
	doubt := r.warn
	if s.strict() {
		doubt = r.error
	}
	switch {
	case IsArgumentKey(c.Key, s.dialect):
		switch _, ok := ArgumentIndex(c.Key, s.dialect); {
		case s.right:
			doubt(diag.KeyOnlyLeft, c.Span, "arguments are known on the left side only", "move it before \"=>\"")
		case !ok:
			doubt(diag.BadArgumentKey, c.Span, "key "+strconv.Quote(c.Key)+" names no argument", "write arguments[0] for the first argument")
		case !s.strict() && !exactArgumentKey(c.Key):
			r.warn(diag.BadArgumentKey, c.Span, "text after the bracket of "+strconv.Quote(c.Key)+" is ignored", "write arguments[0]; fields of arguments cannot be asked for")
		}
	case IsAttachmentKey(c.Key, s.dialect):
		switch _, ok := AttachmentName(c.Key, s.dialect); {
		case s.right:
			doubt(diag.KeyOnlyLeft, c.Span, "attachments are known on the left side only", "move it before \"=>\"")
		case !ok:
			hint := "write attachments[name]"
			if strings.IndexByte(c.Key, '.') >= 0 {
				hint = "Dubbo cannot ask for attachments with a dot in the name; the standard dialect can"
			}
			doubt(diag.BadAttachmentKey, c.Span, "key "+strconv.Quote(c.Key)+" names no attachment", hint)
		}
	case strings.HasPrefix(c.Key, "arguments[") || strings.HasPrefix(c.Key, "attachments["):
		r.warn(diag.NotAvailable, c.Span, "dialect "+s.dialect.String()+" takes "+strconv.Quote(c.Key)+" for a URL parameter",
			"arguments[N] is known from Dubbo 2.7.11 on, attachments[k] from 3.2 on")
	case s.dialect == dialect.Dubbo26 && c.Key == "address":
		r.warn(diag.NotAvailable, c.Span, "Dubbo 2.6 does not know the key \"address\"", "use host and port")
	case s.right && (c.Key == "method" || c.Key == "methods"):
		r.warn(diag.MethodOnRight, c.Span, "on the right side "+strconv.Quote(c.Key)+" is a provider parameter, not the method called", "move it before \"=>\"")
	case s.right && c.Key == "application" && (s.dialect == dialect.Dubbo26 || s.dialect == dialect.Dubbo27):
		r.warn(diag.ApplicationIsOwn, c.Span, "in Dubbo 2.x \"application\" on the right side is the consumer's own application", "use remote.application (2.7)")
	}
}

func checkValue(c *Clause, v Value, s side, r *report) {
	text := v.Text
	if strings.IndexByte(text, '|') >= 0 {
		r.warn(diag.PipeIsText, v.Span, "\"|\" is plain text, there is no \"or\"", "write "+c.Key+"="+strings.ReplaceAll(text, "|", ",")+" if you mean either")
	}
	if strings.IndexByte(text, '~') >= 0 {
		checkRange(v, s, r)
	}
	if strings.Count(text, "*") > 1 {
		r.warn(diag.SeveralStars, v.Span, "only the last \"*\" is a wildcard, the others are plain text", "use one \"*\", or several values: key=a*,b*")
	}
	if strings.HasPrefix(text, "$") {
		switch {
		case !s.right:
			r.warn(diag.DollarOnLeft, v.Span, strconv.Quote(text)+" on the left side is plain text", "\"$name\" works on the right side: the consumer's value of name")
		case text == "$address" && !s.strict():
			r.warn(diag.DollarAddress, v.Span, "\"$address\" is looked up as a parameter named address", "use $host")
		}
	}
	if s.strict() && (strings.HasPrefix(text, prefixes[0]) || strings.HasPrefix(text, prefixes[1])) {
		r.warn(diag.PrefixInValue, v.Span, "Dubbo cuts "+strconv.Quote(text[:len(prefixes[0])])+" out of this value", "use a \"*\" or another label if Dubbo reads this rule too")
	}
}

// checkRange looks at values with "~" (spec §2.7).
func checkRange(v Value, s side, r *report) {
	low, high, ok := match.Range(v.Text)
	switch s.dialect {
	case dialect.Standard:
		if !ok {
			r.warn(diag.TildeInValue, v.Span, strconv.Quote(v.Text)+" is no number range: it is compared as plain text, Dubbo 3.2+ reads a range", "a range is written 1~5, ~5 or 1~")
		} else if low > high {
			r.error(diag.BadRange, v.Span, "range "+strconv.Quote(v.Text)+" is empty", "write the smaller number first")
		}
	case dialect.Dubbo33:
		switch {
		case !ok:
			r.warn(diag.BadRange, v.Span, "every part of "+strconv.Quote(v.Text)+" that is not all digits counts as 0", "a range is written 1~5 or ~5; plain text with \"~\" cannot be matched")
		case strings.HasSuffix(v.Text, "~"):
			r.warn(diag.BadRange, v.Span, "Dubbo 3 does not read a range open above: on the left side it never matches, on the right side always", "write a large upper number")
		case low < 0 || high < 0:
			r.warn(diag.BadRange, v.Span, "negative numbers count as 0 in Dubbo 3", "use numbers from 0")
		case low > high:
			r.warn(diag.BadRange, v.Span, "range "+strconv.Quote(v.Text)+" is empty", "write the smaller number first")
		}
	default:
		r.warn(diag.TildeInValue, v.Span, "\"~\" is plain text before Dubbo 3.2", "ranges are known from Dubbo 3.2 on")
	}
}
