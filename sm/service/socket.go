package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// UsualSocket is the default path of a manager's socket.
const UsualSocket = "/run/weft/sm.sock"

// Listen creates a Unix socket that only its owner can open. It replaces a stale socket; any other
// file at the path is an error.
func Listen(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	// Until its mode is set, the socket must not be open to others.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".weft.*")
	if err != nil {
		return nil, fmt.Errorf("cannot create the socket %s: %w", path, err)
	}
	defer os.Remove(dir)
	private := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: private})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Link(private, path) // fails if another manager was faster
	}
	os.Remove(private)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	return &unlinking{listener, path}, nil
}

// unlinking is a listener that removes its socket when closed.
type unlinking struct {
	net.Listener
	path string
}

// Close implements net.Listener.
func (u *unlinking) Close() error {
	err := u.Listener.Close()
	if err == nil {
		os.Remove(u.path)
	}
	return err
}

// removeStale removes a socket without a listener.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s exists and is not a socket: name another path", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close()
		return fmt.Errorf("a manager already serves %s: end it, or name another socket", path)
	} else if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%s exists, and cannot be tested for a manager: %w", path, err)
	}
	return os.Remove(path)
}
