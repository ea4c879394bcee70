package dubway_test

import (
	"os/exec"
	"strings"
	"testing"
)

// hotFunctions are the small functions on the path of every call, by directory. They must stay cheap enough to inline; what is too large for
// that is one call for each stage: (*Snapshot).Route, (*subject).classOf, (*memory).find, a balancer's Pick.
var hotFunctions = map[string][]string{
	"internal/bitset": {"Set.Add", "Set.Has", "Set.And", "Set.AndNot", "Set.Or", "Set.Count", "Set.AndCount", "Set.Any", "Set.Intersects", "Set.Copy", "Words"},
	"rpc":             {"Attachments.Get"},
	"service":         {"(*Set).At", "(*Set).Len", "(*Instance).Address", "(*Instance).HasMethodWeights", "(*Instance).Started", "(*Instance).Warmup", "(*Instance).Tag", "Growth.Settled"},
	"route": {"Candidates.Len", "Candidates.Index", "Candidates.At", "Candidates.Set", "Candidates.Decision", "Candidates.Why",
		"(*Decision).Slot", "(*Decision).Len", "(*Decision).Remembered", "(*Snapshot).Set", "draw"},
	"balance": {"newDraw", "seedOf", "(*draw).next", "(*draw).below", "(*aliasTable).pick", "viewsOf", "(*views).get", "weightScope",
		"(*loadView).load", "(*loadView).settledWeight", "(*load).recent", "activeScore", "product", "(*smooth).less", "(*ring).owning", "ringHash"},
}

func TestHotFunctionsInline(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages with -gcflags=-m")
	}
	args := []string{"build", "-gcflags=-m"}
	for dir := range hotFunctions {
		args = append(args, "./"+dir)
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The build's output names packages in lines of their own; file names in it are relative to wherever it was first made.
	inlined := map[string]bool{}
	dir := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if path, ok := strings.CutPrefix(line, "# github.com/dubway-go/dubway/"); ok {
			dir = path
		} else if _, name, ok := strings.Cut(line, ": can inline "); ok {
			inlined[dir+" "+name] = true
		}
	}
	for dir, names := range hotFunctions {
		for _, name := range names {
			if !inlined[dir+" "+name] {
				t.Errorf("%s: %s is no longer inlinable: go build -gcflags=-m=2 ./%s says why", dir, name, dir)
			}
		}
	}
}
