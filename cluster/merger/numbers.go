package merger

import (
	"fmt"
	"math/big"

	"github.com/dubway-go/dubway/hessian"
)

// sum adds numbers up; nulls count as nothing. Whole numbers wrap around where Java's do.
func sum[T int32 | int64 | float64](values []any) (any, error) {
	var out T
	for i, v := range values {
		if v == nil {
			continue
		}
		var n T
		if err := hessian.Assign(&n, v); err != nil {
			return nil, fmt.Errorf("result %d is no number of the kind: %w", i+1, err)
		}
		out += n
	}
	return out, nil
}

// bigNumbers does what a method of BigInteger or BigDecimal does.
func bigNumbers(method string, values []any, missing error) (any, error) {
	var out any
	for _, v := range values {
		if v == nil {
			continue
		}
		if out == nil {
			out = v
			continue
		}
		var err error
		switch a := out.(type) {
		case *big.Int:
			b, ok := v.(*big.Int)
			if !ok {
				return nil, fmt.Errorf("%T is no BigInteger", v)
			}
			out, err = bigInt(method, a, b, missing)
		case hessian.Decimal:
			b, ok := v.(hessian.Decimal)
			if !ok {
				return nil, fmt.Errorf("%T is no BigDecimal", v)
			}
			out, err = decimal(method, a, b, missing)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func bigInt(method string, a, b *big.Int, missing error) (any, error) {
	switch method {
	case "add":
		return new(big.Int).Add(a, b), nil
	case "subtract":
		return new(big.Int).Sub(a, b), nil
	case "multiply":
		return new(big.Int).Mul(a, b), nil
	case "and":
		return new(big.Int).And(a, b), nil
	case "or":
		return new(big.Int).Or(a, b), nil
	case "xor":
		return new(big.Int).Xor(a, b), nil
	case "gcd":
		return new(big.Int).GCD(nil, nil, new(big.Int).Abs(a), new(big.Int).Abs(b)), nil
	case "min", "max":
		if (a.Cmp(b) <= 0) == (method == "min") {
			return a, nil
		}
		return b, nil
	}
	return nil, missing
}

// maxScale bounds the digits behind the point of a sum or product.
const maxScale = 10_000

func decimal(method string, a, b hessian.Decimal, missing error) (any, error) {
	x, okX := a.Rat()
	y, okY := b.Rat()
	if !okX || !okY {
		return nil, fmt.Errorf("%q or %q is no number", a, b)
	}
	scaleA, scaleB := scale(string(a)), scale(string(b))
	var out *big.Rat
	digits := max(scaleA, scaleB)
	switch method {
	case "add":
		out = x.Add(x, y)
	case "subtract":
		out = x.Sub(x, y)
	case "multiply":
		out, digits = x.Mul(x, y), scaleA+scaleB
	case "min", "max":
		if (x.Cmp(y) <= 0) == (method == "min") {
			return a, nil
		}
		return b, nil
	default:
		return nil, missing
	}
	if digits > maxScale {
		return nil, fmt.Errorf("%d digits behind the point are too many to merge", digits)
	}
	return hessian.Decimal(out.FloatString(max(digits, 0))), nil
}

// scale returns the number of digits behind the point, as BigDecimal.scale does; negative for 1E+3.
func scale(text string) int {
	digits, exponent, point := 0, 0, false
	for i, r := range text {
		switch {
		case r == '.':
			point = true
		case r == 'e' || r == 'E':
			_, _ = fmt.Sscanf(text[i+1:], "%d", &exponent)
			return digits - exponent
		case point:
			digits++
		}
	}
	return digits
}
