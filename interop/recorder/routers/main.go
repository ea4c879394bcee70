// Command routers records what the router classes of real Dubbo releases answer, in the form of testdata/conformance.
//
//	routers record IN OUT              writes the cases of folder IN, with their answers, to folder OUT
//	routers check DIR                  records the cases of DIR again and compares with the answers they carry
//	routers generate -seed N -n N -from CORPUS OUT   writes new cases without answers
//
// It needs a JDK and Maven; README.md says more.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "routers:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: routers record IN OUT | check DIR | generate [-seed N] [-n N] -from CORPUS OUT")

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	switch args[0] {
	case "record":
		if len(args) != 3 {
			return errUsage
		}
		return record(args[1], args[2])
	case "check":
		if len(args) != 2 {
			return errUsage
		}
		return check(args[1])
	case "generate":
		flags := flag.NewFlagSet("generate", flag.ContinueOnError)
		seed := flags.Uint64("seed", 1, "same seed, same cases")
		n := flags.Int("n", 300, "cases per area")
		from := flags.String("from", "", "folder of recorded cases to start from")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if flags.NArg() != 1 || *from == "" {
			return errUsage
		}
		return generate(*seed, *n, *from, flags.Arg(0))
	}
	return errUsage
}
