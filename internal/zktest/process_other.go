//go:build !linux

package zktest

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }
