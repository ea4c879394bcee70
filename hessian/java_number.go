package hessian

import (
	"encoding/binary"
	"fmt"
	"math/big"
)

// Decimal is a java.math.BigDecimal as its decimal text ("-12.50", "1E+3"). The text is not checked when written: Java
// refuses what is no number. Scale and trailing zeros are kept. The zero value, "", is written as null.
type Decimal string

// Rat returns the exact value, false when the text is no number or its exponent is beyond ±10,000.
func (d Decimal) Rat() (*big.Rat, bool) {
	for i := 0; i < len(d); i++ {
		if d[i] != 'e' && d[i] != 'E' {
			continue
		}
		var exponent int
		if _, err := fmt.Sscanf(string(d[i+1:]), "%d", &exponent); err != nil || exponent > 10000 || exponent < -10000 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(d))
}

// MarshalText implements encoding.TextMarshaler.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d), nil }

func (e *Encoder) encodeDecimal(text string) {
	if text == "" {
		e.EncodeNull()
		return
	}
	e.EncodeObjectBegin(&classDecimal)
	e.EncodeString(text)
}

// encodeBigInteger writes a java.math.BigInteger field by field, as Java's own serializer does: the other way, one text
// field, is not read by hessian-lite before 4.0.
func (e *Encoder) encodeBigInteger(v *big.Int) error {
	if v == nil {
		e.EncodeNull()
		return nil
	}
	words := make([]int32, 0, (v.BitLen()+31)/32)
	b := v.Bytes()
	for len(b)%4 != 0 {
		b = append([]byte{0}, b...)
	}
	for i := 0; i < len(b); i += 4 {
		words = append(words, int32(binary.BigEndian.Uint32(b[i:])))
	}
	e.EncodeObjectBegin(&classBigInteger)
	e.EncodeInt(int32(v.Sign())) // Java's other fields are caches, which it computes anew when they are 0
	return encodeArray(e, "[int", words, AppendInt)
}

// bigInteger reads both forms of a java.math.BigInteger: with the magnitude as ints, and as text.
func bigInteger(o *Object) any {
	if v, ok := o.Get("value"); ok {
		s, _ := v.(string)
		if len(s) > maxDigits { // parsing takes quadratic time
			return o
		}
		if b, ok := new(big.Int).SetString(s, 10); ok {
			return b
		}
		return o
	}
	sign, _ := o.Get("signum")
	s, ok := sign.(int32)
	mag, _ := o.Get("mag")
	words, isInts := mag.([]int32)
	if !ok || !isInts {
		return o
	}
	if len(words) > maxWords {
		return o
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.BigEndian.AppendUint32(b, uint32(w))
	}
	n := new(big.Int).SetBytes(b)
	if s < 0 {
		n.Neg(n)
	}
	return n
}

// Numbers beyond these sizes stay an *Object: printing them would take a stranger's time, not ours.
const (
	maxWords  = 1024
	maxDigits = 32 * maxWords * 30103 / 100000
)
