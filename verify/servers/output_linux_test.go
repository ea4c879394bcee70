package servers_test

import (
	"errors"
	"os"
	"syscall"
)

const (
	sysPidfdOpen  = 434 // the same number on every Linux architecture
	sysPidfdGetfd = 438
)

// outputOf duplicates the standard output of another process. A duplicate shares the file offset,
// which matters when the output goes to a file: opening the file anew would have its own offset
// and the two would overwrite each other.
func outputOf(pid int) (*os.File, error) {
	handle, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(pid), 0, 0)
	if errno != 0 {
		return nil, errors.Join(errors.New("pidfd_open"), errno)
	}
	defer syscall.Close(int(handle))
	fd, _, errno := syscall.Syscall(sysPidfdGetfd, handle, 1, 0)
	if errno != 0 {
		return nil, errors.Join(errors.New("pidfd_getfd"), errno)
	}
	return os.NewFile(fd, "output of the go command"), nil
}
