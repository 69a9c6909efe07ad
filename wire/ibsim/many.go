package ibsim

import (
	"syscall"
	"unsafe"
)

// atOnce is the maximum number of datagrams in one system call.
const atOnce = 64

// many is memory for datagrams that are read or written at once.
type many struct {
	heads [atOnce]header
	parts [atOnce]syscall.Iovec
	bytes [atOnce][DataSize + 1]byte
}

// header is struct mmsghdr of recvmmsg(2) and sendmmsg(2).
type header struct {
	syscall.Msghdr
	n uint32
}

// newMany returns memory for datagrams of a length.
func newMany(length int) *many {
	m := new(many)
	for i := range m.heads {
		m.parts[i].Base = &m.bytes[i][0]
		m.parts[i].SetLen(length)
		m.heads[i].Iov, m.heads[i].Iovlen = &m.parts[i], 1
	}
	return m
}

// read reads datagrams from a socket, and returns their number.
func (m *many) read(fd int) (int, error) { return m.call(syscall.SYS_RECVMMSG, fd, m.heads[:]) }

// write writes datagrams to a socket without waiting, and returns the number that the socket took.
// The error belongs to the first datagram.
func (m *many) write(fd, first, last int) (int, error) {
	return m.call(sendmmsg, fd, m.heads[first:last])
}

// call makes a system call that does not wait. It takes microseconds, so the scheduler need not
// know of it: that would cost more, and keep a thread awake that watches calls.
func (m *many) call(number uintptr, fd int, heads []header) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(number, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(heads))), uintptr(len(heads)), syscall.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// datagram returns a datagram that was read, with the room behind it.
func (m *many) datagram(i int) (b, room []byte) { return m.bytes[i][:m.heads[i].n], m.bytes[i][:] }
