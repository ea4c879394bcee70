// Package hessian is a Hessian 2 codec with hard limits, safe on hostile bytes.
//
// An [Encoder] appends straight into a buffer of the caller; a [Decoder] reads a byte slice. Neither holds
// package state: Go structs are tied to Java classes by an immutable [*Types] that is passed in. Decoded values
// are plain Go values (docs/hessian.md has the table); a class that Types does not know becomes an [*Object].
//
// Reading never panics, never recurses deeper than [Limits.MaxDepth] and never allocates by what a length
// field says: memory grows with the bytes that are really there. The dialect is that of Dubbo's Java
// implementation ("hessian-lite"): string lengths count UTF-16 units, 0x5f is a double in thousandths.
package hessian
