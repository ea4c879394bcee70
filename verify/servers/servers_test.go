package servers_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/verify/servers"
)

func TestReportNamesWhatIsMissing(t *testing.T) {
	none := func(string) bool { return false }
	all := func(string) bool { return true }
	first := func(s servers.Suite) bool { return s.Name == servers.Suites()[0].Name }
	line := servers.Report(none, first)
	for _, want := range []string{"zookeeper (missing java,", "interop", "mvn", "make test"} {
		if !strings.Contains(line, want) {
			t.Errorf("report %q does not contain %q", line, want)
		}
	}
	if line := servers.Report(all, func(servers.Suite) bool { return true }); line != "" {
		t.Errorf("nothing is missing, yet the report says %q", line)
	}
	if line := servers.Report(all, first); !strings.Contains(line, "interop") || strings.Contains(line, "zookeeper") {
		t.Errorf("report %q should name interop only", line)
	}
}

// TestZZReport writes the report where a person sees it. `go test ./...` swallows what a passing
// package prints, so the line goes to the go command's own output. The package's name sorts last,
// and the test waits until the go command has no other test running, so that the line ends the run.
func TestZZReport(t *testing.T) {
	if os.Getenv("DUBWAY_REQUIRE_SERVERS") == "1" {
		t.Skip("DUBWAY_REQUIRE_SERVERS=1: a suite that cannot run fails by itself")
	}
	line := servers.Report(servers.Found, func(s servers.Suite) bool { return s.Name == "zookeeper" })
	if line == "" {
		return
	}
	t.Log(line)
	waitForOtherTests(4 * time.Minute)
	out, err := outputOf(os.Getppid())
	if err != nil {
		t.Logf("the line above could not be shown outside -v: %v", err)
		return
	}
	defer out.Close()
	fmt.Fprintln(out, line)
}

// waitForOtherTests returns when the go command runs nothing else (tests, compilers), or after limit.
func waitForOtherTests(limit time.Duration) {
	self, parent := strconv.Itoa(os.Getpid()), os.Getppid()
	idle := 0
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		children, err := childrenOf(parent)
		if err != nil {
			return
		}
		others := slices.DeleteFunc(children, func(pid string) bool {
			_, err := os.Readlink("/proc/" + pid + "/exe")
			return err != nil || pid == self // ended, or this one
		})
		if idle++; len(others) > 0 {
			idle = 0
		}
		if idle == 10 { // half a second: time to print what ended last
			return
		}
	}
}

func childrenOf(pid int) ([]string, error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if err != nil {
			continue // the thread ended meanwhile
		}
		out = append(out, strings.Fields(string(text))...)
	}
	return out, nil
}
