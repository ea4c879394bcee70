package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

func (s *streams) services() *cobra.Command {
	var group, version string
	c := &cobra.Command{
		Use: "services [SERVICE]", Short: "List the services of the registry, or show one with its state",
		Example: "  dubway services\n  dubway services com.example.shop.OrderService\n  dubway services --output json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: s.completeServices,
	}
	c.Flags().StringVar(&group, "group", "", "group of the service")
	c.Flags().StringVar(&version, "version", "", "version of the service")
	c.RunE = func(cmd *cobra.Command, words []string) error {
		if len(words) == 1 {
			return show(s, func(c *admin.Client) (*admin.ServiceDetail, error) {
				return c.Service(cmd.Context(), admin.Target{Service: words[0], Group: group, Version: version})
			}, s.detail)
		}
		question := func(c *admin.Client) ([]admin.ServiceSummary, error) { return c.Services(cmd.Context()) }
		return show(s, question, s.summaries)
	}
	return c
}

// summaries prints the services as a table.
func (s *streams) summaries(list []admin.ServiceSummary) {
	rows := [][]string{{"SERVICE", "PROVIDERS", "APPLICATIONS", "OPEN"}}
	for _, v := range list {
		n, open := strconv.Itoa(v.Providers), ""
		if v.Providers < 0 {
			n = "?"
		}
		if v.Open {
			open = "yes"
		}
		rows = append(rows, []string{v.Service, n, strings.Join(v.Applications, ", "), open})
	}
	s.table(rows)
}

// detail prints the state of one service.
func (s *streams) detail(d *admin.ServiceDetail) {
	c := s.colours()
	fmt.Fprintf(s.out, "%s%s%s  %s, %s\n", c.bold, clean(d.Service), c.off, plural(d.Instances, "provider"), d.Dialect)
	fmt.Fprintf(s.out, "%ssnapshot %d, made %s ago in %v%s\n", c.dim, d.Generation, d.Age.Round(time.Millisecond), d.BuildTime.Round(time.Microsecond), c.off)
	if d.Forbidden {
		fmt.Fprintf(s.out, "%sthe registry says that there are no providers: calls are forbidden%s\n", c.red, c.off)
	}
	if !d.ProtectedSince.IsZero() {
		fmt.Fprintf(s.out, "%sthe registry's empty list is ignored since %s%s\n", c.yellow, d.ProtectedSince.Local().Format(time.TimeOnly), c.off)
	}
	for _, r := range d.Registries {
		state := plural(r.Instances, "provider")
		if !r.Ready {
			state = "has not told its providers yet"
		}
		fmt.Fprintf(s.out, "registry %s: %s\n", clean(r.Registry), state)
	}
	for _, l := range d.Lost {
		if l.Registry != "" {
			l.Source += " " + clean(l.Registry)
		}
		fmt.Fprintf(s.out, "%sno contact to the %s %s since %s: %s%s\n", c.yellow, l.Source, clean(l.Key), l.Since.Local().Format(time.TimeOnly), clean(l.Error), c.off)
	}
	rows := [][]string{{"\nRULE", "SCOPE", "STATE"}}
	for _, r := range d.Rules {
		state := "none"
		if r.InForce {
			state = "in force, revision " + r.Rev
			if !r.Enabled {
				state = "switched off, revision " + r.Rev
			}
		}
		if r.Rejected != nil {
			state += "; revision " + r.Rejected.Origin.Rev + " refused"
		}
		rows = append(rows, []string{r.Key, r.Scope, state})
	}
	s.table(rows)
	several := slices.ContainsFunc(d.Providers, func(p admin.Provider) bool { return p.Registry != "" || p.Group != "" })
	rows = [][]string{{"PROVIDER", "APPLICATION", "WEIGHT", "TAG", "LABELS"}}
	if several {
		rows[0] = slices.Insert(rows[0], 1, "WHERE")
	}
	for _, p := range d.Providers {
		var labels []string
		for _, k := range sortedKeys(p.Labels) {
			labels = append(labels, k+"="+p.Labels[k])
		}
		row := []string{p.Address, p.Application, strconv.Itoa(p.Weight), first(p.Tag, "-"), strings.Join(labels, " ")}
		if several {
			row = slices.Insert(row, 1, placeText(p.Registry, p.Group))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(s.out)
	s.table(rows)
}
