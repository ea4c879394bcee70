// Package dubway calls and serves Dubbo services from Go, routed by the rules that a Dubbo fleet already has.
//
// A consumer dials once and asks for services; each service keeps a live directory of its providers, compiled
// together with the fleet's rules, and can say why a call goes where it goes:
//
//	client, err := dubway.Dial(ctx, dubway.Options{Application: "shop-web", Registry: registry, Rules: rules})
//	orders, err := client.Service("com.example.shop.OrderService")
//	order, err := orders.Call(dubway.WithTag(ctx, "gray"), "getOrder", int64(42))
//
// A provider registers Go methods under a service name:
//
//	server := dubway.NewServer(dubway.ServerOptions{Application: "order", Registrar: registry})
//	err := server.Handle("com.example.shop.OrderService", &OrderService{})
//	err = server.ListenAndServe(ctx, ":20880")
//
// The tag and the attachments of a call travel on its context; those of its answer are set with [SetResponseAttachment] and read from a [Record]. A call that is being served passes its tag on to the
// calls made with its context (see [Propagation]), so a gray request stays gray along its whole way.
//
// Registries and config centres are values that are passed in: packages source/zk, source/mem and source/file make them.
// Calls fail with an [*Error]; when nobody was left to call, its message says which rule took the last provider.
package dubway
