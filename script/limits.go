package script

import (
	"runtime"
	"time"
)

// Limits bound what one script may use. A zero field stands for its default.
type Limits struct {
	// Memory is the most memory of one virtual machine, in bytes: 64 MiB by default, at least 8 MiB. A router has up to Parallel machines.
	Memory int
	// Time is the longest that Run takes, 90 ms by default, which with the stopping stays within 100 ms on an idle machine: waiting for a turn and a machine, and the script. A script that takes longer is stopped and
	// the call goes on without it.
	Time time.Duration
	// Parallel is how many calls may run the script at the same time: by default as many as there are processors, at most 8. Others
	// wait for their turn, up to Time.
	Parallel int
}

// The defaults of Limits.
const (
	DefaultMemory = 64 << 20
	DefaultTime   = 90 * time.Millisecond

	minMemory   = 8 << 20
	maxParallel = 8
)

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	l.Memory = max(l.Memory, minMemory)
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Parallel <= 0 {
		l.Parallel = min(runtime.GOMAXPROCS(0), maxParallel)
	}
	return l
}
