package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

// buildVersion returns what the build knows about this binary.
func buildVersion() admin.Version {
	v := admin.Version{Version: "dev", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" && m != "(devel)" {
		v.Version = m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			v.Built = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				v.Commit += "+changes"
			}
		}
	}
	return v
}

func (s *streams) version() *cobra.Command {
	var daemon bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version of this program, or of the daemon", Args: cobra.NoArgs,
		Example: "  dubway version\n  dubway version --daemon",
	}
	c.Flags().BoolVar(&daemon, "daemon", false, "ask the daemon instead")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		v := buildVersion()
		if daemon {
			remote, err := ask(s, func(c *admin.Client) (*admin.Version, error) { return c.Version(cmd.Context()) })
			if err != nil {
				return err
			}
			v = *remote
		}
		if s.wantsJSON() {
			return s.json(v)
		}
		fmt.Fprintf(s.out, "dubway %s (%s", v.Version, v.Go)
		if v.Commit != "" {
			fmt.Fprintf(s.out, ", commit %s", v.Commit)
		}
		fmt.Fprintln(s.out, ")")
		if daemon {
			fmt.Fprintf(s.out, "registry %s, gateway %s, started %s\n", first(v.Registry, "none"), first(v.Gateway, "off"), v.Started.Local().Format("2006-01-02 15:04:05"))
		}
		return nil
	}
	return c
}
