module github.com/dubway-go/dubway/interop

go 1.26.0

require (
	github.com/apache/dubbo-go-hessian2 v1.12.5
	github.com/dubway-go/dubway v0.0.0
)

require (
	github.com/dubbogo/gost v1.13.1 // indirect
	github.com/go-zookeeper/zk v1.0.4 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	go.uber.org/atomic v1.9.0 // indirect
)

replace github.com/dubway-go/dubway => ../
