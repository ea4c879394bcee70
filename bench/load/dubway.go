package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/transport/dubbo"
)

// server is the server of an engine. It answers each line of standard input with the processor time that it has used, until that ends.
func server(engine string, p plan) error {
	switch engine {
	case engineDubbogo:
		return dubbogoServer()
	case engineSocket:
		return socketServer(p)
	}
	return dubwayServer()
}

var echoTypes = []string{"java.lang.String"}

func dubwayServer() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := dubbo.NewServer(dubbo.ServerOptions{})
	s.Handle(service.Key{Interface: interfaceName}, dubbo.HandlerFunc(func(_ context.Context, call *dubbo.ServerCall) (rpc.Result, error) {
		return rpc.Result{Value: call.Args[0]}, nil
	}))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	fmt.Println("READY " + l.Addr().String())
	answerUsed()
	if err := s.Close(); err != nil {
		return err
	}
	if err := <-ended; !errors.Is(err, dubbo.ErrServerClosed) {
		return err
	}
	return nil
}

// dubwayClient takes the whole way of a call: route, pick, encode, send, decode.
func dubwayClient(address string, wire *wireBytes) (echo, func(), error) {
	key := service.Key{Interface: interfaceName}
	provider, err := durl.Parse("dubbo://" + address + "/" + interfaceName + "?interface=" + interfaceName + "&timeout=10000")
	if err != nil {
		return nil, nil, err
	}
	self, err := durl.Parse("consumer://127.0.0.1/" + interfaceName + "?application=load&interface=" + interfaceName)
	if err != nil {
		return nil, nil, err
	}
	d, err := directory.Static(key, self, []durl.URL{provider}, directory.Options{})
	if err != nil {
		return nil, nil, err
	}
	c := dubbo.NewClient(dubbo.ClientOptions{Application: "load", Dial: wire.dial})
	call := func(ctx context.Context, text string) (string, error) {
		inv := rpc.Invocation{Service: key, Method: methodName, ParamTypes: echoTypes, Args: []any{text}, Direct: true}
		to, err := d.Pick(&inv)
		if err != nil {
			return "", err
		}
		result, err := c.Invoke(ctx, to, &inv)
		if err != nil {
			return "", err
		}
		s, _ := result.Value.(string)
		return s, nil
	}
	return call, func() { _ = c.Close(); _ = d.Close() }, nil
}
