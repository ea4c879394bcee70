// Package dubbo speaks the Dubbo protocol over TCP: frames, a multiplexed client, a server.
//
// The client keeps one connection to each provider address, opened by the first call to it. Calls are written
// by one goroutine a connection that joins whatever is queued into one write, and answered from a
// table of pending calls. The server runs each request on a pool of goroutines and joins responses in
// the same way. Short messages whose values are scalars, the usual case, are decoded where they were read; others by
// the caller or the goroutine that serves them. Either side knows again what recurs on a connection: the front of the requests of a method, and their
// attachments. Values are Hessian 2 (serialization id 2); other serializations are refused with a clear error.
//
// What is supported, the limits and their defaults are in docs/protocol.md. The wire format is spec "components" §4.
package dubbo
