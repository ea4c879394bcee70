package route

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// longText is the length from which on a text is known by its hash; a shorter one is known by its two words.
const longText = 17

// words holds all of a text below longText: together with its length no two texts have the same. Most methods, tags and attachments are that
// short, so telling them apart takes two comparisons and no call.
type words struct{ low, high uint64 }

// wordsOf returns the words of a text of fewer than longText bytes. The loads overlap where the text is not a whole word.
func wordsOf(s string) words {
	switch n := len(s); {
	case n >= 8:
		return words{word(s), word(s[n-8:])}
	case n >= 4:
		return words{uint64(half(s)) | uint64(half(s[n-4:]))<<32, 0}
	case n > 0:
		return words{uint64(s[0]) | uint64(s[n>>1])<<8 | uint64(s[n-1])<<16, 0}
	}
	return words{}
}

func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func half(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// textSeed makes the places of texts in a table hard to foresee, as callers choose the texts. The tables hold a bounded number of them in any case.
type textSeed struct {
	low, high uint64
	long      maphash.Seed
}

func newTextSeed() textSeed {
	return textSeed{rand.Uint64(), rand.Uint64(), maphash.MakeSeed()}
}

// place mixes words and length. Equal texts have equal places.
func (s *textSeed) place(w words, length int) uint64 {
	high, low := bits.Mul64(w.low^s.low, w.high^s.high^uint64(length))
	return high ^ low
}

// known returns what a text is known by, and where its place is.
func (s *textSeed) known(text string) (w words, place uint64) {
	if len(text) < longText {
		w = wordsOf(text)
	} else {
		w = words{low: maphash.String(s.long, text)}
	}
	return w, s.place(w, len(text))
}
