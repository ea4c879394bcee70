package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/app"
)

func (s *streams) demo() *cobra.Command {
	var o app.DemoOptions
	var during time.Duration
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "The whole product on this machine: registry, providers, consumers, gateway",
		Long: `Starts an embedded registry and config centre, three services with twelve providers that speak the Dubbo protocol on loopback, two consumers that
keep calling, the gateway and the admin API. Then it prints once a second where the calls go, so that a change of a rule is seen at once.
Nothing else is needed; nothing is left behind.

With --for it ends by itself, and with --json it prints one summary at the end.`,
		Example: `  dubway demo
  dubway demo --for 5s --json
  dubway demo --admin 127.0.0.1:0 --gateway 127.0.0.1:0 --base-port 0 --rate 1000`,
		Args: cobra.NoArgs,
	}
	fl := c.Flags()
	fl.DurationVar(&during, "for", 0, "end after this time (default: until interrupted)")
	fl.BoolVar(&asJSON, "json", false, "print one JSON summary at the end instead of lines (as --output json)")
	fl.IntVar(&o.Rate, "rate", 300, "requests a second of each consumer, from 1 to 50000")
	fl.Uint64Var(&o.Seed, "seed", 1, "seed of the consumers' choices")
	fl.StringVar(&o.Gateway, "gateway", app.DefaultGateway, "address of the gateway")
	fl.IntVar(&o.BasePort, "base-port", app.DefaultBasePort, "first port of the providers; 0 takes free ports")
	fl.BoolVar(&o.Scripts, "scripts", false, "run script rules (docs/scripts.md)")
	fl.BoolVarP(&verbose, "verbose", "v", false, "log what happens inside on standard error")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.Rate < 1 || o.Rate > 50_000:
			return usage("write for example --rate 300", "--rate %d is not between 1 and 50000", o.Rate)
		case during < 0:
			return usage("write for example --for 5s", "--for %v is negative", during)
		case o.BasePort < 0 || o.BasePort > 65_000:
			return usage("write for example --base-port 20881", "--base-port %d is not between 0 and 65000", o.BasePort)
		}
		o.Admin, o.Version = first(s.adminAddress, s.getenv("DUBWAY_ADMIN")), buildVersion()
		if verbose {
			o.Logger = slog.New(slog.NewTextHandler(s.err, nil))
		}
		return s.runDemo(cmd.Context(), o, during, asJSON || s.wantsJSON())
	}
	return c
}

func (s *streams) runDemo(ctx context.Context, o app.DemoOptions, during time.Duration, asJSON bool) error {
	began := time.Now()
	d, err := app.StartDemo(ctx, o)
	if err != nil {
		return &exit{code: ExitNegative, err: fmt.Errorf("the demo could not start: %w", err)}
	}
	run := ctx
	if during > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, during)
		defer cancel()
	}
	if asJSON {
		<-run.Done()
	} else {
		s.welcome(d, time.Since(began))
		d.NewBoard(s.out, s.colours() != paint{}).Run(run)
	}
	summary := d.Summary()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := d.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintln(s.err, "dubway: while stopping:", err)
	}
	if asJSON {
		if err := s.json(summary); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.out, "%d calls, %d failures, p50 %v, p99 %v\n", summary.Calls, summary.Failures,
			time.Duration(summary.Latency.P50)*time.Microsecond, time.Duration(summary.Latency.P99)*time.Microsecond)
	}
	if summary.Calls == 0 {
		return negative()
	}
	return nil
}

// welcome says where things are and what to try.
func (s *streams) welcome(d *app.Demo, took time.Duration) {
	c := s.colours()
	adminAddress, me := d.App().AdminAddress(), s.myself()
	flag := ""
	if adminAddress != app.DefaultAdmin {
		flag = " --admin " + adminAddress
	}
	fmt.Fprintf(s.out, `%sdubway demo%s is up after %v: an embedded registry and config centre, 3 services, 12 providers, 2 consumers
  admin    http://%s
  gateway  http://%s
  shop-web calls untagged from hangzhou; half of the requests of shop-app, from beijing, carry the tag gray

Try these in another terminal and watch the lines below:
  %s explain %s --method getOrder --attach dubbo.tag=gray%s
  %s rule put order.tag-router -f examples/gray.yaml%s
  curl -d '[42]' http://%s/%s/getOrder

`, c.bold, c.off, took.Round(time.Millisecond), adminAddress, d.App().GatewayAddress(),
		me, app.OrderService, flag, me, flag, d.App().GatewayAddress(), app.OrderService)
}

// myself is how the program was started, as far as it can be typed again.
func (s *streams) myself() string {
	path, err := os.Executable()
	if err == nil && strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ./cmd/dubway"
	}
	return "dubway"
}
