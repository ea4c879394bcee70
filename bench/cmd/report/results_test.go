package main

import (
	"strings"
	"testing"
)

const output = `goos: linux
cpu: Some CPU
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 50 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 70 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubway-2  	 100	 60 ns/op	 0 B/op	 0 allocs/op
BenchmarkRoute/C-HIT/r=1/n=10/engine=dubbo-go-2  	 100	 1200000 ns/op	 4096 B/op	 12345 allocs/op
BenchmarkPickParallel/C-HIT/r=100/n=1000/engine=dubway-4 	 100	 11 ns/op
BenchmarkMemory/services=1/n=10/engine=dubway-2 	 1	 99 ns/op	 580 B/instance	 58.0 MB
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
		"| services=1/n=10 | 58 MB | 580 an instance | – | – | – | – | – |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
}
