// Command conformance replays folders of recorded answers of real Dubbo versions and prints, per file
// and version, how many agree, with the first differences. It exits 1 when any differs, 2 when a folder cannot be read.
package main

import (
	"fmt"
	"os"

	"github.com/dubway-go/dubway/internal/conformance"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(folders []string) int {
	if len(folders) == 0 {
		fmt.Fprintln(os.Stderr, "usage: conformance DIR…   (each a folder of .jsonl files)")
		return 2
	}
	code := 0
	for _, dir := range folders {
		areas, err := conformance.Load(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		report := conformance.Run(areas)
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
