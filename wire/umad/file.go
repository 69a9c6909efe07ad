package umad

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// File is an open device, as an interface for test doubles. Read waits for a message, and Close
// wakes it.
type File interface {
	io.ReadWriteCloser
	// Ioctl does one of the Ioctl calls; arg is its argument, in and out, nil for none.
	Ioctl(number uint32, arg []byte) error
}

// osFile is a device of the system.
type osFile struct{ *os.File }

// openFile opens a device in non-blocking mode, so that reads wait in the runtime's poller and
// Close can end them.
func openFile(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (f osFile) Ioctl(number uint32, arg []byte) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, uintptr(number), uintptr(unsafe.Pointer(unsafe.SliceData(arg))))
	})
	if err != nil {
		return err
	}
	if errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}
