package directory

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/service"
)

// scriptHint is the next step where scripts are switched off.
const scriptHint = "who may write there runs code in every consumer; if that is wanted, switch scripts on: Options.Scripts, the key scripts.enabled of the daemon, or its flag --scripts"

// scripts are what a join needs for its script rules. Only the writer uses it.
type scripts struct {
	dialect dialect.Dialect
	// runner is nil when scripts are switched off.
	runner route.Scripts
	counts *scriptCounts
	// retired are rules that no generation to come uses.
	retired []route.ScriptRule
}

// scriptState is one script rule: of a document, or of a rule URL. The zero value is none.
type scriptState struct {
	// doc is the document in force, nil also after a deletion that Dubbo does not survive.
	doc  *rule.ScriptDocument
	rule route.ScriptRule
	// filter is the rule as the chain takes it; it stands there too when it passes everything, to tell why.
	filter *route.FilterRule
}

// replace returns what a document makes of a rule. ok is false when the old one stays. With scripts switched off the findings tell so, and the
// rule passes everything.
func (s *scripts) replace(old scriptState, doc *rule.ScriptDocument) (next scriptState, findings diag.List, ok bool) {
	next = scriptState{doc: doc, filter: &route.FilterRule{Origin: doc.Origin, Span: doc.ScriptSpan, Text: doc.Type, Priority: doc.Priority}}
	next.filter.Origin.Name = scriptName(doc.Origin)
	switch {
	case !doc.Enabled:
		next.filter.Passes = route.ReasonDisabled
	case !doc.Valid:
		next.filter.Detail = "it has no script, or says valid: false"
	case s.runner == nil:
		next.filter.Passes, next.filter.Detail = route.ReasonScriptsOff, "script rules are switched off"
		findings = diag.List{{Code: diag.ScriptsOff, Severity: diag.Warning, File: next.filter.Origin.Name, Span: doc.ScriptSpan,
			Message: "script rules are switched off: this one has no effect", Hint: scriptHint}}
	default:
		next.filter.Detail = "nothing runs a script of type " + doc.Type
	}
	if s.runner == nil {
		return next, findings, true
	}
	if next.rule, findings = s.runner.Replace(old.rule, doc, s.dialect); next.rule == nil {
		return old, findings, false
	}
	s.retire(old.rule)
	next.filter.Bind = s.bind(next.rule, next.filter.Origin)
	return next, findings, true
}

// delete returns what is left of a rule when its document is gone.
func (s *scripts) delete(old scriptState, origin rule.Origin) (next scriptState, findings diag.List) {
	if old.rule == nil {
		return scriptState{}, nil
	}
	next.rule, findings = s.runner.Delete(old.rule)
	s.retire(old.rule)
	if next.rule == nil {
		return scriptState{}, findings
	}
	next.filter = &route.FilterRule{Origin: origin, Text: "deleted", Bind: s.bind(next.rule, origin)}
	return next, findings
}

// retire notes a rule for closing.
func (s *scripts) retire(r route.ScriptRule) {
	if r != nil {
		s.retired = append(s.retired, r)
	}
}

// settle closes what was retired; a new generation is out. Calls on older ones still work.
func (s *scripts) settle() {
	for _, r := range s.retired {
		r.Close()
	}
	s.retired = nil
}

// bind ties a rule to a set, with its answers counted.
func (s *scripts) bind(r route.ScriptRule, origin rule.Origin) func(service.Consumer, *service.Set) route.Filter {
	return func(c service.Consumer, set *service.Set) route.Filter {
		f := r.Bind(c, set)
		if f == nil {
			return nil
		}
		return countedFilter{f, s.counts, origin}
	}
}

// scriptName is what a script rule is called: the key of a document, or a rule URL without the script.
func scriptName(o rule.Origin) string {
	if o.Source != "registry" {
		return o.Name
	}
	u, err := durl.Parse(o.Name)
	if err != nil {
		return o.Name
	}
	return u.Without("rule").Redacted()
}

// isScriptURL reports whether a route URL is a script rule (spec §5.1).
func isScriptURL(u durl.URL) bool {
	return u.Scheme() == "script" || u.Scheme() == "route" && u.Get("router", "") == "script"
}

// scriptLogPause is how long the log is silent about scripts of one directory after a line.
const scriptLogPause = 10 * time.Second

// scriptCounts are what the script rules of a directory did. It is safe for concurrent use.
type scriptCounts struct {
	log     *slog.Logger
	service string
	now     func() time.Time

	runs, ignored, failed atomic.Uint64
	spent                 atomic.Int64

	mu     sync.Mutex
	last   *ScriptFailure
	logged time.Time
	silent int
}

// ScriptStatus counts what the script rules of a directory did, explaining included.
type ScriptStatus struct {
	// Runs counts calls that ran a script (not those that took a remembered answer), Ignored those of them that it was left out of (it threw, hit a limit or does not compile), Failed
	// those that found no provider because it gave no list.
	Runs    uint64 `json:"runs"`
	Ignored uint64 `json:"ignored"`
	Failed  uint64 `json:"failed"`
	// Spent is the time that calls waited for scripts.
	Spent time.Duration `json:"spentNanos"`
	// Last is the last call of Ignored and Failed; nil when there was none.
	Last *ScriptFailure `json:"last,omitempty"`
}

