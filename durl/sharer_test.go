package durl_test

import (
	"fmt"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

func TestSharerChangesNothing(t *testing.T) {
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		var s durl.Sharer
		for range 2 {
			for _, text := range []string{
				"dubbo://10.0.0.1:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.2:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.2/a.B?x=1&b=2&x=3",
				" dubbo://10.0.0.3:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.4:020880/a.B?x=1", "dubbo://[fd00::1]:20880/a.B?x=1",
				"dubbo://h:1@h:1/a.B?x=1", "dubbo://h:2@h:1/a.B?x=1", "dubbo://u:p@h:1/a.B?x=h:1", "h:1", "dubbo:///a.B?x=1", "//h:1/a",
				"dubbo://10.0.0.1:20880/10.0.0.1:20880?x=10.0.0.1:20880", "dubbo://10.0.0.2:20880/10.0.0.1:20880?x=10.0.0.1:20880",
			} {
				u, err := durl.ParseAs(text, d)
				if err != nil {
					continue
				}
				got := s.Share(u)
				if got.String() != u.String() || !got.Equal(u) || !u.Equal(got) || got.Full() != u.Full() || got.Hash() != u.Hash() ||
					got.User() != u.User() || got.Path() != u.Path() || got.Host() != u.Host() || got.Port() != u.Port() || got.Dialect() != u.Dialect() {
					t.Errorf("%v %q: shared as %q", d, text, got)
				}
				if !got.WrittenAs(u.String()) || got.WrittenAs(u.String()+"x") || got.WrittenAs("") || !u.WrittenAs(u.String()) {
					t.Errorf("%v %q: WrittenAs disagrees with String", d, text)
				}
				add := func(u durl.URL) durl.URL { return u.With("side", "consumer").Without("b") }
				if made, want := s.Derive(got, add), add(u); !made.Equal(want) || made.String() != want.String() {
					t.Errorf("%v %q: derived %q, want %q", d, text, made, want)
				}
			}
		}
	}
}

func TestSharerIsBounded(t *testing.T) {
	var s durl.Sharer
	for i := range 5_000 {
		text := fmt.Sprintf("dubbo://10.0.0.1:20880/a.B?pid=%d", i)
		u, err := durl.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Share(u); got.String() != text {
			t.Fatalf("%q came back as %q", text, got)
		}
	}
}
