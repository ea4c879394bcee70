package conformance

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// scriptTime is how long a script may take here: the answers are compared, not the time on a busy machine.
const scriptTime = time.Minute

// scriptRouter is what the script router holds (spec §5): the rule of the provider application's document, or the one rule URL of a case
// of router "script-url".
type scriptRouter struct {
	runner route.Scripts
	rule   route.ScriptRule
	filter *route.FilterRule
}

func newScriptRouter() scriptRouter {
	return scriptRouter{runner: script.NewRunner(script.Limits{Time: scriptTime})}
}

// fromURL makes the router of a rule URL. It returns false when Dubbo refuses the URL.
func (s *scriptRouter) fromURL(text string, d dialect.Dialect) bool {
	doc, _ := rule.ParseScriptURL(text, d)
	if doc == nil {
		return false
	}
	s.replace(doc, d)
	return true
}

// set offers a document.
func (s *scriptRouter) set(key, text string, d dialect.Dialect) {
	if doc, _ := rule.ParseScriptDocument(rule.Origin{Name: key}, text, d); doc != nil {
		s.replace(doc, d)
	}
}

func (s *scriptRouter) replace(doc *rule.ScriptDocument, d dialect.Dialect) {
	if next, _ := s.runner.Replace(s.rule, doc, d); next != nil {
		s.put(next, doc.Origin)
	}
}

// delete takes the news that the document was deleted.
func (s *scriptRouter) delete(key string) {
	if s.rule != nil {
		next, _ := s.runner.Delete(s.rule)
		s.put(next, rule.Origin{Name: key})
	}
}

func (s *scriptRouter) put(next route.ScriptRule, o rule.Origin) {
	s.close()
	s.rule, s.filter = next, nil
	if next != nil {
		s.filter = &route.FilterRule{Origin: o, Bind: next.Bind}
	}
}

func (s *scriptRouter) close() {
	if s.rule != nil {
		s.rule.Close()
	}
}

// scriptURL reports whether the case is about one script rule URL.
func (c *Case) scriptURL() bool { return slices.Contains(c.Routers, "script-url") }

// scriptAnswers compares the answers of a script router on its own, which the corpus has without the directory around it: an exception there
// leaves out the rule in 2.6, and fails the call later (spec §8.6).
func (w *world) scriptAnswers(raw json.RawMessage) (want, got string) {
	var b bytes.Buffer
	if want = element(raw); json.Compact(&b, raw) == nil && b.String() == routeFailed {
		want = routeFailed
	}
	s := w.compile()
	for _, step := range s.Explain(w.call).Steps {
		if step.Reason == route.ReasonScriptFailed {
			if all := step.Out == step.In; all != (w.dialect == dialect.Dubbo26) {
				return want, "a failed rule left " + keep(s, w.call, w.use)
			}
			return want, routeFailed
		}
	}
	return want, keep(s, w.call, w.use)
}
