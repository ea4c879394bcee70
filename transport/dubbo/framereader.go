package dubbo

import (
	"errors"
	"fmt"
	"io"
)

const (
	readBuffer = 64 << 10
	// firstBig is how much a body that does not fit the read buffer gets at first; it doubles only as bytes
	// really come, so a header that announces 8 MiB costs nothing until they are sent.
	firstBig = 2 * readBuffer
)

// frameReader cuts a byte stream into frames. It is used by one goroutine.
type frameReader struct {
	r          io.Reader
	buf        []byte
	start, end int
	limit      int
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: r, buf: make([]byte, readBuffer), limit: limit}
}

// next returns the next frame. When owned is false, body is valid until the following call; when true it
// is the caller's. At the end of the stream between two frames err is io.EOF itself.
func (f *frameReader) next() (h Header, body []byte, owned bool, err error) {
	for f.end-f.start < HeaderLength {
		// A peer that does not speak the protocol is refused by its first bytes, not after it sent 16.
		if n := f.end - f.start; n > 0 && f.buf[f.start] != magicHigh || n > 1 && f.buf[f.start+1] != magicLow {
			_, err := ParseHeader(f.buf[f.start:f.end], f.limit)
			return Header{}, nil, false, err
		}
		if err := f.fill(HeaderLength); err != nil {
			if errors.Is(err, io.EOF) && f.end > f.start {
				_, err = ParseHeader(f.buf[f.start:f.end], f.limit)
			}
			return Header{}, nil, false, err
		}
	}
	if h, err = ParseHeader(f.buf[f.start:f.end], f.limit); err != nil {
		return Header{}, nil, false, err
	}
	f.start += HeaderLength
	if h.Body > len(f.buf) {
		body, err = f.big(h.Body)
		return h, body, true, err
	}
	for f.end-f.start < h.Body {
		if err := f.fill(h.Body); err != nil {
			return Header{}, nil, false, truncated(err, f.end-f.start, h.Body)
		}
	}
	body = f.buf[f.start : f.start+h.Body]
	f.start += h.Body
	return h, body, false, nil
}

// fill reads once, after making room so that want bytes fit behind start.
func (f *frameReader) fill(want int) error {
	if f.start == f.end {
		f.start, f.end = 0, 0
	} else if len(f.buf)-f.start < want {
		f.end = copy(f.buf, f.buf[f.start:f.end])
		f.start = 0
	}
	n, err := f.r.Read(f.buf[f.end:])
	f.end += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

func (f *frameReader) big(n int) ([]byte, error) {
	body := make([]byte, f.end-f.start, min(n, firstBig))
	copy(body, f.buf[f.start:f.end])
	f.start, f.end = 0, 0
	for len(body) < n {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(n, 2*cap(body)))
			copy(grown, body)
			body = grown
		}
		m, err := f.r.Read(body[len(body):cap(body)])
		body = body[:len(body)+m]
		if m == 0 {
			if err == nil {
				err = io.ErrNoProgress
			}
			return nil, truncated(err, len(body), n)
		}
	}
	return body, nil
}

func truncated(err error, have, want int) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: body has %d of %d bytes: %w", ErrFrame, have, want, io.ErrUnexpectedEOF)
	}
	return err
}
