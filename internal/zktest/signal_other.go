//go:build !unix

package zktest

import (
	"errors"
	"os"
)

var errNoFreeze = errors.New("this system cannot freeze a process")

func freeze(*os.Process) error { return errNoFreeze }
func thaw(*os.Process) error   { return errNoFreeze }
