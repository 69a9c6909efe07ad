package ibsim

import (
	"net"
	"os"
	"syscall"
	"testing"

	"weft/wire"
	"weft/wire/mad"
)

// TestSendRoom: the socket takes more requests than its default size allows, so that none of a
// group is sent later.
func TestSendRoom(t *testing.T) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(ends[1]) }()
	file := os.NewFile(uintptr(ends[0]), "socket")
	c, err := net.FileConn(file)
	_ = file.Close()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newDataSocket(c.(syscall.Conn))
	_ = c.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	defer s.wake()
	list := make([]*wire.Datagram, 300)
	for i := range list {
		list[i] = &wire.Datagram{Addr: wire.ToLID(1, 1), MAD: make(mad.Datagram, mad.Size)}
	}
	if n, err := s.send(list); n != len(list) || err != nil {
		t.Errorf("%d of %d were sent: %v", n, len(list), err)
	}
}
