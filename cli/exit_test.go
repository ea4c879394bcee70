package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/cli"
)

// TestExitCodes pins the codes that docs/cli.md promises to scripts.
func TestExitCodes(t *testing.T) {
	d, err := app.StartDemo(t.Context(), app.DemoOptions{Admin: "127.0.0.1:0", Gateway: "127.0.0.1:0", Rate: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = d.Shutdown(ctx)
	}()
	here, nowhere := "--admin="+d.App().AdminAddress(), "--admin=127.0.0.1:1"
	tests := []struct {
		args []string
		code int
	}{
		{[]string{"version"}, cli.ExitOK},
		{[]string{"help", "exit-codes"}, cli.ExitOK},
		{[]string{here, "explain", app.OrderService, "-m", "getOrder"}, cli.ExitOK},
		{[]string{here, "explain", app.StockService}, cli.ExitNegative},
		{[]string{here, "explain", "no.Such"}, cli.ExitNegative},
		{[]string{here, "call", app.OrderService, "getOrder", "1"}, cli.ExitOK},
		{[]string{here, "call", app.OrderService, "getOrder"}, cli.ExitNegative},
		{[]string{here, "rule", "get", "none.tag-router"}, cli.ExitNegative},
		{[]string{here, "rule", "get", ".."}, cli.ExitUsage},
		{[]string{here, "rule", "put", "x.tag-router"}, cli.ExitUsage},
		{[]string{here, "explain", "a b"}, cli.ExitUsage},
		{[]string{here, "explain", app.OrderService, "--dialect", "dubbo-9"}, cli.ExitUsage},
		{[]string{"nonsense"}, cli.ExitUsage},
		{[]string{"explain", "--nonsense"}, cli.ExitUsage},
		{[]string{"explain"}, cli.ExitUsage},
		{[]string{"services", "-o", "yaml"}, cli.ExitUsage},
		{[]string{nowhere, "services"}, cli.ExitUnreachable},
		{[]string{nowhere, "call", "a.B", "c"}, cli.ExitUnreachable},
		{[]string{nowhere, "rule", "list"}, cli.ExitUnreachable},
	}
	for _, tt := range tests {
		var out, errOut bytes.Buffer
		if got := cli.Run(t.Context(), tt.args, strings.NewReader(""), &out, &errOut); got != tt.code {
			t.Errorf("dubway %s: exit code %d, want %d\n%s%s", strings.Join(tt.args, " "), got, tt.code, &out, &errOut)
		}
	}
}

// TestEveryCommandHasExamples: help without an example sends people to the source.
func TestEveryCommandHasExamples(t *testing.T) {
	for _, command := range [][]string{{"demo"}, {"serve"}, {"explain"}, {"call"}, {"rule"}, {"rule", "list"}, {"rule", "get"}, {"rule", "put"},
		{"rule", "delete"}, {"rule", "check"}, {"services"}, {"traffic"}, {"version"}} {
		var out, errOut bytes.Buffer
		code := cli.Run(t.Context(), append(command, "--help"), strings.NewReader(""), &out, &errOut)
		if code != cli.ExitOK || !strings.Contains(out.String(), "Examples:") || !strings.Contains(out.String(), "dubway "+command[0]) {
			t.Errorf("dubway %s --help: %d\n%s", strings.Join(command, " "), code, &out)
		}
	}
}
