package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/gateway"
)

// requestFlags are the flags of commands that describe a call.
type requestFlags struct {
	group, version, dialect, application, host, types string
	attach, params                                    []string
}

func (f *requestFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.group, "group", "", "group of the service")
	fl.StringVar(&f.version, "version", "", "version of the service")
	fl.StringVar(&f.types, "types", "", "Java names of the parameter types, for overloaded methods: long,String")
	fl.StringArrayVarP(&f.attach, "attach", "a", nil, "attachment KEY=VALUE; dubbo.tag=gray is the tag (repeatable)")
	fl.StringVar(&f.dialect, "dialect", "", "Dubbo generation to answer as: standard, dubbo-2.6, dubbo-2.7, dubbo-3.1, dubbo-3.3")
	fl.StringVar(&f.application, "from", "", "application that calls, when it is not the daemon")
	fl.StringVar(&f.host, "from-host", "", "host that calls, when it is not the daemon's")
	fl.StringArrayVar(&f.params, "from-param", nil, "parameter KEY=VALUE of the consumer, such as region=hangzhou (repeatable)")
	_ = c.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(
		[]string{"standard", "dubbo-2.6", "dubbo-2.7", "dubbo-3.1", "dubbo-3.3"}, cobra.ShellCompDirectiveNoFileComp))
}

// request builds what is sent to the daemon.
func (f *requestFlags) request(service, method string, args json.RawMessage) (admin.CallRequest, error) {
	q := admin.CallRequest{Target: admin.Target{Service: service, Group: f.group, Version: f.version, Dialect: f.dialect,
		Application: f.application, Host: f.host}, Method: method, Args: args}
	var err error
	if q.Attachments, err = pairs("--attach", f.attach); err != nil {
		return q, err
	}
	if q.Parameters, err = pairs("--from-param", f.params); err != nil {
		return q, err
	}
	if f.types != "" {
		if q.Types, err = gateway.Types(f.types); err != nil {
			return q, usage("", "--types: %w", err)
		}
	}
	return q, nil
}

func pairs(flag string, list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(list))
	for _, text := range list {
		k, v, ok := strings.Cut(text, "=")
		if !ok || k == "" {
			return nil, usage("write for example "+flag+" dubbo.tag=gray", "%s %q is not KEY=VALUE", flag, text)
		}
		out[k] = v
	}
	return out, nil
}

// arguments turns the words of a command line into a JSON array: each is JSON, or else the text itself.
func arguments(words []string) json.RawMessage {
	list := make([]json.RawMessage, len(words))
	for i, w := range words {
		if json.Valid([]byte(w)) {
			list[i] = json.RawMessage(w)
			continue
		}
		list[i], _ = json.Marshal(w)
	}
	b, _ := json.Marshal(list)
	return b
}

// textOf reads a file, or standard input for "-".
func (s *streams) textOf(file string) (string, error) {
	b, err := s.read(file)
	if err != nil {
		return "", usage("give a file that can be read, or - for standard input", "%w", err)
	}
	return string(b), nil
}

func (s *streams) read(file string) ([]byte, error) {
	if file == "-" {
		return readAll(s.in)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// describeCall returns "getOrder(42) dubbo.tag=gray" for headings.
func describeCall(method string, args json.RawMessage, attachments map[string]string) string {
	var b strings.Builder
	if method == "" {
		b.WriteString("any method")
	} else {
		b.WriteString(method)
		if len(args) > 2 {
			fmt.Fprintf(&b, "(%s)", strings.TrimSuffix(strings.TrimPrefix(string(args), "["), "]"))
		}
	}
	for _, k := range sortedKeys(attachments) {
		fmt.Fprintf(&b, "  %s=%s", k, attachments[k])
	}
	return clean(b.String())
}
