package dubbo

import "github.com/dubway-go/dubway/hessian"

// coders are what one message is written and read with. flat reads scalars alone and knows no types.
type coders struct {
	enc       *hessian.Encoder
	dec, flat *hessian.Decoder
}

func newCoders(types *hessian.Types, limits hessian.Limits) coders {
	return coders{
		enc:  hessian.NewEncoder(hessian.EncoderOptions{Types: types, Limits: limits}),
		dec:  hessian.NewDecoder(hessian.DecoderOptions{Types: types, Limits: limits}),
		flat: hessian.NewDecoder(hessian.DecoderOptions{Limits: limits}),
	}
}
