package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/dialect"
)

func (s *streams) rule() *cobra.Command {
	c := &cobra.Command{
		Use:   "rule",
		Short: "Read, check and change rule documents",
		Long: `A rule document has a key, which says what kind it is and whom it concerns:

  order.tag-router                              tags of the provider application "order"
  com.example.OrderService::.condition-router   conditions of a service (interface:version:group, both colons always)
  shop-web.condition-router                     conditions of a consumer application`,
		Example: `  dubway rule list
  dubway rule check gray.yaml --key order.tag-router
  dubway rule put order.tag-router -f gray.yaml
  dubway rule get order.tag-router
  dubway rule delete order.tag-router`,
	}
	c.AddCommand(s.ruleList(), s.ruleGet(), s.rulePut(), s.ruleDelete(), s.ruleCheck())
	return c
}

func (s *streams) ruleList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the rule documents", Args: cobra.NoArgs, Example: "  dubway rule list\n  dubway rule list --output json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			question := func(c *admin.Client) ([]admin.Rule, error) { return c.Rules(cmd.Context()) }
			return show(s, question, func(rules []admin.Rule) {
				if len(rules) == 0 {
					fmt.Fprintln(s.err, "there are no rules: put one with `dubway rule put KEY -f FILE`")
					return
				}
				rows := [][]string{{"KEY", "KIND", "FOR"}}
				for _, r := range rules {
					rows = append(rows, []string{r.Key, r.Kind, r.Target})
				}
				s.table(rows)
			})
		},
	}
}

func (s *streams) ruleGet() *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print a rule document", Args: cobra.ExactArgs(1), Example: "  dubway rule get order.tag-router > gray.yaml",
		ValidArgsFunction: s.completeRules,
		RunE: func(cmd *cobra.Command, words []string) error {
			question := func(c *admin.Client) (*admin.Rule, error) { return c.Rule(cmd.Context(), words[0]) }
			return show(s, question, func(r *admin.Rule) {
				text := r.Text
				if terminal(s.out) {
					text = clean(text)
				}
				fmt.Fprint(s.out, text)
				if text != "" && text[len(text)-1] != '\n' {
					fmt.Fprintln(s.out)
				}
			})
		},
	}
}

func (s *streams) rulePut() *cobra.Command {
	var file string
	var force bool
	c := &cobra.Command{
		Use: "put KEY -f FILE", Short: "Check a rule document and store it",
		Long: `Checks the document and stores it; consumers follow within milliseconds. A document with errors is refused (exit code 1) unless --force is given:
a consumer that gets it keeps the rule that it has. "-f -" reads standard input.`,
		Example: `  dubway rule put order.tag-router -f gray.yaml
  sed s/gray/blue/ gray.yaml | dubway rule put order.tag-router -f -`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: s.completeRules,
	}
	c.Flags().StringVarP(&file, "file", "f", "", "file with the document; - is standard input")
	c.Flags().BoolVar(&force, "force", false, "store it although it has errors")
	_ = c.MarkFlagRequired("file")
	c.RunE = func(cmd *cobra.Command, words []string) error {
		text, err := s.textOf(file)
		if err != nil {
			return err
		}
		r, err := ask(s, func(c *admin.Client) (*admin.RuleResult, error) {
			return c.PutRule(cmd.Context(), words[0], admin.RuleWrite{Text: text, Force: force})
		})
		if err != nil {
			return err
		}
		if err := s.ruleResult(r); err != nil {
			return err
		}
		if r.Refused {
			return refused(s.wantsJSON(), "nothing was changed; correct the document, or store it as it is with --force")
		}
		if !s.wantsJSON() {
			what := "stored"
			switch {
			case r.Existed && r.Old == r.New:
				what = "stored again, unchanged,"
			case r.Existed:
				what = "replaced"
			}
			fmt.Fprintf(s.out, "%s %s\n", what, r.Key)
		}
		return nil
	}
	return c
}

// ruleResult prints the findings: on standard error as text, on standard output as JSON.
func (s *streams) ruleResult(r *admin.RuleResult) error {
	if s.wantsJSON() {
		return s.json(r)
	}
	fmt.Fprint(s.err, clean(r.Rendered))
	return nil
}

func refused(shown bool, hint string) error {
	return &exit{code: ExitNegative, err: fmt.Errorf("the rule was refused"), hint: hint, shown: shown}
}

func (s *streams) ruleDelete() *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Short: "Delete a rule document", Args: cobra.ExactArgs(1), Example: "  dubway rule delete order.tag-router",
		ValidArgsFunction: s.completeRules,
		RunE: func(cmd *cobra.Command, words []string) error {
			question := func(c *admin.Client) (*admin.RuleResult, error) { return c.DeleteRule(cmd.Context(), words[0]) }
			return show(s, question, func(r *admin.RuleResult) { fmt.Fprintf(s.out, "deleted %s\n", r.Key) })
		},
	}
}

func (s *streams) ruleCheck() *cobra.Command {
	var key, name string
	c := &cobra.Command{
		Use: "check FILE", Short: "Check a rule document without a daemon",
		Long: `Reads the document as the kind that its key says and prints everything there is to say about it, with lines and carets.
The exit code is 1 when it has errors. "-" reads standard input.`,
		Example: `  dubway rule check gray.yaml --key order.tag-router
  dubway rule check old.yaml --key com.example.OrderService::.condition-router --dialect dubbo-2.7`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVarP(&key, "key", "k", "", "the document's key")
	c.Flags().StringVar(&name, "dialect", "", "Dubbo generation to read it as (default standard)")
	_ = c.MarkFlagRequired("key")
	c.RunE = func(_ *cobra.Command, words []string) error {
		d, err := dialect.Parse(name)
		if err != nil {
			return usage("", "%w", err)
		}
		text, err := s.textOf(words[0])
		if err != nil {
			return err
		}
		r := &admin.RuleResult{Key: key, New: text}
		r.Diagnostics, r.Rendered = admin.Check(key, text, d)
		r.Refused = r.Diagnostics.HasErrors()
		if err := s.ruleResult(r); err != nil {
			return err
		}
		if r.Refused {
			return refused(s.wantsJSON(), "correct the lines above")
		}
		if !s.wantsJSON() {
			fmt.Fprintf(s.out, "%s is a valid %s document (%s)\n", words[0], key, plural(len(r.Diagnostics), "remark"))
		}
		return nil
	}
	return c
}
