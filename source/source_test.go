package source_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/source"
)

func TestCellWakesEveryReaderAndHoldsTheNewest(t *testing.T) {
	var cell source.Cell[int]
	const readers, last = 8, 1000
	var done sync.WaitGroup
	for range readers {
		done.Go(func() {
			seen := -1
			for seen != last {
				v, changed := cell.Load()
				if v < seen {
					t.Errorf("value %d after %d", v, seen)
					return
				}
				if seen = v; seen != last {
					<-changed
				}
			}
		})
	}
	for v := 1; v <= last; v++ {
		cell.Store(v)
	}
	done.Wait()
}

func TestCheckKey(t *testing.T) {
	for _, key := range []string{"order.tag-router", "a.B:1.0:g.condition-router", "g*a.B:1.0.condition-router", "订单.tag-router", ".x", "..x", strings.Repeat("k", source.MaxKey)} {
		if err := source.CheckKey(key); err != nil {
			t.Errorf("CheckKey(%q): %v", key, err)
		}
	}
	for key, why := range map[string]string{
		"": "empty", "..": "folder", "a/b": "path separator", `a\b`: "path separator", "a\x00": "control", "a\u0085b": "control",
		"\xff": "UTF-8", strings.Repeat("k", source.MaxKey+1): "513 bytes",
	} {
		if err := source.CheckKey(key); !errors.Is(err, source.ErrKey) || !strings.Contains(err.Error(), why) {
			t.Errorf("CheckKey(%q): %v, want %q in it", key, err, why)
		}
	}
}

func TestCheckText(t *testing.T) {
	if err := source.CheckText(strings.Repeat("x", source.MaxDocument)); err != nil {
		t.Error(err)
	}
	if err := source.CheckText(strings.Repeat("x", source.MaxDocument+1)); !errors.Is(err, source.ErrTooLarge) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestPlaceOf(t *testing.T) {
	for text, want := range map[string]source.Place{
		"dubbo://10.0.0.1:20880/a.B":                                  {Interface: "a.B", Category: source.Providers},
		"dubbo://10.0.0.1:20880/path?interface=a.B&dynamic=false":     {Interface: "a.B", Category: source.Providers, Persistent: true},
		"dubbo://10.0.0.1:20880/a.B?dynamic=no":                       {Interface: "a.B", Category: source.Providers, Persistent: true},
		"consumer://10.0.0.9/a.B?category=consumers":                  {Interface: "a.B", Category: source.Consumers},
		"override://0.0.0.0/a.B?category=configurators&dynamic=false": {Interface: "a.B", Category: source.Configurators, Persistent: true},
		"condition://0.0.0.0/*?category=routers&dynamic=TRUE&rule=":   {Interface: "*", Category: source.Routers},
	} {
		u, err := durl.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := source.PlaceOf(u); err != nil || got != want {
			t.Errorf("PlaceOf(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	u, err := durl.Parse("dubbo://user:secret@10.0.0.1:20880/?category=providers")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.PlaceOf(u); !errors.Is(err, source.ErrPlace) || strings.Contains(err.Error(), "secret") {
		t.Errorf("URL without an interface: %v", err)
	}
}
