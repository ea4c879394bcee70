package durl

import "math/bits"

// Hash returns a hash that is equal for equal URLs, in every process of this version. URLs that share what they have in common are hashed by what
// differs: the rest was hashed when it was first seen.
func (u URL) Hash() uint64 {
	if u.p == nil {
		return 0
	}
	p := u.p
	if !p.shared {
		h := p.hashParts() + hashText(addressSeed, p.address)
		for i := range p.params {
			h += hashParam(&p.params[i])
		}
		return scatter(h)
	}
	h := p.hash + hashText(addressSeed, p.address)
	for _, q := range p.cursor().rest {
		if i, ok := p.find(q.Key); ok {
			h += hashParam(&q) - hashParam(&p.params[i])
		}
	}
	return scatter(h)
}

// hashForm works out what Hash needs of a shared form.
func (f *form) hashForm() {
	f.hash = f.hashParts()
	for i := range f.params {
		f.hash += hashParam(&f.params[i])
	}
}

func (f *form) hashParts() uint64 {
	h := hashText(1, f.scheme)
	h = hashText(h, f.user)
	h = hashText(h, f.password)
	return hashText(h, f.path)
}

// addressSeed is where the hash of an address starts, so that it is not that of another part.
const addressSeed = 2

// hashParam is what a parameter adds to the hash of its URL. It is scattered, since these are summed up.
func hashParam(q *Param) uint64 { return scatter(hashText(hashText(3, q.Key), q.Value)) }

// hashText continues a hash with a text, eight bytes at a step.
func hashText(h uint64, s string) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h = (h ^ uint64(len(s))) * prime
	for len(s) >= 8 {
		h = bits.RotateLeft64(h^word(s), 29) * prime
		s = s[8:]
	}
	var rest uint64
	for i := range len(s) {
		rest = rest<<8 | uint64(s[i])
	}
	return bits.RotateLeft64(h^rest, 29) * prime
}

// scatter lets every bit of h count in all bits of the result.
func scatter(h uint64) uint64 {
	h = (h ^ h>>32) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>29) * 0x94D049BB133111EB
	return h ^ h>>32
}

// word returns the first eight bytes of s, which has them.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
