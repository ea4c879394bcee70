package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

func (s *streams) explain() *cobra.Command {
	var f requestFlags
	var method, args, not string
	var arg []string
	var all bool
	c := &cobra.Command{
		Use:   "explain SERVICE",
		Short: "Where a call would go, and which rule decided what",
		Long: `Runs a call through the same rules and the same snapshot as a real one, sends nothing, and shows every step: how many providers came in,
how many went out, which rule and line decided, and what each dropped provider lacked.

The exit code is 1 when no provider is left.`,
		Example: `  dubway explain com.example.shop.OrderService --method getOrder --attach dubbo.tag=gray
  dubway explain com.example.shop.OrderService --method getOrder --arg 42 --not 127.0.0.1:20881
  dubway explain com.example.shop.UserService --method getUser --from shop-app --from-param region=beijing
  dubway explain shop/com.example.OrderService:1.0 --dialect dubbo-2.7 --output json`,
		Args: cobra.ExactArgs(1),
	}
	f.add(c)
	fl := c.Flags()
	fl.StringVarP(&method, "method", "m", "", "method that is called")
	fl.StringArrayVar(&arg, "arg", nil, "one argument, as JSON or else as text (repeatable)")
	fl.StringVar(&args, "args", "", "all arguments as a JSON array")
	fl.StringVar(&not, "not", "", "why does the call not go to this provider (HOST:PORT)?")
	fl.BoolVar(&all, "all", false, "name every dropped provider, not only some of each kind")
	c.MarkFlagsMutuallyExclusive("arg", "args")
	c.ValidArgsFunction = s.completeServices
	c.RunE = func(cmd *cobra.Command, words []string) error {
		raw := json.RawMessage(nil)
		if len(arg) > 0 {
			raw = arguments(arg)
		}
		if args != "" {
			if !json.Valid([]byte(args)) {
				return usage("write for example --args '[42, \"text\"]'", "--args is not JSON: %s", args)
			}
			raw = json.RawMessage(args)
		}
		q, err := f.request(words[0], method, raw)
		if err != nil {
			return err
		}
		q.Not = not
		x, err := ask(s, func(c *admin.Client) (*admin.ExplainResponse, error) { return c.Explain(cmd.Context(), q) })
		if err != nil {
			return err
		}
		if s.wantsJSON() {
			err = s.json(x)
		} else {
			s.explanation(x, q, all)
		}
		if err == nil && len(x.Candidates) == 0 {
			err = negative()
		}
		return err
	}
	return c
}
