// Package gateway turns HTTP requests with JSON bodies into routed Dubbo calls: POST /{interface}/{method} with a JSON
// array of arguments, and the call's group, version, tag, attachments and parameter types as headers. docs/gateway.md
// has every header, the mapping of values both ways, and the status of every error code.
package gateway
