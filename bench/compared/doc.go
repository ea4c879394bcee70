// Package compared holds no code: its tests show, on dubbo-go v3.3.1 itself, what docs/compared.md says about dubbo-go. When a test fails after an
// upgrade of that module, dubbo-go changed, and the page wants a word about it.
package compared
