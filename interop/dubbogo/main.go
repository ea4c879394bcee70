// Command dubbogo is a provider of EchoService built with dubbo-go v3.3.1, as a peer of the interop tests. It serves until its
// standard input ends. Environment: INTEROP_ZK (host:port), INTEROP_HOST, INTEROP_PORT, INTEROP_TAG, INTEROP_VERSION.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	_ "dubbo.apache.org/dubbo-go/v3/imports"

	"dubbo.apache.org/dubbo-go/v3/common/constant"
	"dubbo.apache.org/dubbo-go/v3/config"
)

// EchoProvider serves the part of EchoService that the tests ask a dubbo-go provider for.
type EchoProvider struct{ who string }

// MethodMapper gives the Java names.
func (p *EchoProvider) MethodMapper() map[string]string {
	return map[string]string{
		"EchoString": "echoString", "EchoInt": "echoInt", "EchoLong": "echoLong", "EchoDouble": "echoDouble", "EchoBool": "echoBool",
		"EchoBytes": "echoBytes", "EchoStrings": "echoStrings", "EchoMap": "echoMap", "EchoObject": "echoObject", "Whoami": "whoami",
		"FailRuntime": "failRuntime", "Attachments": "attachments",
	}
}

// EchoString answers v.
func (p *EchoProvider) EchoString(_ context.Context, v string) (string, error) { return v, nil }

// EchoInt answers v.
func (p *EchoProvider) EchoInt(_ context.Context, v int32) (int32, error) { return v, nil }

// EchoLong answers v.
func (p *EchoProvider) EchoLong(_ context.Context, v int64) (int64, error) { return v, nil }

// EchoDouble answers v.
func (p *EchoProvider) EchoDouble(_ context.Context, v float64) (float64, error) { return v, nil }

// EchoBool answers v.
func (p *EchoProvider) EchoBool(_ context.Context, v bool) (bool, error) { return v, nil }

// EchoBytes answers v.
func (p *EchoProvider) EchoBytes(_ context.Context, v []byte) ([]byte, error) { return v, nil }

// EchoStrings answers v.
func (p *EchoProvider) EchoStrings(_ context.Context, v []string) ([]string, error) { return v, nil }

// EchoMap answers v.
func (p *EchoProvider) EchoMap(_ context.Context, v map[interface{}]interface{}) (map[interface{}]interface{}, error) {
	return v, nil
}

// EchoObject answers v.
func (p *EchoProvider) EchoObject(_ context.Context, v interface{}) (interface{}, error) {
	return v, nil
}

// Whoami names the provider.
func (p *EchoProvider) Whoami(context.Context) (string, error) { return p.who, nil }

// FailRuntime fails with message.
func (p *EchoProvider) FailRuntime(_ context.Context, message string) (string, error) {
	return "", errors.New(message)
}

// Attachments answers what came with the call, as text.
func (p *EchoProvider) Attachments(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	if in, ok := ctx.Value(constant.AttachmentKey).(map[string]interface{}); ok {
		for k, v := range in {
			if list, ok := v.([]string); ok && len(list) == 1 {
				v = list[0]
			}
			out[k] = fmt.Sprint(v)
		}
	}
	return out, nil
}

const configuration = `
dubbo:
  application:
    name: echo-go
  logger:
    level: error
  registries:
    zk:
      protocol: zookeeper
      registry-type: all
      timeout: 10s
      address: %s
  protocols:
    dubbo:
      name: dubbo
      ip: %s
      port: %s
  provider:
    registry-ids: zk
    services:
      EchoProvider:
        interface: com.example.interop.EchoService
        protocol-ids: dubbo
        version: "%s"
        tag: "%s"
`

func run() error {
	host, port, tag := os.Getenv("INTEROP_HOST"), os.Getenv("INTEROP_PORT"), os.Getenv("INTEROP_TAG")
	file, err := os.CreateTemp("", "dubbogo-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := fmt.Fprintf(file, configuration, os.Getenv("INTEROP_ZK"), host, port, os.Getenv("INTEROP_VERSION"), tag); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	config.SetProviderService(&EchoProvider{who: host + ":" + port + "|" + tag + "|echo-go"})
	if err := config.Load(config.WithPath(file.Name())); err != nil {
		return err
	}
	fmt.Println("READY " + host + ":" + port)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dubbogo:", err)
		os.Exit(1)
	}
}
