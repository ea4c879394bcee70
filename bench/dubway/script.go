package dubway

import (
	"fmt"
	"time"

	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
	"github.com/dubway-go/dubway/service"
)

// PortScript is a document of the script workload, in the words of Dubbo's manual.
const PortScript = `configVersion: v3.0
scope: application
force: true
enabled: true
type: javascript
key: ` + workload.ProviderApp + `
script: |
  (function route(invokers, invocation, context) {
    var result = new java.util.ArrayList(invokers.size());
    for (var i = 0; i < invokers.size(); i++) {
      if (invokers.get(i).getUrl().getPort() == 20880) {
        result.add(invokers.get(i));
      }
    }
    return result;
  }(invokers, invocation, context));
`

// PortExpr is the same as an expression.
const PortExpr = `configVersion: v3.0
scope: application
enabled: true
type: expr
key: ` + workload.ProviderApp + `
script: port == 20880
`

// scriptTime is how long a script may take here: long lists take longer than a call may wait.
const scriptTime = time.Minute

// Script is a script rule over a set.
type Script struct{ engine *script.Engine }

// NewScript compiles a script document and binds it to a set.
func NewScript(set *service.Set, text string) (*Script, error) {
	doc, findings := rule.ParseScriptDocument(rule.Origin{Source: "code", Name: workload.ProviderApp + ".script-router"}, text, dialect.Standard)
	if err := findings.Err(); err != nil {
		return nil, err
	}
	r, findings := script.New(doc, script.Options{Limits: script.Limits{Time: scriptTime, Memory: 1 << 30}})
	if err := findings.Err(); err != nil {
		return nil, err
	}
	return &Script{r.Bind(service.Consumer{}, set)}, nil
}

// Route runs the script and returns how many providers it kept.
func (s *Script) Route(inv *rpc.Invocation) (int, error) {
	r := s.engine.Run(inv, nil)
	if r.Outcome != script.Kept {
		return 0, fmt.Errorf("script: %v: %w", r.Outcome, r.Err)
	}
	return len(r.Kept), nil
}
