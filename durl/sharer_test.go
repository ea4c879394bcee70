package durl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

func TestSharerChangesNothing(t *testing.T) {
	for _, d := range []dialect.Dialect{dialect.Standard, dialect.Dubbo26, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33} {
		s := new(durl.Sharer)
		add := func(u durl.URL) durl.URL { return u.With("side", "consumer").Without("b") }
		derived := durl.NewDerivation(s, add, nil)
		for range 2 {
			for _, text := range []string{
				"dubbo://10.0.0.1:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.2:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.2/a.B?x=1&b=2&x=3",
				" dubbo://10.0.0.3:20880/a.B?x=1&b=2&x=3", "dubbo://10.0.0.4:020880/a.B?x=1", "dubbo://[fd00::1]:20880/a.B?x=1",
				"dubbo://h:1@h:1/a.B?x=1", "dubbo://h:2@h:1/a.B?x=1", "dubbo://u:p@h:1/a.B?x=h:1", "h:1", "dubbo:///a.B?x=1", "//h:1/a",
				"dubbo://10.0.0.1:20880/a.B?x=2&b=2&x=4", "dubbo://10.0.0.1:20880/a.B?x=3&b=2&x=3", "dubbo://10.0.0.1:20880/a.B?x=3&b=7&x=3",
				"dubbo://10.0.0.1:20880/a.B?default.timeout=5&b", "dubbo://10.0.0.2:20880/a.B?default.timeout=6&b", "dubbo://10.0.0.2:20880/a.B?default.timeout=&b",
				"dubbo://h:1/a.B?a=1&b=2&c=3&d=4&e=5&f=6", "dubbo://h:1/a.B?a=9&b=9&c=9&d=9&e=9&f=9", "dubbo://h:1/a.B?f=1&e=2&d=3&c=4&b=5&a=6",
				"dubbo://h:1/a.B?a=&b=2&c=&d=4&e=h:1&f=6", "dubbo://h:1/a.B?a=1;b=2&c=3", "dubbo://h:2/a.B?a=1;b=2&c=4", "dubbo://h:2/a.B?=x&c=4&&", "dubbo://h:2/a.B?=x&c=5&&",
				"dubbo://h:2/a.B?side=Provider&c=5", "dubbo://h:2/a.B?side=PROVIDER&c=5", "dubbo://h:2/a.B? a = 1 &c=5", "dubbo://h:2/a.B? a = 2 &c=5", "dubbo://h:2/a.B?\x00=2", "dubbo://h:2/a.B?a=2#b=3",
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
				if made, want := derived.Of(got), add(u); !made.Equal(want) || made.String() != want.String() {
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

// TestSharerAgreesWithParse: whatever providers have in common, a shared URL reads and prints as the one that it stands for, and so does
// what is built from it.
func TestSharerAgreesWithParse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	keys := []string{"application", "default.retries", "dubbo", "dubbo.tag", "methods", "pid", "retries", "side", "timestamp", "weight", "zone", "a b", ""}
	s := new(durl.Sharer)
	change := func(u durl.URL) durl.URL {
		u = u.WithParams(durl.Param{Key: "timeout", Value: "3"}, durl.Param{Key: "old.zone", Value: u.Get("zone", "none")}).Without("pid")
		if u.Get("weight", "") == "20" {
			u = u.With("heavy", "true")
		}
		return u
	}
	effect := func(key string) durl.Effect {
		switch key {
		case "timeout", "pid":
			return durl.Replaces
		case "application", "methods", "retries", "timestamp", "a b", "":
			return durl.Keeps
		}
		return durl.Looks
	}
	memoized := func(u durl.URL) string { return u.Path() + u.Get("zone", "-") + u.Get("retries", "-") + u.User() }
	looks := func(key string) bool { return key == "zone" || key == "retries" || key == "default.retries" }
	for _, d := range dialect.All() {
		derived, memo, reader := durl.NewDerivation(s, change, effect), durl.NewMemo(memoized, looks), durl.NewReader(s, d)
		known := 0
		for i := range 2_000 {
			text := written(rand.New(rand.NewPCG(uint64(i/100+r.IntN(5)), 1)), r, keys)
			u, err := durl.ParseAs(text, d)
			if err != nil {
				continue
			}
			got := s.Share(u)
			if i%2 == 0 {
				reader.Grow(r.IntN(50))
				if read, ok := reader.Known(text); ok {
					got = read
					known++
				} else {
					got = reader.Share(u)
				}
			}
			same(t, got, u)
			if said := memo.Of(got); said != memoized(u) {
				t.Fatalf("%s: %q is said to be %q, it is %q", d, text, said, memoized(u))
			}
			if !got.WrittenAs(text) || got.String() != text || got.WrittenAs(text[1:]) || got.WrittenAs(text+"&") {
				t.Fatalf("%s: %q came back as %q", d, text, got)
			}
			same(t, derived.Of(got), change(u))
			same(t, s.Share(change(got)), change(u))
			same(t, got.With("zone", "7"), u.With("zone", "7"))
			same(t, got.WithHost("h"), u.WithHost("h"))
			if r.IntN(100) == 0 {
				derived.Forget()
				memo.Forget()
				derived.Grow(r.IntN(9))
			}
		}
		if t.Logf("%s: %d of 2000 texts were not parsed", d, known); known == 0 {
			t.Errorf("%s: every text was parsed", d)
		}
	}
}

// written returns a URL text: which parameters it has, and how they are written, is drawn from kind, their values from r.
func written(kind, r *rand.Rand, keys []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "dubbo://10.0.0.%d", r.IntN(9))
	if port := kind.IntN(3) * 10000; port > 0 {
		fmt.Fprintf(&b, ":%d", port+r.IntN(100))
	}
	fmt.Fprintf(&b, "/a.B%d", kind.IntN(2))
	separator := "?"
	for _, k := range keys {
		if kind.IntN(8) == 0 {
			continue
		}
		b.WriteString(separator + k)
		if separator = "&"; kind.IntN(9) > 0 {
			value := kind.IntN(10)
			if r.IntN(6) == 0 {
				value = r.IntN(10)
			}
			b.WriteString("=" + []string{"", "1", "20", "true", "10.0.0.1:10000", "provider", "gray", "a value of more than a few letters", " x", "a;b&y=1"}[value])
		}
	}
	return b.String()
}

// same compares everything that can be read of two URLs, but for the text.
func same(t *testing.T, got, want durl.URL) {
	t.Helper()
	if !got.Equal(want) || !want.Equal(got) || got.Hash() != want.Hash() || got.Full() != want.Full() || got.Len() != want.Len() || got.Address() != want.Address() ||
		got.Host() != want.Host() || got.Port() != want.Port() || got.Dialect() != want.Dialect() {
		t.Fatalf("got %q, want %q", got.Full(), want.Full())
	}
	var list []durl.Param
	for k, v := range got.All() {
		list = append(list, durl.Param{Key: k, Value: v})
	}
	i := 0
	for k, v := range want.All() {
		if list[i] != (durl.Param{Key: k, Value: v}) {
			t.Fatalf("parameter %d of %q is %v, want %q=%q", i, want, list[i], k, v)
		}
		i++
		for _, key := range []string{k, "retries", "x." + k} {
			a, aok := got.Param(key)
			b, bok := want.Param(key)
			c, cok := got.MethodParam("default", key)
			d, dok := want.MethodParam("default", key)
			if a != b || aok != bok || c != d || cok != dok {
				t.Fatalf("%q: %s is %q %v and %q %v, want %q %v and %q %v", want, key, a, aok, c, cok, b, bok, d, dok)
			}
		}
	}
	if changed := want.With("pid", "another"); got.Equal(changed) || changed.Equal(got) {
		t.Fatalf("%q equals %q", got, changed)
	}
}