// ScriptFailure is one call whose script did not give a list.
type ScriptFailure struct {
	// Rule is the key or URL of the rule; Method is that of the call.
	Rule   string       `json:"rule"`
	Method string       `json:"method"`
	Reason route.Reason `json:"reason"`
	Detail string       `json:"detail"`
	At     time.Time    `json:"at"`
}

// countedFilter is a filter whose answers are counted.
type countedFilter struct {
	inner  route.Filter
	counts *scriptCounts
	origin rule.Origin
}

// Filter implements route.Filter.
func (f countedFilter) Filter(inv *rpc.Invocation, in []uint32) route.Filtered {
	began := time.Now()
	out := f.inner.Filter(inv, in)
	f.counts.runs.Add(1)
	f.counts.spent.Add(int64(time.Since(began)))
	switch out.Reason {
	case route.ReasonScriptIgnored:
		f.counts.ignored.Add(1)
	case route.ReasonScriptFailed:
		f.counts.failed.Add(1)
	default:
		return out
	}
	f.counts.note(ScriptFailure{Rule: f.origin.Name, Method: inv.Method, Reason: out.Reason, Detail: out.Detail})
	return out
}

// note keeps a failure, and logs it unless one was logged a moment ago.
func (c *scriptCounts) note(f ScriptFailure) {
	f.At = c.now()
	c.mu.Lock()
	c.last = &f
	quiet := !c.logged.IsZero() && f.At.Sub(c.logged) < scriptLogPause
	silent := c.silent
	if quiet {
		c.silent++
	} else {
		c.logged, c.silent = f.At, 0
	}
	c.mu.Unlock()
	if !quiet {
		c.log.Warn("a script rule did not answer a call", "service", c.service, "rule", f.Rule, "method", f.Method, "outcome", string(f.Reason),
			"reason", f.Detail, "unlogged", silent)
	}
}

// status returns the counts.
func (c *scriptCounts) status() *ScriptStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	ignored, failed := c.ignored.Load(), c.failed.Load() // before the runs, of which they are some
	return &ScriptStatus{Runs: c.runs.Load(), Ignored: ignored, Failed: failed, Spent: time.Duration(c.spent.Load()), Last: c.last}
}

// applyScript takes a text of a script key (spec §5.3): one that is refused leaves the rule in force.
func (d *documents) applyScript(s *slot, origin rule.Origin, text string) outcome {
	doc, findings := rule.ParseScriptDocument(origin, text, d.dialect)
	if doc == nil {
		return s.took(origin, findings, false, false)
	}
	next, more, ok := d.scripts.replace(s.script, doc)
	if findings = append(findings, more...); !ok {
		return s.took(origin, findings, false, false)
	}
	s.script = next
	return s.took(origin, findings, next.filter.Passes != route.ReasonScriptsOff, true)
}

// deleteScript takes the news that the document is gone.
func (d *documents) deleteScript(s *slot) outcome {
	had := s.script.filter != nil
	s.refused = nil
	s.script, s.remarks = d.scripts.delete(s.script, rule.Origin{Source: "config-centre", Name: s.key})
	return outcome{changed: had, told: had}
}

// closeScripts releases the script rules for good.
func (j *join) closeScripts() {
	for _, r := range j.routes.held() {
		j.scripts.retire(r)
	}
	j.scripts.retire(j.documents.slot[slotScript].script.rule)
	j.scripts.settle()
}

// earlyBudget is how long the scripts that dubbo-2.6 runs at a notification may take together: the writer waits for them.
const earlyBudget = 500 * time.Millisecond

// hurried returns script rules that pass everything once those of the same notification took too long.
func hurried(list []*route.FilterRule) []*route.FilterRule {
	if len(list) == 0 {
		return nil
	}
	spent := new(atomic.Int64)
	out := make([]*route.FilterRule, len(list))
	for i, r := range list {
		one := *r
		if r.Bind != nil {
			one.Bind = func(c service.Consumer, set *service.Set) route.Filter {
				if f := r.Bind(c, set); f != nil {
					return hurriedFilter{f, spent}
				}
				return nil
			}
		}
		out[i] = &one
	}
	return out
}

// hurriedFilter is one filter of a notification.
type hurriedFilter struct {
	inner route.Filter
	spent *atomic.Int64
}

// Filter implements route.Filter.
func (f hurriedFilter) Filter(inv *rpc.Invocation, in []uint32) route.Filtered {
	if time.Duration(f.spent.Load()) > earlyBudget {
		return route.Filtered{Pass: true, Reason: route.ReasonScriptIgnored, Detail: "the scripts of this notification took too long: add runtime=true to the rule"}
	}
	began := time.Now()
	out := f.inner.Filter(inv, in)
	f.spent.Add(int64(time.Since(began)))
	return out
}
