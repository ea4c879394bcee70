//go:build !unix

package dubbo_test

import (
	"testing"
	"time"
)

// processorTime is not known here: benchmarks report 0.
func processorTime(testing.TB) time.Duration { return 0 }
