package directory_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/script"
)

const shopScript = "shop.script-router"

// slowUnderRace is why some tests are not run under the race detector.
const slowUnderRace = "the race detector slows the JavaScript engine a hundredfold; the tests of package script run it there, and those with expressions run here"

// keep is a script document that keeps provider n. Under the race detector it is an expression, which only Standard reads.
func keep(n int) string {
	if raceEnabled {
		return fmt.Sprintf("type: expr\nscript: 'filter(providers, .host == \"10.0.0.%d\")'\n", n)
	}
	return fmt.Sprintf("script: invokers.filter(p => p.url.host == '10.0.0.%d')\n", n)
}

// keepURL is a rule URL with the same script.
func keepURL(n int, params ...string) string {
	if raceEnabled {
		return scriptURL(fmt.Sprintf("filter(providers, .host == \"10.0.0.%d\")", n), append(params, "type=expr")...)
	}
	return scriptURL(fmt.Sprintf("invokers.filter(p => p.url.host == '10.0.0.%d')", n), params...)
}

// withScripts switches scripts on, with time enough for busy machines.
func withScripts(o *directory.Options) {
	o.Scripts = script.NewRunner(script.Limits{Time: time.Minute})
}

func speaking(d dialect.Dialect) func(*directory.Options) {
	return func(o *directory.Options) { o.Dialect = d }
}

func scriptURL(text string, params ...string) string {
	return strings.Join(append([]string{"script://0.0.0.0/" + iface + "?category=routers&rule=" + durl.Encode(text)}, params...), "&")
}

// lockedBuffer takes log lines while a test reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// lastStep is what the explanation of a call says about script rules.
func lastStep(d *directory.Directory, inv *rpc.Invocation) route.Step {
	for _, s := range d.Explain(inv).Trace.Steps {
		if strings.HasPrefix(string(s.Reason), "script") || s.Router == route.RouterScript {
			return s
		}
	}
	return route.Step{}
}

// TestScriptsAreOffUnlessSwitchedOn: a rule that is there is told of, and changes nothing.
func TestScriptsAreOffUnlessSwitchedOn(t *testing.T) {
	for _, dl := range dialect.All() {
		w := newWorld(t, provider(1), provider(2))
		w.put(shopScript, "script: invokers\n")
		w.routes(scriptURL("[]", "name=none", "runtime=true"))
		var log lockedBuffer
		var refused atomic.Int64
		d := w.open(speaking(dl), func(o *directory.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Hooks = &directory.Hooks{Rejected: func(rule.Origin, diag.List) { refused.Add(1) }}
		})
		if got := candidates(d, call("get")); got != "1 2" {
			t.Errorf("%s: %s", dl, got)
		}
		var told []string
		for _, r := range d.Explain(call("get")).Rejected {
			for _, f := range r.Findings {
				told = append(told, f.Code)
				if f.Code == diag.ScriptsOff && (!strings.Contains(f.Hint, "--scripts") || !strings.Contains(f.Message, "switched off")) {
					t.Errorf("%s: %+v", dl, f)
				}
			}
		}
		step, want := lastStep(d, call("get")), map[dialect.Dialect]string{dialect.Standard: "DW199 DW199", dialect.Dubbo33: "DW263 DW199", dialect.Dubbo31: "DW263",
			dialect.Dubbo27: "DW199", dialect.Dubbo26: "DW199"}[dl]
		if got := strings.Join(told, " "); got != want || refused.Load() != int64(len(told)) || d.State().Scripts != nil {
			t.Errorf("%s: told %q by %d refusals, want %q", dl, got, refused.Load(), want)
		}
		if dl != dialect.Dubbo31 && (step.Reason != route.ReasonScriptsOff || step.In != 2 || step.Out != 2) {
			t.Errorf("%s: %+v", dl, step)
		}
		if dl == dialect.Standard {
			if st := ruleStatus(d, "script"); st.InForce || st.Rejected == nil || d.State().RouteURLs != 0 {
				t.Errorf("%+v", st)
			}
			w.put(shopScript, "enabled: false\n"+"script: invokers\n")
			await(t, d, "there is nothing to tell of", func() bool { return ruleStatus(d, "script").Rejected == nil })
			w.put(shopScript, "script: invokers\n")
			await(t, d, "it is told again", func() bool { return ruleStatus(d, "script").Rejected != nil })
			w.delete(shopScript)
			await(t, d, "it is forgotten", func() bool { return ruleStatus(d, "script").Rejected == nil })
			if !strings.Contains(log.String(), "script rules are switched off") {
				t.Error(log.String())
			}
		}
		d.Close()
	}
}

