package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/cli"
)

// leakChecked fails a run that leaves goroutines behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"dubway": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// until runs a command again and again until its output matches, at most 20 s: for what the system does by itself in a moment, however
// busy the machine is. "until PATTERN COMMAND ARGUMENTS"; stdout is that of the last run.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until pattern command [arguments]")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if ts.Exec(args[1], args[2:]...) == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("in 20 s no output of %v matched %s", args[1:], args[0])
}

// TestScripts runs every script of testdata/script against a demo of its own, on free ports. The environment names the places:
// DUBWAY_ADMIN, GATEWAY, and ORDER1, ORDER2, … for the providers. In the demo of scripts.txtar script rules are switched on.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"until": until},
		Setup: func(e *testscript.Env) error {
			d, err := app.StartDemo(context.Background(), app.DemoOptions{Admin: "127.0.0.1:0", Gateway: "127.0.0.1:0", Rate: 100, Seed: 1,
				Scripts: strings.HasSuffix(e.WorkDir, "script-scripts")})
			if err != nil {
				return err
			}
			e.Defer(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				_ = d.Shutdown(ctx)
			})
			e.Setenv("DUBWAY_ADMIN", d.App().AdminAddress())
			e.Setenv("GATEWAY", d.App().GatewayAddress())
			for _, n := range []string{"1", "2", "3", "4", "5"} {
				e.Setenv("ORDER"+n, d.ProviderAddress("order-"+n))
			}
			examples, err := filepath.Abs("../examples")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLES", examples)
			return nil
		},
	})
}
