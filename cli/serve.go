package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/source/zk"
)

// serveFlags override the configuration file.
type serveFlags struct {
	config, rules, gateway, application, dialect, tokenFile, logFormat, logLevel string
	registry                                                                     []string
	scripts                                                                      bool
}

func (s *streams) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon on a registry: gateway, admin API, metrics",
		Long: `Runs the daemon on the providers and rules of a registry. Services open at their first use. It ends at SIGINT or SIGTERM: the listeners close first, running
calls finish, then the connections close. Flags win over the file of --config; docs/config.md has its schema.

Registries: zookeeper://host:2181[?backup=host:2181&group=dubbo], mem:// (empty, for tests). --rules file:///folder keeps rules in files.

With several --registry a call goes to one of them: a preferred one first, then one of the call's zone (attachment registry_zone), then by weight. A name and
these can stand with the address: hangzhou=zookeeper://host:2181?zone=hz&weight=200&preferred=true. One that is down keeps nobody waiting.`,
		Example: `  dubway serve --registry zookeeper://127.0.0.1:2181
  dubway serve --config dubway.yaml --log-format json
  dubway serve --registry zookeeper://127.0.0.1:2181 --rules file://./rules --gateway 127.0.0.1:8080
  dubway serve --registry 'hz=zookeeper://10.0.0.1:2181?zone=hz' --registry 'bj=zookeeper://10.1.0.1:2181?zone=bj'`,
		Args: cobra.NoArgs,
	}
	fl := c.Flags()
	fl.StringVarP(&f.config, "config", "c", "", "configuration file")
	fl.StringArrayVar(&f.registry, "registry", nil, "[NAME=]address of the registry: zookeeper://127.0.0.1:2181 (repeatable)")
	fl.StringVar(&f.rules, "rules", "", "address of the config centre, when it is not the registry: file:///folder")
	fl.StringVar(&f.gateway, "gateway", "", "address of the gateway (default "+app.DefaultGateway+"), off switches it off")
	fl.StringVar(&f.application, "application", "", "the daemon's name as a consumer (default dubway)")
	fl.StringVar(&f.dialect, "dialect", "", "Dubbo generation to agree with (default standard)")
	fl.StringVar(&f.tokenFile, "token-file", "", "file with the token of the admin API; needed to listen beyond loopback")
	fl.BoolVar(&f.scripts, "scripts", false, "run script rules: whoever may write rules then runs code in the daemon (docs/scripts.md)")
	fl.StringVar(&f.logFormat, "log-format", "", "text or json (default text)")
	fl.StringVar(&f.logLevel, "log-level", "", "debug, info, warn or error (default info)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		config, err := s.configuration(&f)
		if err != nil {
			return err
		}
		log := app.NewLogger(s.err, config.Log)
		a, err := app.Start(cmd.Context(), app.Options{Config: config, Version: buildVersion(), Logger: log})
		if err != nil {
			return startFailure(err)
		}
		fmt.Fprintf(s.out, "admin    http://%s\n", a.AdminAddress())
		if a.GatewayAddress() != "" {
			fmt.Fprintf(s.out, "gateway  http://%s\n", a.GatewayAddress())
		}
		<-cmd.Context().Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), config.ShutdownTimeout)
		defer cancel()
		if err := a.Shutdown(stop); err != nil {
			return &exit{code: ExitNegative, err: fmt.Errorf("while stopping: %w", err)}
		}
		return nil
	}
	return c
}

func startFailure(err error) error {
	e := &exit{code: ExitUsage, err: fmt.Errorf("the daemon could not start: %w", err)}
	if errors.Is(err, zk.ErrUnreachable) {
		e.code, e.hint = ExitUnreachable, "is the registry up, and is the address right?"
	}
	return e
}

// configuration reads the file and lays the flags over it.
func (s *streams) configuration(f *serveFlags) (app.Config, error) {
	c := app.DefaultConfig()
	if f.config != "" {
		b, err := os.ReadFile(f.config)
		if err != nil {
			return c, usage("docs/config.md has a complete file", "%w", err)
		}
		parsed, findings := app.ParseConfig(f.config, string(b))
		if findings.HasErrors() {
			_ = findings.Render(s.err, string(b))
			return c, usage("docs/config.md has every key", "the configuration has %s", plural(len(findings), "problem"))
		}
		c = parsed
	}
	set := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	if err := setRegistries(&c, f.registry); err != nil {
		return c, err
	}
	set(&c.Rules, f.rules)
	set(&c.Gateway.Listen, f.gateway)
	set(&c.Application, f.application)
	set(&c.Admin.Listen, first(s.adminAddress, s.getenv("DUBWAY_ADMIN")))
	set(&c.Admin.Token, first(s.token, s.getenv("DUBWAY_TOKEN")))
	set(&c.Admin.TokenFile, f.tokenFile)
	set(&c.Log.Format, f.logFormat)
	set(&c.Log.Level, f.logLevel)
	c.Scripts.Enabled = c.Scripts.Enabled || f.scripts
	if c.Gateway.Listen == "off" {
		c.Gateway.Listen = ""
	}
	if f.dialect != "" {
		d, err := dialect.Parse(f.dialect)
		if err != nil {
			return c, usage("", "%w", err)
		}
		c.Dialect = d
	}
	direct := false
	for i := range c.Services {
		direct = direct || len(c.Services[i].Direct) > 0
	}
	if c.Registry == "" && len(c.Registries) == 0 && !direct {
		return c, usage("give --registry zookeeper://127.0.0.1:2181, or try `dubway demo`", "there is no registry")
	}
	return c, nil
}

// setRegistries puts the registries of the command line in place of those of the file.
func setRegistries(c *app.Config, list []string) error {
	if len(list) == 0 {
		return nil
	}
	c.Registry, c.Registries = "", nil
	for _, text := range list {
		one, err := app.ParseRegistry(text)
		if err != nil {
			return usage("write for example --registry 'hangzhou=zookeeper://10.0.0.1:2181?zone=hz&weight=200'", "--registry: %w", err)
		}
		c.Registries = append(c.Registries, one)
	}
	if len(list) == 1 && c.Registries[0].Name == "" {
		c.Registry, c.Registries = c.Registries[0].Address, nil
	}
	return nil
}
