package script_test

import (
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

// TestSame: an answer may stand for all calls only while the script looked at providers and consumer alone.
func TestSame(t *testing.T) {
	set := fleet(t, 6)
	for i, c := range []struct {
		language, text string
		want           bool
	}{
		{javascript, documented, true},
		{javascript, "invokers", true},
		{javascript, filter("p.getUrl().getParameter('region') == context.getUrl().getParameter('region')"), true},
		{javascript, "new Date(0).getTime() == 0 && Date.UTC(1970, 0) == 0 && Date.parse('1970-01-01') == 0 && new Date(0) instanceof Date ? invokers : []", true},
		{javascript, "new Date(0).constructor === Date && Date.length == 7 && Math.max(1, 2) == 2 ? invokers : []", true},
		{javascript, filter("invocation.getMethodName() == 'getOrder'"), false},
		{javascript, filter("invocation.methodName == 'getOrder'"), false},
		{javascript, filter("context.getMethodName() == 'getOrder'"), false},
		{javascript, filter("String(invocation).length > 0"), false},
		{javascript, filter("invocation.arguments.length >= 0"), false},
		{javascript, filter("invocation.getParameterTypes().length >= 0"), false},
		{javascript, filter("invocation.getAttachment('env', 'x') != 'y'"), false},
		{javascript, filter("context.getObjectAttachments() != null"), false},
		{javascript, filter("Math.random() >= 0"), false},
		{javascript, filter("java.lang.Math.random() >= 0"), false},
		{javascript, filter("new java.util.Random().nextInt(3) >= 0"), false},
		{javascript, filter("java.util.concurrent.ThreadLocalRandom.current().nextDouble() >= 0"), false},
		{javascript, "java.util.Collections.shuffle(invokers); invokers", false},
		{javascript, filter("Date.now() > 0"), false},
		{javascript, filter("new Date() > 0"), false},
		{javascript, filter("Date().length > 0"), false},
		{javascript, filter("new (new Date(0).constructor)() > 0"), false},
		{javascript, filter("Object.getPrototypeOf(new Date(0)).constructor.now() > 0"), false},
		{javascript, filter("java.lang.System.currentTimeMillis() > 0 && java.lang.System.nanoTime() > 0"), false},
		{javascript, "class D extends Date {} new D() > 0 ? invokers : []", false},
		{javascript, wrap("return null"), false},
		{javascript, wrap("throw 1"), false},
		{rule.ScriptExpr, `port == 20880 && param("region") == consumer("region")`, true},
		{rule.ScriptExpr, `filter(providers, .port == 20880)`, true},
		{rule.ScriptExpr, `method == "getOrder"`, false},
		{rule.ScriptExpr, `len(args) == 1`, false},
		{rule.ScriptExpr, `attachments["env"] == "gray"`, false},
		{rule.ScriptExpr, `attachment("env") == "gray"`, false},
		{rule.ScriptExpr, `filter(providers, .port == 20880 && method != "")`, false},
		{rule.ScriptExpr, `$env["method"] == "getOrder"`, false},
	} {
		if raceEnabled && c.language == javascript && i%8 != 0 {
			continue // it slows the engine a hundredfold
		}
		e := engine(t, c.text, c.language, dialect.Standard, set)
		for range 2 { // what one run noticed says nothing of the next
			r := e.Run(call(), nil)
			if r.Same != c.want || c.want && (r.Outcome != script.Kept || len(r.Kept) == 0) {
				t.Errorf("%s\nsame %v, want %v: %s", c.text, r.Same, c.want, show(r))
			}
		}
	}
}
