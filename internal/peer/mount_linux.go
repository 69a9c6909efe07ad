package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// CanMount returns why a test cannot mount file systems in a namespace of its own, or nil. Mounting
// needs root, /dev/fuse, and a root folder that is a mount point, which a chroot's is not.
func CanMount() error {
	if _, err := os.Stat("/dev/fuse"); err != nil || os.Geteuid() != 0 {
		return errors.New("mounting needs root and /dev/fuse")
	}
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := try.Run(); err != nil {
		return fmt.Errorf("cannot create a mount namespace, for example in a chroot: %w", err)
	}
	return nil
}
