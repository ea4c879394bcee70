package script_test

import (
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/script"
)

func wrap(body string) string {
	return "(function route(invokers, invocation, context) { " + body + " })(invokers, invocation, context)"
}

func filter(condition string) string {
	return wrap("var r = new java.util.ArrayList(); for (var i = 0; i < invokers.size(); i++) { var p = invokers.get(i); if (" + condition + ") r.add(p); } return r;")
}

// TestSurface tries what published scripts use, each over six providers of which 0, 2 and 4 are in region north.
func TestSurface(t *testing.T) {
	set := fleet(t, 6)
	for i, c := range []struct{ text, want string }{
		{documented, "0 2 4"},
		{filter("p.getUrl().getParameter('region') == 'north'"), "0 2 4"},
		{filter("'10.0.0.3'.equals(p.getUrl().getHost())"), "2"},
		{filter("p.url.port == 20881"), "1 3 5"},
		{filter("p.url.host == '10.0.0.1' && p.available && p.isAvailable()"), "0"},
		{filter("p.getUrl().getParameter('k', 0) > 3"), "4 5"},
		{filter("p.getUrl().getParameter('nosuch', true)"), "0 1 2 3 4 5"},
		{filter("p.getUrl().getParameter('nosuch') == null && p.getUrl().getParameter('nosuch', 'x') == 'x' && !p.getUrl().hasParameter('nosuch')"), "0 1 2 3 4 5"},
		{filter("p.getUrl().getParameters().get('region') == 'south' && p.getUrl().parameters.region == 'south'"), "1 3 5"},
		{filter("p.getUrl().getMethodParameter('getOrder', 'region') == 'north'"), "0 2 4"},
		{filter("p.getInterface().getSimpleName() == 'OrderService' && p.getUrl().getServiceKey() == 'demo.shop.OrderService'"), "0 1 2 3 4 5"},
		{filter("p.getUrl().getAddress() == '10.0.0.2:20881' && p.getUrl().getProtocol() == 'dubbo' && p.url.toString().startsWith('dubbo://10.0.0.2:20881/')"), "1"},
		{filter("p.getUrl().getParameter('region') == context.getUrl().getParameter('region')"), "0 2 4"},
		{filter("invocation.getMethodName() == 'getOrder' && invocation.methodName.startsWith('get') && context.getMethodName() == 'getOrder'"), "0 1 2 3 4 5"},
		{filter("invocation.getArguments()[0].equals('7') && invocation.arguments.length == 1 && invocation.getParameterTypes()[0].getName() == 'java.lang.String'"), "0 1 2 3 4 5"},
		{filter("invocation.getAttachment('env') == 'gray' && context.getAttachment('env') == 'gray' && invocation.attachments.env == 'gray' && invocation.getAttachment('no', 'x') == 'x'"), "0 1 2 3 4 5"},
		{"function route(invokers) { return invokers.subList(1, 3) } route(invokers)", "1 2"},
		{"function route(op) { return op }\nroute(invokers)", "0 1 2 3 4 5"},
		{"for (i = 0; i < 2; i++) invokers.remove(0); invokers", "2 3 4 5"},
		{"if (invocation.getMethodName() == 'x') [] ; else invokers.subList(0, 1)", "0"},
		{"let a = invokers; const b = 2; a.subList(0, b) // end", "0 1"},
		{"importPackage(java.util); var r = new ArrayList(); r.add(invokers.get(3)); r", "3"},
		{"importClass(java.util.LinkedList); var r = new LinkedList(); r.add(0, invokers.get(3)); r.addLast(invokers.get(4)); r", "3 4"},
		{"load('nashorn:mozilla_compat.js'); with (new JavaImporter(java.util)) { var r = new ArrayList(); r.add(invokers[2]); } r", "2"},
		{"var A = Java.type('java.util.ArrayList'); var r = new A(); for (var x of invokers) r.add(x); r", "0 1 2 3 4 5"},
		{"var L = Packages.java.util.LinkedList; new L(invokers)", "0 1 2 3 4 5"},
		{"for (var r = [], i = 0; i < invokers.length; i += 3) r.push(invokers[i]); r", "0 3"},
		{"invokers.filter(p => p.url.port === 20880)", "0 2 4"},
		{"invokers.stream().filter(function (p) { return p.getUrl().getPort() == 20881 }).collect(java.util.stream.Collectors.toList())", "1 3 5"},
		{"Java.from(invokers).slice(4)", "4 5"},
		{"var it = invokers.iterator(), r = new java.util.ArrayList(); while (it.hasNext()) { var p = it.next(); if (p.url.port == 20880) r.add(p) } r", "0 2 4"},
		{"var m = new java.util.HashMap(); invokers.forEach(function (p) { m.computeIfAbsent(p.url.port, function () { return new java.util.ArrayList() }).add(p) }); m.get(20881)", "1 3 5"},
		{"var s = new java.util.HashSet(java.util.Arrays.asList('10.0.0.1', '10.0.0.6')); invokers.removeIf(function (p) { return !s.contains(p.url.host) }); invokers", "0 5"},
		{"var r = new java.util.ArrayList(invokers); java.util.Collections.reverse(r); java.util.Collections.sort(r, function (a, b) { return b.url.port - a.url.port }); r.subList(0, 2)", "3 5"},
		{"invokers.toArray()", "0 1 2 3 4 5"},
		{"[invokers.get(5), invokers.get(1), invokers.get(5)]", "1 5"},
		{"'a'.hashCode() == 97 && 'order'.hashCode() == 106006350 && java.lang.Integer.parseInt('42') == 42 && 'abc'.contains('b') && 'ab1'.matches('[a-z]+1') ? invokers : []", "0 1 2 3 4 5"},
		{"new java.util.ArrayList(java.util.Arrays.asList(1, 2)).toString() == '[1, 2]' && invokers.contains(invokers.get(0)) && invokers.indexOf(invokers.get(2)) == 2 ? invokers : []", "0 1 2 3 4 5"},
		{"invokers.get(6)", "ignored: script threw: java.lang.IndexOutOfBoundsException: Index: 6, Size: 6 at line 1"},
		{"new java.io.File('x')", "ignored: script threw: ReferenceError: Java class java.io.File is not available to script rules: there are lists, maps, sets, streams and texts of java.util and java.lang at line 1"},
		{"1;\n2;\nnosuch()", "ignored: script threw: ReferenceError: 'nosuch' is not defined at line 3"},
		{"new java.util.HashSet(invokers)", "failed: script gave no list of providers: it gave java.util.HashSet"},
		{"var a = 1;", "failed: script gave no list of providers: it gave nothing: does the function return its list, and is it called?"},
	} {
		if raceEnabled && i%8 != 0 {
			continue // it slows the engine a hundredfold
		}
		if got := show(engine(t, c.text, javascript, dialect.Standard, set).Run(call(), nil)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestObjectsAsArguments(t *testing.T) {
	inv := call()
	inv.Args = []any{map[string]any{"class": "demo.Order", "name": "n", "items": []any{int64(1), "two", 2.5, nil, true}}, []byte{1, 255}, int64(1 << 40)}
	for _, condition := range []string{
		"a[0].name == 'n' && a[0].getName() == 'n' && a[0].get('name') == 'n'", "a[0].items.size() == 5 && a[0].getItems().get(1) == 'two' && a[0].items[3] === null",
		"a[1].length == 2 && a[1][1] == -1", "a[2] == 1099511627776", "a[0].nosuch === undefined && a[0].containsKey('class')",
	} {
		text := "var a = invocation.getArguments(); " + condition + " ? invokers : []"
		if got := show(engine(t, text, javascript, dialect.Standard, fleet(t, 1)).Run(inv, nil)); got != "0" {
			t.Errorf("%s: %s", condition, got)
		}
	}
}

func TestGenericCallsShowThemselvesAsInvoke(t *testing.T) {
	inv := call()
	inv.Direct = false
	const text = "var a = invocation.getArguments(); invocation.getMethodName() == '$invoke' && a[0] == 'getOrder' && a[1][0] == 'java.lang.String' && a[2][0] == '7' ? invokers : []"
	for _, d := range dialect.All() {
		want := "0"
		if d == dialect.Standard {
			want = ""
		}
		if got := show(engine(t, text, javascript, d, fleet(t, 1)).Run(inv, nil)); got != want {
			t.Errorf("%s: %q", d, got)
		}
	}
}

func TestWhatIsOffered(t *testing.T) {
	e := engine(t, "invokers.subList(1, invokers.size())", javascript, dialect.Standard, fleet(t, 6))
	for _, c := range []struct {
		in   []uint32
		want string
	}{{nil, "1 2 3 4 5"}, {[]uint32{1, 3, 5}, "3 5"}, {[]uint32{1, 3, 5}, "3 5"}, {[]uint32{2}, ""}, {nil, "1 2 3 4 5"}} {
		if got := show(e.Run(call(), c.in)); got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
	empty := engine(t, "invokers", javascript, dialect.Standard, fleet(t, 6))
	if got := show(empty.Run(call(), []uint32{})); got != "" {
		t.Errorf("of none: %s", got)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, language, want string }{
		{"var r = [];\nfor each (x in invokers) r.push(x)", javascript, "2:1: \"for each\" is no JavaScript (write for (var x of list))"},
		{"def r = invokers.findAll { it.url.port == 1 }", javascript, "Groovy or Java"},
		{"function(", javascript, "1:"},
		{"} evil(); {", javascript, "1:"},
		{"invokers", "groovy", "Groovy is not run"},
		{"invokers", "python", "no engine"},
		{strings.Repeat("x", 70000), javascript, "too long"},
		{strings.Repeat("(", 60000), javascript, "stack overflow"},
		{strings.Repeat("[", 30000) + strings.Repeat("]", 30000), javascript, "stack overflow"},
	} {
		p, err := script.Compile(c.text, c.language, script.Limits{})
		if err == nil {
			p.Close()
			t.Errorf("%.40q compiles", c.text)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v", c.text, err)
		}
	}
}
