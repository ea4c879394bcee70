package main

import (
	"context"
	"fmt"
	"net"
	"os"

	_ "dubbo.apache.org/dubbo-go/v3/imports"

	"dubbo.apache.org/dubbo-go/v3/config"
	"dubbo.apache.org/dubbo-go/v3/remoting/getty"
)

// EchoProvider is dubbo-go's server side.
type EchoProvider struct{}

// MethodMapper gives the Java names.
func (*EchoProvider) MethodMapper() map[string]string { return map[string]string{"Echo": methodName} }

// Echo answers text.
func (*EchoProvider) Echo(_ context.Context, text string) (string, error) { return text, nil }

// echoConsumer is dubbo-go's client side: dubbo-go fills in the function.
type echoConsumer struct {
	Echo func(ctx context.Context, text string) (string, error) `dubbo:"echo"`
}

const serverConfiguration = `
dubbo:
  application:
    name: echo
  logger:
    level: error
  protocols:
    dubbo:
      name: dubbo
      ip: 127.0.0.1
      port: %d
  provider:
    services:
      EchoProvider:
        interface: com.example.Echo
        protocol-ids: dubbo
`

const clientConfiguration = `
dubbo:
  application:
    name: load
  logger:
    level: error
  consumer:
    request-timeout: 10s
    references:
      echoConsumer:
        interface: com.example.Echo
        protocol: dubbo
        url: dubbo://%s/com.example.Echo
        params:
          serialization: hessian2
`

func load(text string) error {
	file, err := os.CreateTemp("", "load-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return config.Load(config.WithPath(file.Name()))
}

func dubbogoServer() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil { // dubbo-go opens its own
		return err
	}
	config.SetProviderService(&EchoProvider{})
	if err := load(fmt.Sprintf(serverConfiguration, port)); err != nil {
		return err
	}
	fmt.Printf("READY 127.0.0.1:%d\n", port)
	answerUsed()
	return nil
}

func dubbogoClient(address string) (echo, func(), error) {
	one := getty.GetDefaultClientConfig()
	one.ConnectionNum = 1 // 16 by default
	getty.SetClientConf(*one)
	c := &echoConsumer{}
	config.SetConsumerService(c)
	if err := load(fmt.Sprintf(clientConfiguration, address)); err != nil {
		return nil, nil, err
	}
	return c.Echo, func() {}, nil
}
