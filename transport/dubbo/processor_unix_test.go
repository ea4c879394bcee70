//go:build unix

package dubbo_test

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns what the process has used so far, system calls included.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
