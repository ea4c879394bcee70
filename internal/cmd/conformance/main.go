// Command conformance replays folders of recorded answers of real Dubbo versions and prints, per file
// and version, how many agree, with the first differences. It exits 1 when any differs, 2 when a folder cannot be read.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/dubway-go/dubway/internal/conformance"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: conformance [-n N] DIR…   (each a folder of .jsonl files)")
		flags.PrintDefaults()
	}
	shown := flags.Int("n", 3, "how many differences to print per area and version")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		if err == nil {
			flags.Usage()
		}
		return 2
	}
	code := 0
	for _, dir := range flags.Args() {
		areas, err := conformance.Load(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		report := conformance.Run(areas)
		report.Shown = *shown
		fmt.Println(dir)
		if err := report.Write(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		if report.Failed() > 0 {
			code = 1
		}
	}
	return code
}
