package dubbo

import (
	"errors"
	"fmt"
	"reflect"
)

const (
	// firstWithAttachments is protocol version 2.0.2, from which on consumers understand attachments of a response.
	firstWithAttachments = 2000200
	maxDescriptors       = 512
)

var errNotGeneric = errors.New("only generic=true is supported: the consumer asked for another form of generic call")

// decode reads the request in w.body.
func (w *serverWork) decode() (*ServerCall, error) {
	d := w.dec
	d.Reset(w.body)
	protocol, err := d.DecodeText()
	if err != nil {
		return nil, fmt.Errorf("protocol version: %w", err)
	}
	w.protocol = protocolNumber(protocol)
	if w.path, err = w.word("path"); err != nil {
		return nil, err
	}
	if w.version, err = w.word("service version"); err != nil {
		return nil, err
	}
	call := new(ServerCall)
	if call.Method, err = w.word("method"); err != nil {
		return nil, err
	}
	descriptor, err := d.DecodeText()
	if err != nil {
		return nil, fmt.Errorf("parameter descriptor: %w", err)
	}
	generic := string(descriptor) == genericDescriptor && (call.Method == genericMethod || call.Method == genericAsyncMethod)
	if generic {
		err = w.decodeGeneric(call)
	} else {
		err = w.decodeDirect(call, descriptor)
	}
	if err != nil {
		return nil, err
	}
	if call.Attachments, err = decodeAttachments(call.attachSpace[:0:len(call.attachSpace)], d, w.flat, w.body, &w.words); err != nil {
		return nil, fmt.Errorf("attachments: %w", err)
	}
	w.group, _ = call.Attachments.Get(keyGroup)
	w.iface, _ = call.Attachments.Get(keyInterface)
	if form, ok := call.Attachments.Get(keyGeneric); ok && generic && form != "true" && form != "raw.return" && form != "" {
		return nil, fmt.Errorf("%w (%.40q)", errNotGeneric, form)
	}
	return call, nil
}

func (w *serverWork) word(what string) (string, error) {
	b, err := w.dec.DecodeText()
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return w.words.text(b), nil
}

func (w *serverWork) decodeDirect(call *ServerCall, descriptor []byte) error {
	types, ok := w.descriptors[string(descriptor)]
	if !ok {
		var err error
		if types, err = parseDescriptor(string(descriptor)); err != nil {
			return err
		}
		w.descriptors = remember(w.descriptors, descriptor, types)
	}
	call.ParamTypes = types
	call.Args = call.argsSpace[:0:len(call.argsSpace)]
	for i := range types {
		v, err := w.dec.Decode()
		if err != nil {
			return fmt.Errorf("argument %d (%s): %w", i, types[i], noEOF(err))
		}
		call.Args = append(call.Args, v)
	}
	return nil
}

// decodeGeneric reads $invoke(method, types, arguments).
func (w *serverWork) decodeGeneric(call *ServerCall) error {
	var err error
	call.Generic = true
	if call.Method, err = w.word("method of a generic call"); err != nil {
		return err
	}
	if call.ParamTypes, err = w.typeList(); err != nil {
		return fmt.Errorf("parameter types of a generic call: %w", err)
	}
	if err = w.genericArguments(call); err != nil {
		return fmt.Errorf("arguments of a generic call: %w", noEOF(err))
	}
	if call.ParamTypes != nil && len(call.ParamTypes) != len(call.Args) {
		return fmt.Errorf("a generic call of %.100q has %d arguments for %d parameter types", call.Method, len(call.Args), len(call.ParamTypes))
	}
	return nil
}

// genericArguments reads the list of arguments. One of a few scalars, the usual case, is read into the call itself.
func (w *serverWork) genericArguments(call *ServerCall) error {
	if args, ok := w.flatArguments(call.argsSpace[:0:len(call.argsSpace)]); ok {
		call.Args = args
		return w.dec.Skip()
	}
	args, err := w.dec.Decode()
	if err != nil {
		return err
	}
	call.Args, err = asList(args)
	return err
}

// flatArguments reads a short Object[] of scalars at the decoder's place, which stays where it is. ok is false for
// anything else, wrong bytes included: the general way finds out what they are. Scalars need no references, so another decoder can read them.
func (w *serverWork) flatArguments(dst []any) (args []any, ok bool) {
	const shortList, objects = 0x70, "\x07[object" // a typed list of 0 to 7 elements, and the type
	in := w.body[w.dec.Offset():]
	if len(in) < 1+len(objects) || in[0] < shortList || in[0] > shortList+7 || string(in[1:1+len(objects)]) != objects {
		return nil, false
	}
	n, d := int(in[0]-shortList), w.flat
	if in = in[1+len(objects):]; n > cap(dst) {
		return nil, false
	}
	d.Reset(in)
	for range n {
		if at := d.Offset(); at >= len(in) || isContainer(in[at]) {
			return nil, false
		}
		v, err := d.Decode()
		if err != nil {
			return nil, false
		}
		dst = append(dst, v)
	}
	return dst, true
}

// typeList reads a list of type names. It is the first container of the body, so its bytes alone say what it holds, and
// a list that was seen before is recognised by them.
func (w *serverWork) typeList() ([]string, error) {
	start := w.dec.Offset()
	if err := w.dec.Skip(); err != nil {
		return nil, noEOF(err)
	}
	raw := w.body[start:w.dec.Offset()]
	if types, ok := w.typeLists[string(raw)]; ok {
		return types, nil
	}
	w.flat.Reset(raw)
	v, err := w.flat.Decode()
	if err != nil {
		return nil, noEOF(err)
	}
	types, err := asStrings(v)
	if err == nil {
		w.typeLists = remember(w.typeLists, raw, types)
	}
	return types, err
}

// remember keeps types under their wire form, as long as there is room, and returns the map.
func remember(seen map[string][]string, wire []byte, types []string) map[string][]string {
	if seen == nil {
		seen = make(map[string][]string)
	}
	if len(seen) < maxDescriptors && len(wire) < maxDescriptors {
		seen[string(wire)] = types
	}
	return seen
}

func asStrings(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []string:
		return v, nil
	case []any:
		out := make([]string, len(v))
		for i := range v {
			s, ok := v[i].(string)
			if !ok {
				return nil, fmt.Errorf("element %d is %T, want a string", i, v[i])
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, fmt.Errorf("want a list of strings, have %T", v)
}

func asList(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, fmt.Errorf("want a list, have %T", v)
	}
	out := make([]any, r.Len())
	for i := range out {
		out[i] = r.Index(i).Interface()
	}
	return out, nil
}

// protocolNumber reads "2.0.2" as 2000200 (two digits a part, as Dubbo compares versions); what cannot be read is 0. Versions
// 2.8.x are those of dubbox, which never sent attachments back, and count as 0 as well.
func protocolNumber(v []byte) int {
	if string(v) == protocolVersion {
		return firstWithAttachments
	}
	n, part, parts := 0, 0, 1
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9' && part < 100:
			part = part*10 + int(c-'0')
		case c == '.' && parts < 3:
			n, part = n*100+part, 0
			parts++
		default:
			return 0
		}
	}
	n = n*100 + part
	for ; parts < 3; parts++ {
		n *= 100
	}
	n *= 100
	if n >= 2080000 && n < 2090000 {
		return 0
	}
	return n
}
