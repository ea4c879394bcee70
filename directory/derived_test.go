package directory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

// TestKnownProvidersAreMergedAlike: what becomes of a provider that is read as one like others (what it is to this consumer, what the consumer makes of it) is
// what becomes of it when it is parsed and worked out by itself.
func TestKnownProvidersAreMergedAlike(t *testing.T) {
	keys := []string{
		"application", "remote.application", "interface", "timestamp", "remote.timestamp", "reference.filter", "invoker.listener", "group", "version", "generic",
		"methods", "release", "dubbo.tag", "pid", "timeout", "threads", "default.threads", "default.timeout", "default.version", "check", "category", "enabled", "disabled",
		"classifier", "compatible_config", "weight", "zone", "side", "mock",
	}
	values := []string{"", "1", "2", "true", "false", "shop", "*", "a.B", "providers", "routers", "1.0", "gray"}
	for _, d := range dialect.All() {
		known, r := 0, rand.New(rand.NewPCG(5, uint64(d)))
		for range 40 {
			self := "consumer://10.0.0.9/a.B?interface=a.B"
			for _, k := range []string{"application", "group", "version", "timeout", "reference.filter", "invoker.listener", "remote.application", "pid", "methods", "dubbo.tag", "generic", "timestamp"} {
				if r.IntN(3) == 0 {
					self += "&" + k + "=" + values[r.IntN(len(values))]
				}
			}
			consumer, err := durl.ParseAs(self, d)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newSettings(service.Key{Interface: "a.B"}, Options{Consumer: consumer, Dialect: d})
			if err != nil {
				t.Fatal(err)
			}
			base := make([]string, len(keys)) // what most providers have; "-" for nothing
			for i := range base {
				if base[i] = "-"; r.IntN(2) == 0 {
					base[i] = values[r.IntN(len(values))]
				}
			}
			path := []string{"/a.B", ""}[r.IntN(2)]
			for range 100 {
				var b strings.Builder
				fmt.Fprintf(&b, "dubbo://10.0.0.%d:20880%s?x=1", r.IntN(50), path)
				for i, k := range keys {
					v := base[i]
					if v == "-" {
						continue
					}
					if r.IntN(10) == 0 {
						v = values[r.IntN(len(values))*r.IntN(2)] // often none
					}
					b.WriteString("&" + k + "=" + v)
				}
				u, err := durl.ParseAs(b.String(), d)
				if err != nil {
					continue // side, in 3.x
				}
				read, ok := s.reader.Known(b.String())
				if ok {
					known++
				} else {
					read = s.reader.Share(u)
				}
				if got, want := *s.kinds.Of(read), *s.sortIn(u); got != want {
					t.Fatalf("%s: %s is %+v, want %+v", d, u, got, want)
				}
				merged := s.mergeProvider(u)
				for range 2 {
					if got := s.merged.Of(read); !got.Equal(merged) || !merged.Equal(got) || got.Hash() != merged.Hash() || got.Full() != merged.Full() {
						t.Fatalf("%s: %s as %s becomes\n%s, want\n%s", d, u, self, got.Full(), merged.Full())
					}
				}
				if got, want := s.unchecked.Of(s.merged.Of(read)), merged.With("check", "false"); !got.Equal(want) || got.Hash() != want.Hash() {
					t.Fatalf("%s: %s without check is %s, want %s", d, u, got.Full(), want.Full())
				}
			}
		}
		if known == 0 {
			t.Errorf("%s: every provider was parsed", d)
		}
	}
}
