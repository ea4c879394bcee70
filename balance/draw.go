package balance

import "math/bits"

// draw is a small deterministic generator (splitmix64) that a call's seed starts. Equal seeds give equal
// draws, so a choice reproduces in tests and in explain. The zero value is usable.
type draw struct{ state uint64 }

// newDraw starts a generator from a call's seed. The salt keeps a balancer's draws independent of those
// that routing made from the same seed.
func newDraw(seed uint64) draw { return draw{seed ^ 0xb5ad4eceda1ce2a9} }

// next returns 64 random bits.
func (r *draw) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in [0, n); n must be positive. The bias is below n / 2^64.
func (r *draw) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}
