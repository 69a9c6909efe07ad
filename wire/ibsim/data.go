package ibsim

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"weft/wire"
)

// dataSocket is the socket for datagrams. It does not use Go's poller. That would wake the process
// whenever the simulator takes a datagram, since there is room again then. It would also wake it
// for each datagram that arrives while the reader rests. The socket's own epoll instance reports
// once that there is something to read.
type dataSocket struct {
	fd    int
	ready *os.File // the epoll instance
	wait  syscall.RawConn

	sending sync.Mutex
	closed  bool // under sending
	out     *many
}

// sendRoom is the room for datagrams that the simulator has not read yet, which take about 1,300
// bytes each in the kernel: more than a subnet manager sends at a time.
const sendRoom = 1 << 20

// newDataSocket makes a dataSocket of a socket, which the caller may close.
func newDataSocket(c syscall.Conn) (*dataSocket, error) {
	s := &dataSocket{fd: -1, out: newMany(DataSize)}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	failed := raw.Control(func(fd uintptr) { s.fd, err = duplicate(int(fd)) })
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	_ = syscall.SetsockoptInt(s.fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, sendRoom) // the kernel may allow less
	if err := s.open(); err != nil {
		_ = syscall.Close(s.fd)
		return nil, os.NewSyscallError("epoll", err)
	}
	return s, nil
}

// duplicate returns a second descriptor of a file.
func duplicate(fd int) (int, error) {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// open creates the epoll instance, with the socket in it.
func (s *dataSocket) open() error {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err = syscall.SetNonblock(epoll, true); err == nil { // so that Go's poller waits for it
		err = s.arm(epoll, syscall.EPOLL_CTL_ADD)
	}
	if err != nil {
		_ = syscall.Close(epoll)
		return err
	}
	s.ready = os.NewFile(uintptr(epoll), "epoll")
	if s.wait, err = s.ready.SyscallConn(); err != nil {
		_ = s.ready.Close()
	}
	return err
}

// arm asks for one event when there is something to read.
func (s *dataSocket) arm(epoll int, operation uintptr) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLONESHOT}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(epoll), operation, uintptr(s.fd), uintptr(unsafe.Pointer(&event)), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// isReadable reports whether the event is there. It does not wait.
func isReadable(epoll int) (bool, error) {
	var event syscall.EpollEvent
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epoll), uintptr(unsafe.Pointer(&event)), 1, 0, 0, 0)
	if errno != 0 && errno != syscall.EINTR {
		return false, errno
	}
	return errno == 0 && n > 0, nil
}

// await waits until there is something to read.
func (s *dataSocket) await() error {
	armed := false
	var failed error
	err := s.wait.Read(func(epoll uintptr) (ready bool) {
		if !armed {
			armed, failed = true, s.arm(int(epoll), syscall.EPOLL_CTL_MOD)
		}
		if failed == nil {
			ready, failed = isReadable(int(epoll))
		}
		return ready || failed != nil
	})
	return errors.Join(err, failed)
}

// send sends datagrams without waiting. It returns the number that the socket took, with the error
// of the next one.
func (s *dataSocket) send(list []*wire.Datagram) (sent int, err error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.closed {
		return 0, wire.Closed(os.ErrClosed)
	}
	for sent < len(list) {
		part := list[sent:min(len(list), sent+atOnce)]
		good := 0
		for ; good < len(part); good++ {
			if _, err = AppendData(s.out.bytes[good][:0], part[good]); err != nil {
				break
			}
		}
		for done := 0; done < good; {
			n, failed := s.out.write(s.fd, done, good)
			if failed != nil {
				return sent, failed
			}
			done, sent = done+n, sent+n
		}
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// wake ends the wait of read, which fails from now on.
func (s *dataSocket) wake() { _ = s.ready.Close() }

// close frees the socket, when nobody reads from it.
func (s *dataSocket) close() {
	s.sending.Lock()
	defer s.sending.Unlock()
	if !s.closed {
		s.closed = true
		_ = syscall.Close(s.fd)
	}
}
