//go:build !linux

package servers_test

import (
	"errors"
	"os"
)

func outputOf(int) (*os.File, error) { return nil, errors.ErrUnsupported }
