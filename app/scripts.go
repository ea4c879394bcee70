package app

import (
	"time"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/script"
)

// ScriptsConfig says whether script rules run, and what one may use. Whoever may write rules runs code in the daemon while they do.
type ScriptsConfig struct {
	Enabled bool
	// Time is the longest that a call waits for a script, Memory the most memory of one virtual machine in bytes, Parallel how many calls may run one
	// script at the same time; 0 means as many as there are processors, at most 8.
	Time     time.Duration
	Memory   int
	Parallel int
}

// Bounds of ScriptsConfig.Memory and Parallel.
const (
	leastScriptMemory = 8 << 20
	mostScriptMemory  = 1 << 30
	mostParallel      = 64
)

// runner returns what runs scripts, nil when they are switched off.
func (c *ScriptsConfig) runner() route.Scripts {
	if !c.Enabled {
		return nil
	}
	return script.NewRunner(script.Limits{Time: c.Time, Memory: c.Memory, Parallel: c.Parallel})
}
