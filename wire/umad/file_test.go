package umad

import (
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestSystemFile proves the system's side of File on a device that every Linux
// has, a terminal: the ioctl call and its errors, and that Close wakes up Read.
func TestSystemFile(t *testing.T) {
	const tiocgptn = 0x80045430 // the number of the terminal, 4 bytes out
	f, err := openFile("/dev/ptmx")
	if err != nil {
		t.Skipf("skipped: no terminals here: %v", err)
	}
	arg := binary.NativeEndian.AppendUint32(nil, 0xFFFFFFFF)
	if err := f.Ioctl(tiocgptn, arg); err != nil || binary.NativeEndian.Uint32(arg) == 0xFFFFFFFF {
		t.Errorf("ioctl: %v, argument %x", err, arg)
	}
	if err := f.Ioctl(IoctlEnablePKey, nil); !errors.Is(err, syscall.ENOTTY) && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an ioctl of another device: %v", err)
	}
	ended := make(chan error)
	go func() {
		_, err := f.Read(make([]byte, 100))
		ended <- err
	}()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read ended with %v", err)
	}
	if err := f.Ioctl(tiocgptn, arg); err == nil {
		t.Error("ioctl after Close")
	}
}
