package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// maxInput is the largest file that a command reads, in bytes.
const maxInput = 2 << 20

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = fmt.Errorf("it has more than %d bytes", maxInput)
	}
	return b, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
