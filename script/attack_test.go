package script_test

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/script"
)

// attacks are scripts that want too much. None may be Kept with a list, and each must leave the call with the providers that it had. The
// file has them in this order: time, memory, stack, loops inside the engine where no clock ticks, ways out.
func attacks(tb testing.TB) []string {
	tb.Helper()
	b, err := os.ReadFile("testdata/attacks.json")
	if err != nil {
		tb.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		tb.Fatal(err)
	}
	return list
}

func TestAttacksAreStopped(t *testing.T) {
	set := fleet(t, 100)
	longest, worst := time.Duration(0), ""
	list := attacks(t)
	for i, text := range list {
		if raceEnabled && i%8 != 0 {
			continue
		}
		e := engineWith(t, text, javascript, dialect.Standard, set, script.Limits{})
		start := time.Now()
		r := e.Run(call(), nil)
		if took := time.Since(start); took > longest {
			longest, worst = took, text
		}
		if _, all := r.Left(dialect.Standard); r.Outcome == script.Kept || r.Outcome == script.Ignored && !all || r.Err == nil {
			t.Errorf("%s: %s", text, show(r))
		}
		if r.Outcome == script.Failed && !strings.Contains(text, "Symbol.iterator") && !strings.Contains(text, "Set(it)") {
			t.Errorf("%s: was not stopped: %s", text, show(r))
		}
	}
	t.Logf("%d attacks; the longest took %v: %s", len(list), longest, worst)
}

func TestReasonsAreTold(t *testing.T) {
	set := fleet(t, 4)
	for text, want := range map[string]error{
		"for (;;);": script.ErrTime, "var a = 'x'.repeat(1e6); var l = []; for (;;) { l.push(a + l.length); l[l.length - 1].charCodeAt(0) }": script.ErrMemory,
		"(function f() { return f() + 1 })()": script.ErrStack, "throw new Error('no')": script.ErrThrown, "null": script.ErrNotAList, "5": script.ErrNotAList,
	} {
		limits := script.Limits{Time: time.Minute} // a slow machine must not run out of time first
		if errors.Is(want, script.ErrTime) {
			limits.Time = 0
		}
		p, err := script.Compile(text, javascript, limits)
		if err != nil {
			t.Fatal(err)
		}
		if r := script.NewEngine(p, consumer(t), set, dialect.Standard).Run(call(), nil); !errors.Is(r.Err, want) {
			t.Errorf("%s: %v, want %v", text, r.Err, want)
		}
		p.Close()
	}
}

// TestNoTraceIsLeft runs a script that changes all that it can reach, and then looks for it, on the same machine.
func TestNoTraceIsLeft(t *testing.T) {
	set := fleet(t, 4)
	const text = `
var seen = [];
if (typeof counter !== 'undefined') seen.push('global');
if (typeof named !== 'undefined' && named.mark) seen.push('function');
if ([].mark || ({}).mark || ''.mark || (1).mark || invokers.mark) seen.push('prototype');
if (invokers.get(0).mark || invokers.get(0).getUrl().mark || invocation.mark || context.mark) seen.push('host object');
if (Math.max(1, 2) !== 2 || Array.prototype.push.mark || JSON.mark) seen.push('built-in');
if (Object.getOwnPropertyNames(globalThis).indexOf('hidden') >= 0 && globalThis.hidden) seen.push('hidden');
function named() {} named.mark = 1;
counter = 1; var other = 2; globalThis.hidden = 3;
Array.prototype.mark = Object.prototype.mark = String.prototype.mark = Number.prototype.mark = 1;
try { Object.defineProperty(Array.prototype, 'push', { value: function () {} }); } catch (e) {}
try { Object.setPrototypeOf(Array.prototype, { mark: 1 }); } catch (e) {}
try { Object.getPrototypeOf(invokers).mark = 1; } catch (e) {}
Math.max = function () { return 7; }; Array.prototype.push.mark = 1; JSON.mark = 1; java.mark = 1; Array = 5; undefined = 6;
invokers.get(0).mark = 1; invokers.get(0).getUrl().mark = 1; invocation.mark = 1; context.mark = 1; invokers.mark = 1;
invokers.get(0).getUrl().getParameter = function () { return 'x'; };
const fixed = 1; let loose = 2; class Kept {}
if (seen.length > 0) throw seen.join(', ');
invokers.clear(); invokers = null; invocation = null;
context.getUrl() === null ? [] : [];
`
	p, err := script.Compile(text, javascript, script.Limits{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e := script.NewEngine(p, consumer(t), set, dialect.Standard)
	for i := range 3 {
		if r := e.Run(call(), nil); show(r) != "" {
			t.Fatalf("run %d: %s", i, show(r))
		}
	}
}

func TestParametersAreReadOnly(t *testing.T) {
	set := fleet(t, 4)
	for _, body := range []string{
		"invokers.get(0).getUrl().getParameters().put('region', 'x'); return invokers", "invokers.get(0).getUrl().getParameters().clear(); return invokers",
		"'use strict'; invokers.get(0).host = 1; return invokers", "'use strict'; invokers.get(0).getUrl().host = 1; return invokers", "invocation.getAttachments().put('a', 'b'); return invokers",
	} {
		if r := engine(t, wrap(body), javascript, dialect.Standard, set).Run(call(), nil); !errors.Is(r.Err, script.ErrThrown) {
			t.Errorf("%s: %s", body, show(r))
		}
	}
	body := "invocation.getArguments()[0] = 'changed'; invocation.getArguments().length = 0; invokers.get(0).getUrl().getParameters().region = 'x'; return invokers.subList(0, 1)"
	inv := call()
	if r := engine(t, wrap(body), javascript, dialect.Standard, set).Run(inv, nil); show(r) != "0" || inv.Args[0] != "7" {
		t.Errorf("%s, arguments %v", show(r), inv.Args)
	}
}

// TestManyCallsAtOnce has good and endless calls side by side, and looks for machines that are not given back.
func TestManyCallsAtOnce(t *testing.T) {
	set, other := fleet(t, 50), fleet(t, 30)
	text := `if (invocation.getArguments()[0] == 'loop') for (;;); ` + "invokers.subList(0, invokers.size() - 1)"
	limit := 2 * time.Second
	if raceEnabled {
		limit = 30 * time.Second // a second machine takes seconds to make there
	}
	p, err := script.Compile(text, javascript, script.Limits{Parallel: 2, Time: limit})
	if err != nil {
		t.Fatal(err)
	}
	a, b := script.NewEngine(p, consumer(t), set, dialect.Standard), script.NewEngine(p, consumer(t), other, dialect.Standard)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 10 {
				e, n := a, 49
				if i%2 == 1 {
					e, n = b, 29
				}
				if r := e.Run(call(), nil); len(r.Kept) != n {
					t.Errorf("%s", show(r))
				}
			}
		}()
	}
	wait.Wait()
	loop := call()
	loop.Args = []any{"loop"}
	if r := a.Run(loop, nil); !errors.Is(r.Err, script.ErrTime) {
		t.Error(show(r))
	}
	p.Close()
	if r := a.Run(call(), nil); len(r.Kept) != 49 {
		t.Errorf("after Close: %s", show(r))
	}
	runtime.GC()
}
