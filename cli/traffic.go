package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

func (s *streams) traffic() *cobra.Command {
	var during time.Duration
	c := &cobra.Command{
		Use: "traffic", Short: "Where the daemon's calls go, measured over a moment",
		Example: "  dubway traffic\n  dubway traffic --during 5s --output json", Args: cobra.NoArgs,
	}
	c.Flags().DurationVar(&during, "during", time.Second, "how long to measure")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if during <= 0 || during > time.Hour {
			return usage("write for example --during 5s", "--during %v is not between 0 and 1h", during)
		}
		reading := func(c *admin.Client) (*admin.Traffic, error) { return c.Traffic(cmd.Context()) }
		before, err := ask(s, reading)
		if err != nil {
			return err
		}
		select {
		case <-time.After(during):
		case <-cmd.Context().Done():
		}
		after, err := ask(s, reading)
		if err != nil {
			return err
		}
		flows := difference(before, after)
		if s.wantsJSON() {
			return s.json(admin.Traffic{At: after.At, Flows: flows})
		}
		s.flows(flows, after.At.Sub(before.At))
		return nil
	}
	return c
}

// difference returns what was counted between two readings; flows without calls are left out.
func difference(before, after *admin.Traffic) []admin.Flow {
	type id struct{ service, consumer, provider string }
	old := make(map[id]admin.Flow)
	for _, f := range before.Flows {
		old[id{f.Service, f.Consumer, f.Provider}] = f
	}
	out := []admin.Flow{}
	for _, f := range after.Flows {
		o := old[id{f.Service, f.Consumer, f.Provider}]
		f.Calls, f.Failures = f.Calls-o.Calls, f.Failures-o.Failures
		if f.Calls > 0 {
			out = append(out, f)
		}
	}
	return out
}

func (s *streams) flows(flows []admin.Flow, during time.Duration) {
	type part struct{ service, consumer string }
	sums := make(map[part]uint64)
	for _, f := range flows {
		sums[part{f.Service, f.Consumer}] += f.Calls
	}
	rows := [][]string{{"SERVICE", "CONSUMER", "PROVIDER", "NAME", "CALLS/S", "SHARE", "FAILED"}}
	for _, f := range flows {
		rows = append(rows, []string{f.Service, f.Consumer, f.Provider, f.Name, fmt.Sprintf("%.1f", float64(f.Calls)/during.Seconds()),
			fmt.Sprintf("%.0f %%", 100*float64(f.Calls)/float64(sums[part{f.Service, f.Consumer}])), strconv.FormatUint(f.Failures, 10)})
	}
	s.table(rows)
}