// TestScriptDocumentsAreWatched: which dialect reads them; what a refused text, a switched-off one and a deletion come to.
func TestScriptDocumentsAreWatched(t *testing.T) {
	for _, dl := range dialect.All() {
		if raceEnabled && dl == dialect.Dubbo33 {
			continue // no expressions there
		}
		w := newWorld(t, provider(1), provider(2))
		w.put(shopScript, keep(1))
		d := w.open(speaking(dl), withScripts)
		if dl != dialect.Standard && dl != dialect.Dubbo33 {
			if got := candidates(d, call("get")); got != "1 2" || d.State().Rules == nil || ruleStatus(d, "script").Key != "" {
				t.Errorf("%s: %s, %+v", dl, got, ruleStatus(d, "script"))
			}
			continue
		}
		awaitCandidates(t, d, "1")
		if st := ruleStatus(d, "script"); !st.InForce || !st.Enabled || st.Name != shopScript || st.Rev == "" {
			t.Errorf("%s: %+v", dl, st)
		}
		w.put(shopScript, "[")
		await(t, d, "the refusal", func() bool { return ruleStatus(d, "script").Rejected != nil })
		if got := candidates(d, call("get")); got != "1" {
			t.Errorf("%s after a bad text: %s", dl, got)
		}
		w.put(shopScript, "enabled: false\n"+keep(1))
		awaitCandidates(t, d, "1 2")
		if step := lastStep(d, call("get")); step.Reason != route.ReasonDisabled {
			t.Errorf("%+v", step)
		}
		w.put(shopScript, keep(2))
		awaitCandidates(t, d, "2")
		// An error in the script: Standard keeps the last good one, Dubbo passes everything.
		w.put(shopScript, "script: \"(\"\n")
		if dl == dialect.Standard {
			await(t, d, "the refusal", func() bool { return ruleStatus(d, "script").Rejected != nil })
			awaitCandidates(t, d, "2")
		} else {
			awaitCandidates(t, d, "1 2")
			if step := lastStep(d, call("get")); step.Reason != route.ReasonScriptIgnored || !strings.Contains(step.Detail, "does not compile") {
				t.Errorf("%+v", step)
			}
		}
		w.put(shopScript, keep(1))
		awaitCandidates(t, d, "1")
		w.delete(shopScript)
		if dl == dialect.Standard {
			awaitCandidates(t, d, "1 2")
			continue
		}
		awaitCandidates(t, d, "no-provider")
		st := ruleStatus(d, "script")
		if !st.InForce || len(st.Remarks) != 1 || st.Remarks[0].Code != diag.ScriptDeleted {
			t.Errorf("after the deletion: %+v", st)
		}
		if _, err := d.Pick(call("get")); err == nil || !strings.Contains(err.Error(), "2 providers; script rule "+shopScript+` "deleted" left 0 (script-failed: script rule was deleted`) {
			t.Error(err)
		}
		w.put(shopScript, "enabled: false\n"+keep(1))
		awaitCandidates(t, d, "1 2")
	}
}

// TestScriptFollowsTheProviderApplication (spec §5.3): Dubbo keeps the old application's rule while the new one has none.
func TestScriptFollowsTheProviderApplication(t *testing.T) {
	for dl, want := range map[dialect.Dialect]string{dialect.Standard: "3 4", dialect.Dubbo33: "no-provider"} {
		if raceEnabled && dl == dialect.Dubbo33 {
			continue // no expressions there
		}
		w := newWorld(t, provider(1), provider(2))
		w.put(shopScript, keep(1))
		d := w.open(speaking(dl), withScripts)
		awaitCandidates(t, d, "1")
		w.providers(strings.ReplaceAll(provider(3), "=shop", "=store"), strings.ReplaceAll(provider(4), "=shop", "=store"))
		awaitCandidates(t, d, want)
		w.put("store.script-router", keep(4))
		awaitCandidates(t, d, "4")
	}
}

