// Command dubway routes Dubbo calls and says why they go where they go.
package main

import (
	"os"

	"github.com/dubway-go/dubway/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
