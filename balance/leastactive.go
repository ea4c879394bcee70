package balance

// LeastActive chooses the provider with the fewest calls under way from this process, per method; ties are
// broken by weight (spec §11.2). It needs Begin and End around each call.
//
// The Dubbo dialects compare all candidates; standard compares two drawn by weight when there are more than 16.
type LeastActive struct{ scored }

// NewLeastActive returns the balancer "leastactive".
func NewLeastActive(o Options) *LeastActive {
	return &LeastActive{scored{base: newBase(o), score: activeScore}}
}

// Name returns "leastactive".
func (*LeastActive) Name() string { return NameLeastActive }

func activeScore(l *load, _ int64) int64 { return l.active.Load() }
