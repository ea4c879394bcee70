// Command report measures dubway beside dubbo-go and turns what came out into docs/benchmarks.md. Run it in the module's directory.
//
//	report -list                          the slices and their times
//	report -run -write ../docs/benchmarks.md   every slice that was not run yet, then the document
//	report -run -slices cold,update -again     two of them anew
//	report -write ../docs/benchmarks.md   the document from the raw files of earlier runs
//	report -bench 'Route/C-HIT'           some benchmarks, as a table on the screen
//	report FILE…                          a table of the output of "go test -bench"
//
// Raw files are kept in -raw; they are what benchstat reads. A slice whose file is complete is not run again without -again, so a
// run that was stopped goes on where it was.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := report(); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func report() error {
	var r runner
	show := flag.Bool("list", false, "list the slices")
	run := flag.Bool("run", false, "run the slices that are not complete")
	names := flag.String("slices", "", "with -run: which slices, with commas; all by default")
	flag.BoolVar(&r.again, "again", false, "with -run: also those that are complete")
	flag.IntVar(&r.max, "max", 0, "with -run and -bench: no more providers than this; 0 is no bound")
	flag.StringVar(&r.raw, "raw", "../bin/bench", "where the raw files are")
	write := flag.String("write", "", "put the results of the raw files into this Markdown file")
	bench := flag.String("bench", "", "run only these benchmarks and print their table")
	benchtime := flag.String("benchtime", "200ms", "with -bench: time of each")
	count := flag.Int("count", 5, "with -bench: how often each runs")
	flag.Parse()
	switch {
	case *show:
		list(os.Stdout)
		return nil
	case *bench != "":
		return adHoc(benchmarks(*bench, *benchtime, *count), r.max)
	case *run:
		parts, err := chosen(*names)
		if err != nil {
			return err
		}
		if err := r.run(parts); err != nil {
			return err
		}
	case *write == "":
		return fromFiles(flag.Args())
	}
	if *write == "" {
		return nil
	}
	return r.write(*write)
}

// adHoc runs benchmarks and prints their table.
func adHoc(command []string, most int) error {
	if most > 0 {
		command = append(command, "-maxn", fmt.Sprint(most))
	}
	var text bytes.Buffer
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr = io.MultiWriter(&text, os.Stderr), os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("benchmarks: %w", err)
	}
	return printTable(text.String())
}

// fromFiles prints the table of files, of standard input without any.
func fromFiles(names []string) error {
	var text bytes.Buffer
	if len(names) == 0 {
		if _, err := io.Copy(&text, os.Stdin); err != nil {
			return err
		}
	}
	for _, name := range names {
		one, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text.Write(one)
	}
	return printTable(text.String())
}

func printTable(text string) error {
	results := parse(text)
	if len(results.order) == 0 {
		return errors.New("no benchmark results found: give the output of go test -bench")
	}
	fmt.Print(results.markdown())
	return nil
}

// write puts what the raw files say into a document, each part between its two marks.
func (r runner) write(name string) error {
	texts, missing, err := r.read()
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		return fmt.Errorf("no raw files in %s: use -run", r.raw)
	}
	if len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "report: not complete, so not in the document: %s\n", strings.Join(missing, ", "))
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	doc := string(old)
	for _, p := range parts(texts) {
		if p.text == "" {
			continue
		}
		if doc, err = replace(doc, p.name, p.text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return os.WriteFile(name, []byte(doc), 0o644)
}

// replace puts text between the marks of a part.
func replace(doc, part, text string) (string, error) {
	begin, end := "<!-- "+part+": begin -->\n", "<!-- "+part+": end -->"
	head, rest, ok := strings.Cut(doc, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no lines %q and %q", strings.TrimSpace(begin), end)
	}
	return head + begin + text + end + tail, nil
}
