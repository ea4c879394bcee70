package directory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/script"
)

// attackVariable tells the test below that it is the process of its own that it measures.
const attackVariable = "DUBWAY_SCRIPT_ATTACKS"

// The bounds for one attack. The time is generous, for machines that are busy; the log has what it was. The memory is that of one machine
// and what the process needs beside it.
const (
	attackPatience = 10 * time.Second
	attackMemory   = script.DefaultMemory + 32<<20
)

// TestScriptAttacks puts every script that package script is attacked with into the config centre of a directory, under the default limits. Each
// call goes on, in time, and the process does not grow beyond the limit. It runs in a process of its own, whose memory nothing else uses.
func TestScriptAttacks(t *testing.T) {
	if os.Getenv(attackVariable) != "" {
		attack(t)
		return
	}
	if raceEnabled {
		t.Skip(slowUnderRace)
	}
	if testing.Short() {
		t.Skip("about a hundred calls that run into a limit of 100 ms")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScriptAttacks$", "-test.v", "-test.timeout=280s")
	c.Env = append(os.Environ(), attackVariable+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "attacks:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func attack(t *testing.T) {
	b, err := os.ReadFile("../script/testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil || len(list) < 80 {
		t.Fatalf("%d attacks, %v", len(list), err)
	}
	providers := make([]string, 20)
	for i := range providers {
		providers[i] = provider(i+1, fmt.Sprintf("region=r%d", i%3))
	}
	w := newWorld(t, providers...)
	d := w.open(func(o *directory.Options) { o.Scripts = script.NewRunner(script.Limits{}) })
	quiet := runtime.NumGoroutine()
	var slowest, second time.Duration
	var most int
	var slowestText, mostText string
	over := 0
	for i, text := range list {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		priority := fmt.Sprintf("priority: %d\nscript: ", i) // one attack may be another's text
		rev := ruleStatus(d, "script").Rev
		w.put(shopScript, priority+string(quoted)+"\n")
		await(t, d, "the attack is in force", func() bool { return ruleStatus(d, "script").Rev != rev })
		for began := time.Now(); runtime.NumGoroutine() > quiet && time.Since(began) < attackPatience; {
			time.Sleep(time.Millisecond) // the attack before may still be at its last operation
		}
		before := d.State().Scripts
		debug.FreeOSMemory()
		base, resets := memory(t, "VmRSS"), os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
		began := time.Now()
		in, err := d.Pick(call("get"))
		took := time.Since(began)
		after := d.State().Scripts
		switch {
		case after.Failed > before.Failed: // it gave no list at last, which is no attack but an answer
			if err == nil || !strings.Contains(err.Error(), "script-failed") {
				t.Errorf("%s: %v", text, err)
			}
		case after.Ignored != before.Ignored+1:
			t.Errorf("%s: was not stopped: %+v", text, after)
		case err != nil || in == nil:
			t.Errorf("%s: the call did not go on: %v", text, err)
		}
		if took > attackPatience {
			t.Errorf("%s: took %v", text, took)
		}
		if took > script.DefaultTime+50*time.Millisecond {
			over++
		}
		if took > slowest {
			slowest, slowestText = took, text
		}
		if resets {
			if grown := memory(t, "VmHWM") - base; grown > most {
				most, mostText = grown, text
			}
		}
		if i%4 == 0 {
			began = time.Now()
			_, _ = d.Pick(call("get"))
			second = max(second, time.Since(began))
		}
	}
	full := fillMemory(t, w, list[8:22])
	w.put(shopScript, keep(1))
	await(t, d, "a good script", func() bool { return candidates(d, call("get")) == "1" })
	debug.FreeOSMemory()
	t.Logf("attacks: %d, each on a call of its own that went on; slowest %v (%s), %d of them beyond 150ms; slowest call right after one %v", len(list), slowest, slowestText, over, second)
	t.Logf("attacks: the process grew by at most %.1f MiB (%s), to %.1f MiB at the end; with time enough to reach the limit of memory by %.1f MiB", float64(most)/(1<<20), mostText,
		float64(memory(t, "VmRSS"))/(1<<20), float64(full)/(1<<20))
	if most > attackMemory {
		t.Errorf("%s: the process grew by %d bytes, want at most %d", mostText, most, attackMemory)
	}
	if most == 0 && runtime.GOOS == "linux" {
		t.Log("attacks: this system does not reset the mark of the most memory; memory was not measured")
	}
}

// fillMemory runs the attacks on memory without haste, so that it is the limit of memory that stops them, and returns by how much the process grew.
func fillMemory(t *testing.T, w *world, list []string) (most int) {
	d := w.open(func(o *directory.Options) {
		o.Scripts = script.NewRunner(script.Limits{Time: time.Minute, Parallel: 1})
	})
	defer d.Close()
	stopped := 0
	for i, text := range list {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		rev := ruleStatus(d, "script").Rev
		w.put(shopScript, fmt.Sprintf("priority: %d\nscript: %s\n", 1000+i, quoted))
		await(t, d, "the attack is in force", func() bool { return ruleStatus(d, "script").Rev != rev })
		debug.FreeOSMemory()
		base, resets := memory(t, "VmRSS"), os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
		if _, err := d.Pick(call("get")); err != nil {
			t.Errorf("%s: the call did not go on: %v", text, err)
		}
		if last := d.State().Scripts.Last; last != nil && strings.Contains(last.Detail, script.ErrMemory.Error()) {
			stopped++
		}
		if resets {
			grown := memory(t, "VmHWM") - base
			if most = max(most, grown); grown > attackMemory {
				t.Errorf("%s: the process grew by %d bytes, want at most %d", text, grown, attackMemory)
			}
		}
	}
	if stopped < len(list)/2 {
		t.Errorf("%d of %d attacks were stopped by the limit of memory", stopped, len(list))
	}
	return most
}

// memory returns a line of /proc/self/status in bytes; 0 where there is none.
func memory(t *testing.T, name string) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	return 0
}
