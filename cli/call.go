package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

func (s *streams) call() *cobra.Command {
	var f requestFlags
	var args string
	var timeout time.Duration
	var verbose bool
	c := &cobra.Command{
		Use:   "call SERVICE METHOD [ARGUMENT…]",
		Short: "Make a routed call and print the result",
		Long: `Makes a call through the daemon: routed by the rules in force, retried as configured, sent over the Dubbo protocol.

Each ARGUMENT is JSON when it can be read as JSON, else it is text: 42 is a number, "42" (with its quotes) is text, [1,2] a list,
{"id":7} an object. Whole numbers are int, or long where they do not fit; --types long,String says otherwise, and so does
'{"@type":"java.lang.Long","value":42}'. The exit code is 1 when the call fails.`,
		Example: `  dubway call com.example.shop.OrderService getOrder 42
  dubway call com.example.shop.OrderService getOrder 42 --attach dubbo.tag=gray --verbose
  dubway call com.example.PriceService quote '{"@type":"java.math.BigDecimal","value":"1.50"}' EUR
  dubway call com.example.UserService find --types String,int Ada 10`,
		Args: cobra.MinimumNArgs(2),
	}
	f.add(c)
	c.Flags().StringVar(&args, "args", "", "all arguments as a JSON array, in place of ARGUMENT…")
	c.Flags().DurationVar(&timeout, "timeout", 0, "how long the call may take (default 10s)")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "say on standard error which provider answered, and how long it took")
	c.ValidArgsFunction = s.completeServices
	c.RunE = func(cmd *cobra.Command, words []string) error {
		raw := arguments(words[2:])
		if args != "" {
			if len(words) > 2 {
				return usage("give arguments one way or the other", "both --args and arguments were given")
			}
			if !json.Valid([]byte(args)) {
				return usage("write for example --args '[42, \"text\"]'", "--args is not JSON: %s", args)
			}
			raw = json.RawMessage(args)
		}
		q, err := f.request(words[0], words[1], raw)
		if err != nil {
			return err
		}
		q.TimeoutMillis = timeout.Milliseconds()
		r, err := ask(s, func(c *admin.Client) (*admin.CallResponse, error) { return c.Call(cmd.Context(), q) })
		if err != nil {
			return err
		}
		if s.wantsJSON() {
			if err := s.json(r); err != nil {
				return err
			}
		} else if r.OK {
			var b bytes.Buffer
			if json.Indent(&b, r.Value, "", "  ") != nil {
				b.Write(r.Value)
			}
			fmt.Fprintln(s.out, b.String())
		}
		if verbose {
			fmt.Fprintf(s.err, "answered by %s in %v\n", first(r.Provider, "nobody"), time.Duration(r.ElapsedMicros)*time.Microsecond)
		}
		if r.OK {
			return nil
		}
		e := &exit{code: ExitNegative, err: fmt.Errorf("the call failed: %s", clean(r.Error.Message)), hint: clean(r.Error.Hint), shown: s.wantsJSON()}
		if r.Error.Code == "registry" {
			e.code = ExitUnreachable
		}
		if e.hint == "" && !strings.Contains(r.Error.Message, "has no such interface") && (r.Error.Code == "no-provider" || r.Error.Code == "forbidden") {
			e.hint = fmt.Sprintf("dubway explain %s --method %s shows every step", words[0], words[1])
		}
		return e
	}
	return c
}
