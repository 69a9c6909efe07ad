package fuse

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Mount mounts the tree at a directory and starts to serve it. Call it only once.
func (s *Server) Mount(dir string) error {
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("fuse: /dev/fuse: %w", err)
	}
	data := fmt.Sprintf("fd=%d,rootmode=40755,user_id=%d,group_id=%d,allow_other,default_permissions",
		fd, os.Geteuid(), os.Getegid())
	const flags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	if err := syscall.Mount("weft", dir, "fuse.weft", flags, data); err != nil {
		hint := ""
		if errors.Is(err, syscall.ENOTCONN) {
			hint = " (left behind by a process that was killed: umount it)"
		}
		return errors.Join(fmt.Errorf("fuse: mounting at %s: %w%s", dir, err, hint), syscall.Close(fd))
	}
	// Not earlier: the runtime's poller gets no events from a device without a mount.
	s.dev = os.NewFile(uintptr(fd), "/dev/fuse")
	s.unmount = func() error {
		// Lazily: programs with open files must not delay it.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			return fmt.Errorf("fuse: unmounting %s: %w", dir, err)
		}
		return nil
	}
	go s.serve()
	return nil
}
