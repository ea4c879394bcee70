package durl_test

import (
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// FuzzParse: no text panics; what was read is printed byte for byte; the canonical text is stable.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "dubbo://10.0.0.1:20880/a.B?application=shop&interface=a.B", "dubbo://u:p@[fd00::1]:20880/a?x", "a://b://c", "file:/a/b",
		"10.0.0.1:/x", "dubbo://h?=v&==1;;a=b=c&default.default.x=1&side=Consumer", " dubbo://h:1/a#f?x=1 ", "consumer://fe80::1%eth0:1/a?北=京", "://", ":/", "@:0/?",
		"dubbo://h:+1/a", "dubbo://h:-1/a", "dubbo://h:99999999999/", "dubbo://fd00:0:0:0:0:0:0:1:20880/a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range dialect.All() {
			u, err := durl.ParseAs(s, d)
			if err != nil {
				if err.Error() == "" || !u.IsZero() {
					t.Fatalf("%s %q: error %q with URL %v", d, s, err, u)
				}
				continue
			}
			if u.String() != s {
				t.Fatalf("%s: String() = %q, want %q", d, u, s)
			}
			if got := u.Address(); u.Port() == 0 && got != u.Host() {
				t.Fatalf("%s %q: address %q of host %q", d, s, got, u.Host())
			}
			last := ""
			for k, v := range u.All() {
				if k < last {
					t.Fatalf("%s %q: parameter %q after %q", d, s, k, last)
				}
				last = k
				if got, ok := u.Param(k); d != dialect.Dubbo26 && (!ok || got != v) {
					t.Fatalf("%s %q: Param(%q) = %q %v, want %q", d, s, k, got, ok, v)
				}
			}
			if v := u.With("\x00k", "v"); v.Without("\x00k").Full() != u.Without("\x00k").Full() {
				t.Fatalf("%s %q: With and Without do not cancel out", d, s)
			}
			if e, err := durl.ParseEncoded(durl.Encode(s), d); err == nil && d < dialect.Dubbo31 && valid(s) && !e.Equal(u) {
				t.Fatalf("%s %q: encoded form reads as %q", d, s, e.Full())
			}
		}
	})
}

// FuzzReader: what a Reader knows without parsing is what ParseAs reads, whatever it read before.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"dubbo://10.0.0.1:20880/a.B?application=shop&interface=a.B&pid=17", "dubbo://h:1/a.B?x=1&x=2&side=provider", "dubbo://h:1/a.B?default.x=1&b&c=", "dubbo://h?a=1;b=2",
		"dubbo://h:1?=x&c=4&&", "dubbo://h:1/a#b?c=1", " dubbo://h:1/a?c=1 ", "dubbo://u:p@h:1/a?c=1", "dubbo://h:1/a?a=1& a=2", "h:1/a?b=1",
	} {
		for _, t := range []string{"20881", "&pid=18", ";", " ", "=", "default.", "&a=1", "/", "@", "%", "#"} {
			f.Add(s, t, uint8(len(s)-1), uint8(0))
			f.Add(s, t, uint8(len(s)/2), uint8(1))
		}
	}
	f.Fuzz(func(t *testing.T, s, insert string, at, without uint8) {
		start := min(int(at), len(s))
		changed := s[:start] + insert + s[min(start+int(without), len(s)):]
		for _, d := range dialect.All() {
			r := durl.NewReader(new(durl.Sharer), d)
			for _, text := range []string{s, changed, s} {
				want, err := durl.ParseAs(text, d)
				got, ok := r.Known(text)
				if ok && err != nil {
					t.Fatalf("%s: %q is known, but %v", d, text, err)
				}
				if err != nil {
					continue
				}
				if !ok {
					got = r.Share(want)
				}
				if !got.Equal(want) || !want.Equal(got) || got.String() != text || !got.WrittenAs(text) || got.Hash() != want.Hash() || got.Full() != want.Full() ||
					got.Host() != want.Host() || got.Port() != want.Port() || got.Scheme() != want.Scheme() || got.User() != want.User() {
					t.Fatalf("%s: %q is read as %q, known %v", d, text, got.Full(), ok)
				}
			}
		}
	})
}

func valid(s string) bool {
	for _, r := range s {
		if r == '\uFFFD' {
			return false
		}
	}
	return true
}

// FuzzEncode: Decode undoes Encode, and no text makes Decode panic.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "a b", "%", "%zz", "a=b&c", "北京", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		decoded, err := durl.Decode(s)
		if durl.Decodes(s, decoded) != (err == nil) || durl.Decodes(s, decoded+"x") {
			t.Fatalf("Decodes(%q) does not agree with Decode: %q, %v", s, decoded, err)
		}
		got, err := durl.Decode(durl.Encode(s))
		if err != nil || valid(s) && got != s {
			t.Fatalf("Decode(Encode(%q)) = %q, %v", s, got, err)
		}
	})
}
