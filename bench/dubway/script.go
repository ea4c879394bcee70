package dubway

import (
	"time"

	"github.com/dubway-go/dubway/bench/workload"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
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

// CallScript keeps the same providers and looks at the call first, so that it runs for each call.
const CallScript = `configVersion: v3.0
scope: application
enabled: true
type: javascript
key: ` + workload.ProviderApp + `
script: |
  (function route(invokers, invocation, context) {
    var result = new java.util.ArrayList(invokers.size());
    for (var i = 0; i < invokers.size(); i++) {
      if (invocation.getAttachment("env") == "prod" && invokers.get(i).getUrl().getPort() == 20880) {
        result.add(invokers.get(i));
      }
    }
    return result;
  }(invokers, invocation, context));
`

// scriptTime is how long a script may take here: long lists take longer than a call may wait.
const scriptTime = time.Minute

// Script sets the script document of the provider application; Compile makes it active.
func (e *Engine) Script(text string) error {
	doc, findings := rule.ParseScriptDocument(rule.Origin{Source: "code", Name: workload.ProviderApp + ".script-router"}, text, dialect.Standard)
	if err := findings.Err(); err != nil {
		return err
	}
	r, findings := script.NewRunner(script.Limits{Time: scriptTime, Memory: 1 << 30}).Replace(nil, doc, dialect.Standard)
	if err := findings.Err(); err != nil {
		return err
	}
	e.in.Rules.Script = &route.FilterRule{Origin: doc.Origin, Text: "script", Bind: r.Bind}
	return nil
}