// TestScriptURLs: rule URLs of 2.x and Standard, in their place among conditions; 2.x takes the script's order and repetitions.
func TestScriptURLs(t *testing.T) {
	if raceEnabled {
		t.Skip(slowUnderRace)
	}
	for _, c := range []struct {
		name, want26, want27, standard string
		urls                           []string
	}{
		{"order", "3 1", "3 1", "1 3", []string{scriptURL("[invokers.get(2), invokers.get(0)]")}},
		{"twice", "2 2", "2 2", "2", []string{scriptURL("[invokers.get(1), invokers.get(1)]")}},
		{"route://", "1", "1", "1", []string{strings.Replace(scriptURL("invokers.subList(0, 1)", "router=script"), "script://", "route://", 1)}},
		{"priority", "3", "3", "3", []string{scriptURL("invokers.subList(0, 1)", "priority=5"), routeURL("=> host=10.0.0.3", "priority=4")}},
		{"priority the other way", "1", "1", "1", []string{scriptURL("invokers.subList(0, 1)", "priority=3"), routeURL("=> host=10.0.0.3", "priority=4")}},
		{"garbage", "1 2 3", "no-provider", "no-provider", []string{scriptURL("5")}},
		{"broken", "1 2 3", "1 2 3", "1 2 3", []string{scriptURL("function(")}},
		{"switched off", "1 2 3", "1 2 3", "1 2 3", []string{scriptURL("[]", "enabled=false")}},
		{"for each call", "3 1", "3 1", "1 3", []string{scriptURL("[invokers.get(2), invokers.get(0)]", "runtime=true")}},
		{"arguments", "no-provider", "no-provider", "no-provider", []string{scriptURL("invocation.getMethodName() == 'unnamed' ? [] : invokers", "runtime=true")}},
	} {
		for dl, want := range map[dialect.Dialect]string{dialect.Dubbo26: c.want26, dialect.Dubbo27: c.want27, dialect.Standard: c.standard, dialect.Dubbo31: "1 2 3", dialect.Dubbo33: "1 2 3"} {
			w := newWorld(t, provider(1), provider(2), provider(3))
			w.routes(c.urls...)
			d := w.open(speaking(dl), withScripts)
			inv := call("unnamed") // dubbo-2.6 routes lists of methods that only providers name at no notification (spec §7.1)
			inv.Direct = true
			if got := candidates(d, inv); got != want {
				t.Errorf("%s in %s: %s, want %s", c.name, dl, got, want)
			}
			x := d.Explain(inv)
			left := strings.ReplaceAll(strings.ReplaceAll(strings.Join(x.Trace.Left, " "), "10.0.0.", ""), ":20880", "")
			if left != want && x.Code != want {
				t.Errorf("%s in %s: explained %q %s, want %s", c.name, dl, left, x.Code, want)
			}
			d.Close()
		}
	}
}

// TestLastGoodScriptURL: in Standard a URL that does not compile leaves the one that it replaces in force.
func TestLastGoodScriptURL(t *testing.T) {
	w := newWorld(t, provider(1), provider(2))
	w.routes(keepURL(1, "name=a"))
	runner := script.NewRunner(script.Limits{Time: time.Minute})
	d := w.open(func(o *directory.Options) { o.Scripts = runner })
	awaitCandidates(t, d, "1")
	w.routes(scriptURL("(", "name=a"))
	await(t, d, "the refusal", func() bool { return len(d.State().Rejected) == 1 })
	if got := candidates(d, call("get")); got != "1" || runner.Programs() != 1 {
		t.Errorf("%s, %d programs", got, runner.Programs())
	}
	w.routes(keepURL(2, "name=a"), scriptURL("providers != nil && true", "name=b", "type=expr", "enabled=false"), keepURL(2, "name=c", "priority=1"))
	awaitCandidates(t, d, "2")
	await(t, d, "the old script is released", func() bool { return runner.Programs() == 1 })
	w.routes()
	awaitCandidates(t, d, "1 2")
	await(t, d, "all are released", func() bool { return runner.Programs() == 0 })
}

// TestScriptsAreReleased: many directories share one script, and none is held when all have closed.
func TestScriptsAreReleased(t *testing.T) {
	runner := script.NewRunner(script.Limits{Time: time.Minute})
	w := newWorld(t, provider(1), provider(2))
	w.put(shopScript, keep(1))
	w.routes(scriptURL("port == 20880", "name=a", "type=expr"))
	var open []*directory.Directory
	for range 5 {
		d := w.open(func(o *directory.Options) { o.Scripts = runner })
		awaitCandidates(t, d, "1")
		open = append(open, d)
	}
	if n := runner.Programs(); n != 2 {
		t.Errorf("%d programs for two scripts", n)
	}
	w.put(shopScript, keep(2))
	for _, d := range open {
		awaitCandidates(t, d, "2")
	}
	await(t, open[0], "the old script is released", func() bool { return runner.Programs() == 2 })
	kept := open[0].Snapshot()
	for _, d := range open {
		d.Close()
	}
	if n := runner.Programs(); n != 0 {
		t.Errorf("%d programs are held by closed directories", n)
	}
	if c := kept.Route(call("get")); c.Len() != 1 {
		t.Errorf("a snapshot that outlived its directory routes to %d", c.Len())
	}
}

