package ibsim

import (
	"syscall"
	"unsafe"
)

// atOnce is the maximum number of datagrams that one system call reads.
const atOnce = 32

// many is memory for datagrams that are read at once.
type many struct {
	heads [atOnce]header
	parts [atOnce]syscall.Iovec
	bytes [atOnce][DataSize + 1]byte
}

// header is struct mmsghdr of recvmmsg(2).
type header struct {
	syscall.Msghdr
	n uint32
}

func newMany() *many {
	m := new(many)
	for i := range m.heads {
		m.parts[i].Base = &m.bytes[i][0]
		m.parts[i].SetLen(len(m.bytes[i]))
		m.heads[i].Iov, m.heads[i].Iovlen = &m.parts[i], 1
	}
	return m
}

// read reads datagrams from a socket in non-blocking mode, and returns their number.
func (m *many) read(fd int) (int, error) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&m.heads)), atOnce, syscall.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// datagram returns a datagram that was read, with the room behind it.
func (m *many) datagram(i int) (b, room []byte) { return m.bytes[i][:m.heads[i].n], m.bytes[i][:] }
