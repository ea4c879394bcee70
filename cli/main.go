package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/app"
)

// streams are what a command reads and writes, and the flags that all commands share.
type streams struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string

	adminAddress, token, output string
	noColor                     bool
}

// Main runs the command line and returns the exit code of the process. SIGINT and SIGTERM end long-running commands in an orderly way; a
// second one ends the process at once.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return Run(ctx, args, in, out, errOut)
}

// Run is Main under a context of the caller's.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	s := &streams{in: in, out: out, err: errOut, getenv: os.Getenv}
	root := s.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if _, ok := errors.AsType[*exit](err); err != nil && !ok {
		err = usage("dubway help shows the commands; dubway COMMAND --help shows one with examples", "%w", err)
	}
	return finish(errOut, err)
}

func (s *streams) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dubway",
		Short: "Route Dubbo calls, and say why they go where they go",
		Long: `dubway reads the providers and the rules of a Dubbo fleet, decides where each call goes as Dubbo does, explains it, and makes the call.

Start with the demo, which needs nothing else, and ask it from another terminal:

  dubway demo
  dubway explain com.example.shop.OrderService --method getOrder --attach dubbo.tag=gray`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if s.output != "text" && s.output != "json" {
				return usage("use --output text or --output json", "there is no output format %q", s.output)
			}
			return nil
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	flags := root.PersistentFlags()
	flags.StringVar(&s.adminAddress, "admin", "", "admin address of the daemon (default $DUBWAY_ADMIN, else "+app.DefaultAdmin+")")
	flags.StringVar(&s.token, "token", "", "token of the daemon's admin API (default $DUBWAY_TOKEN)")
	flags.StringVarP(&s.output, "output", "o", "text", "output format: text or json")
	flags.BoolVar(&s.noColor, "no-color", false, "no colour (also $NO_COLOR)")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(s.demo(), s.serve(), s.explain(), s.call(), s.rule(), s.lint(), s.services(), s.traffic(), s.version(), exitCodes())
	return root
}

// client returns a client of the daemon that the flags or the environment name.
func (s *streams) client() (*admin.Client, error) {
	address := first(s.adminAddress, s.getenv("DUBWAY_ADMIN"), app.DefaultAdmin)
	c, err := admin.NewClient(address, first(s.token, s.getenv("DUBWAY_TOKEN")))
	if err != nil {
		return nil, usage("write for example --admin 127.0.0.1:20990", "%w", err)
	}
	return c, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes of all commands mean",
		Long: `Every command ends with one of these codes:

  0  the command did what it was asked
  1  it ran, and the answer is no: the call failed, no provider is left, a rule was refused or does not exist
  2  the command line, or a file that it names, is not right
  3  no daemon or registry answers

Answers go to standard output, messages for people to standard error. With --output json the answer is one JSON value.`,
	}
}
