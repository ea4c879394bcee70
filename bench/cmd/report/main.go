// Command report turns the output of "go test -bench" into the table of docs/benchmarks.md: medians, and dubbo-go's time over
// dubway's where both ran. It reads files or standard input, or runs the benchmarks itself with -run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// The part of the document between these lines is replaced.
const (
	begin = "<!-- bench: begin -->"
	end   = "<!-- bench: end -->"
)

func main() {
	if err := report(); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report() error {
	run := flag.Bool("run", false, "run the benchmarks of this module instead of reading files")
	bench := flag.String("bench", ".", "with -run: which benchmarks")
	benchtime := flag.String("benchtime", "200ms", "with -run: time of each")
	count := flag.Int("count", 5, "with -run: how often each runs")
	write := flag.String("write", "", "replace the table of this Markdown file instead of printing it")
	flag.Parse()

	var text bytes.Buffer
	switch {
	case *run:
		c := exec.Command("go", "test", "-run", "^$", "-bench", *bench, "-benchtime", *benchtime, "-count", fmt.Sprint(*count), "-timeout", "0", ".")
		c.Stdout, c.Stderr = io.MultiWriter(&text, os.Stderr), os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("benchmarks: %w", err)
		}
	case flag.NArg() == 0:
		if _, err := io.Copy(&text, os.Stdin); err != nil {
			return err
		}
	default:
		for _, name := range flag.Args() {
			one, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text.Write(one)
		}
	}
	results := parse(text.String())
	if len(results.order) == 0 {
		return fmt.Errorf("no benchmark results found: give the output of go test -bench")
	}
	table := machine(results) + "\n" + results.markdown()
	if *write == "" {
		fmt.Print(table)
		return nil
	}
	old, err := os.ReadFile(*write)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", *write, begin, end)
	}
	return os.WriteFile(*write, []byte(head+begin+"\n"+table+end+tail), 0o644)
}
