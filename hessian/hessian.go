// Package hessian is a Hessian 2 codec with hard limits, safe on hostile bytes.
package hessian
