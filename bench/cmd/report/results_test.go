package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const output = `goos: linux
cpu: Some CPU
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 50 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 70 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 60 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubbo-go-2  	 100	 1200000 ns/op	 4096 B/op	 12345 allocs/op
BenchmarkCall/C-HIT/r=100/n=1000/engine=dubway-4 	 100	 11 ns/op
BenchmarkMemory/services=1/n=10/engine=dubway-2 	 1	 99 ns/op	 580 B/instance	 58.0 MB
BenchmarkEcho/direct-2   	 3000	 3000 ns/op	 320000 calls/s	 4000 cpu-ns/call	 150.0 p50-µs	 900.0 p99-µs	 400 B/op	 5 allocs/op
BenchmarkEchoLimit-2   	  900000	 500 ns/op	 1600000 calls/s	 600 cpu-ns/call
PASS
`

func TestTable(t *testing.T) {
	r := parse(output)
	if r.cpu != "Some CPU" {
		t.Errorf("cpu %q", r.cpu)
	}
	got := r.markdown()
	for _, want := range []string{
		"| C-HIT/r=1/n=10 | 60 ns | 0 | 0 | 1.2 ms | 4,096 | 12,345 | 20,000 |\n",
		"| C-HIT/r=100/n=1000/cpu=4 | 11 ns | – | – | – | – | – | – |\n",
		"| Echo/direct | 3.0 µs | 400 | 5 | 320,000 | 20.0 % | 4,000 | 150 | 900 |\n",
		"| EchoLimit | 500 ns | – | – | 1,600,000 | – | 600 | – | – |\n",
		"| services=1/n=10 | 58 MB | 580 an instance | – | – | – | – | – |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
}

func TestRowsAreInOrder(t *testing.T) {
	r := parse(`BenchmarkRoute/B/r=1/n=1000/engine=dubway 1 1 ns/op
BenchmarkRoute/A/r=10/n=10/engine=dubway 1 1 ns/op
BenchmarkCold/B/r=1/n=10/engine=dubway 1 1 ns/op
BenchmarkRoute/B/r=1/n=10/engine=dubway 1 1 ns/op
BenchmarkRoute/A/r=1/n=1000/engine=dubway 1 1 ns/op
`)
	want := []string{"Route/B/r=1/n=10", "Route/B/r=1/n=1000", "Route/A/r=1/n=1000", "Route/A/r=10/n=10", "Cold/B/r=1/n=10"}
	if got := r.sorted(); !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestParts(t *testing.T) {
	texts := map[string]string{
		"route": "# load 0.50 1 1\n# commit abc\ncpu: Some CPU\nBenchmarkRoute/C-HIT/r=1/n=1000/engine=dubway-2 100 50 ns/op 0 B/op 0 allocs/op\n" +
			"BenchmarkRoute/X/r=1/n=10/engine=dubway-2 100 170 ns/op 0 B/op 0 allocs/op\n# load 2.00 1 1\n# done in 7 s, linux/amd64, 2 CPUs, go1.26.0\n",
		"change": "=== RUN\n    change_test.go:90: | a | b |\n    change_test.go:90: |---|---|\n    change_test.go:91: | x | 1 |\n    change_test.go:92: loss 3.5 % of\n",
		"wire": "| client | server | load | calls/s |\n|---|---|---|--:|\n| bare socket | bare socket | closed loop | 9 | 1 ns | – | – | – | – | – | – |\n" +
			"| dubway | dubway | closed loop | 1 | 7 ns | 2 µs | 3 µs | 4 µs | 5 µs | 5.0 | 320 |\n",
	}
	got := map[string]string{}
	for _, p := range parts(texts) {
		got[p.name] = p.text
	}
	for name, want := range map[string][]string{
		"targets": {"| ≤ 60 ns | 50 ns | met |\n", "| ≤ 150 ns | 170 ns | **missed** |\n", "| < 10 % | 3.5 % | met |\n", "| ≤ 10 | 5.0 | met |\n"},
		"machine": {"Some CPU, linux/amd64, 2 CPUs, go1.26.0; dubway abc, dubbo-go v3.3.1; load average between 0.5 and 2.0", "7 s in all"},
		"change":  {"| a | b |\n|---|---|\n| x | 1 |\n"},
		"wire":    {"|---|---|---|--:|\n| bare socket | bare socket | closed loop | 9 | 1 ns |", "| dubway | dubway |"},
	} {
		for _, w := range want {
			if !strings.Contains(got[name], w) {
				t.Errorf("%s lacks %q:\n%s", name, w, got[name])
			}
		}
	}
	// Files of before processor time was measured have one column less.
	before := targets(parse(""), map[string]string{"wire": "| dubway | dubway | closed loop | 1 | 2 µs | 3 µs | 4 µs | 5 µs | 5.0 | 320 |\n"})
	if !strings.Contains(before, "| ≤ 10 | 5.0 | met |\n") {
		t.Errorf("an older file: %s", before)
	}
	doc, err := replace("a\n<!-- change: begin -->\nold\n<!-- change: end -->\nz", "change", "new\n")
	if err != nil || doc != "a\n<!-- change: begin -->\nnew\n<!-- change: end -->\nz" {
		t.Errorf("%q %v", doc, err)
	}
	if _, err := replace("a", "change", ""); err == nil {
		t.Error("a document without marks was written")
	}
}

func TestACompleteSliceIsNotRunAgain(t *testing.T) {
	r := runner{raw: t.TempDir()}
	s := slice{name: "one", dir: ".", command: []string{"go", "version"}}
	for range 2 {
		if r.complete(s) {
			t.Fatal("complete before it ran")
		}
		if err := r.one(slice{name: "one", dir: ".", command: []string{"go", "no-such-command"}}); err == nil {
			t.Fatal("a failed command passed")
		}
	}
	if err := r.run([]slice{s}); err != nil || !r.complete(s) {
		t.Fatal("not complete", err)
	}
	before, _ := os.ReadFile(r.file(s))
	if err := r.run([]slice{s}); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(r.file(s)); string(after) != string(before) || len(after) == 0 {
		t.Error("it was run again")
	}
}