// TestScriptsAreExplained: each outcome has its step, with the place in the document, and is counted.
func TestScriptsAreExplained(t *testing.T) {
	if raceEnabled {
		t.Skip(slowUnderRace)
	}
	w := newWorld(t, provider(1), provider(2), provider(3))
	var log lockedBuffer
	at := atomic.Int64{}
	d := w.open(func(o *directory.Options) {
		o.Scripts = script.NewRunner(script.Limits{Time: time.Second})
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Now = func() time.Time { return time.Unix(1_700_000_000+at.Load(), 0) }
	})
	for _, c := range []struct{ body, reason, detail, left, place string }{
		{"invokers.subList(0, 2)", "scripted", "", "1 2", "2:3"},
		{"var x = 1;\n  throw new Error('no ' + invocation.getMethodName());", "script-ignored", "script threw: Error: no get at line 2", "1 2 3", "3:3"},
		{"for (;;);", "script-ignored", "script took too long", "1 2 3", "2:3"},
		{"(function f() { return f() + 1 })()", "script-ignored", "script nested its calls too deep", "1 2 3", "2:3"},
		{"5", "script-failed", "script gave no list of providers: it gave number", "no-provider", "2:3"},
		{"[]", "scripted", "", "no-provider", "2:3"},
	} {
		w.put(shopScript, "script: |\n  "+c.body+"\n")
		await(t, d, "the rule is in force", func() bool {
			s := lastStep(d, call("get"))
			return strings.HasPrefix(s.Detail, c.detail) && string(s.Reason) == c.reason && s.Out == len(strings.Fields(strings.TrimPrefix(c.left, "no-provider")))
		})
		if got := candidates(d, call("get")); got != c.left {
			t.Errorf("%s: %s", c.body, got)
		}
		s := lastStep(d, call("get"))
		if place := fmt.Sprintf("%d:%d", s.Line, s.Col); s.Rule != shopScript || s.Source != "config-centre" || s.Rev == "" || s.Text != "javascript" || place != c.place || s.In != 3 {
			t.Errorf("%s: %+v", c.body, s)
		}
		if c.left == "no-provider" {
			_, err := d.Pick(call("get"))
			if err == nil || !strings.Contains(err.Error(), "script rule "+shopScript+":"+c.place) || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v", c.body, err)
			}
		}
	}
	a := d.ExplainNot("10.0.0.3:20880", call("get"))
	if a.Outcome != directory.TakenOut || a.Step.Router != route.RouterScript || !strings.Contains(a.Message, "the script's list does not have it") {
		t.Errorf("%+v", a)
	}
	st := d.State().Scripts
	if st == nil || st.Runs == 0 || st.Ignored == 0 || st.Failed == 0 || st.Spent <= 0 || st.Last == nil || st.Last.Rule != shopScript || st.Last.Method != "get" {
		t.Fatalf("%+v", st)
	}
	// The log was told of the first, and is silent for a while.
	if n := strings.Count(log.String(), "a script rule did not answer a call"); n != 1 {
		t.Errorf("%d lines: %s", n, log.String())
	}
	at.Store(60)
	w.put(shopScript, "script: |\n  5\n")
	await(t, d, "the log", func() bool {
		d.Explain(call("get"))
		return d.State().Scripts.Last.At.Unix() == 1_700_000_060
	})
	if n := strings.Count(log.String(), "a script rule did not answer a call"); n != 2 || strings.Contains(log.String(), "unlogged=0 unlogged=0") {
		t.Errorf("%d lines: %s", n, log.String())
	}
}

// TestCallsWhileScriptsChange: callers on a script whose documents and providers change; each call ends on a provider that some
// document of the time keeps.
func TestCallsWhileScriptsChange(t *testing.T) {
	w := newWorld(t, provider(1), provider(2), provider(3), provider(4))
	document := func(n int) string {
		return strings.Replace(keep(n%2+1), "script", fmt.Sprintf("priority: %d\nscript", n), 1)
	}
	w.put(shopScript, document(0))
	runner := script.NewRunner(script.Limits{Time: time.Minute})
	d := w.open(func(o *directory.Options) { o.Scripts = runner })
	awaitCandidates(t, d, "1")
	var wg sync.WaitGroup
	var stop atomic.Bool
	var calls atomic.Int64
	for range 8 {
		wg.Go(func() {
			for !stop.Load() {
				in, err := d.Pick(call("get"))
				if err != nil {
					t.Errorf("a call failed: %v", err)
					return
				}
				if a := in.Address(); a != "10.0.0.1:20880" && a != "10.0.0.2:20880" && a != "10.0.0.3:20880" {
					t.Errorf("a call goes to %s", a)
				}
				calls.Add(1)
			}
		})
	}
	for n := 1; n <= 30; n++ {
		w.put(shopScript, document(n))
		if n%3 == 0 {
			w.providers(provider(1, fmt.Sprintf("n=%d", n)), provider(2), provider(3), provider(4+n%5))
		}
		await(t, d, "the document", func() bool { return strings.HasSuffix(candidates(d, call("get")), fmt.Sprint(n%2+1)) })
	}
	before := calls.Load()
	await(t, d, "some more calls", func() bool { return calls.Load() > before+20 })
	stop.Store(true)
	wg.Wait()
	t.Logf("%d calls over %d generations", calls.Load(), d.State().Generation)
	d.Close()
	if n := runner.Programs(); n != 0 {
		t.Errorf("%d programs are held", n)
	}
}
