package ibsimd

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sockets are the server's side of the medium.
type sockets struct {
	o       Options
	control net.PacketConn
	udp     *net.UDPAddr // of the control socket, nil for Unix sockets
}

func listen(o Options) (*sockets, error) {
	n := &sockets{o: o}
	if o.UDP != "" {
		addr, err := net.ResolveUDPAddr("udp4", o.UDP)
		if err != nil {
			return nil, fmt.Errorf("ibsimd: %w", err)
		}
		c, err := net.ListenUDP("udp4", addr)
		if err != nil {
			return nil, fmt.Errorf("ibsimd: %w", err)
		}
		n.control, n.udp = c, c.LocalAddr().(*net.UDPAddr)
		return n, nil
	}
	c, err := net.ListenUnixgram("unixgram", n.name("ctl"))
	if err != nil {
		return nil, fmt.Errorf("ibsimd: %w (does another simulator serve under the name %q?)", err, o.Base)
	}
	n.control = c
	return n, nil
}

// name of a Unix socket. An abstract name has a NUL at its end, which counts.
func (n *sockets) name(suffix string) *net.UnixAddr {
	name := n.o.Base + ":" + suffix
	if n.o.Dir != "" {
		return &net.UnixAddr{Net: "unixgram", Name: filepath.Join(n.o.Dir, name)}
	}
	return &net.UnixAddr{Net: "unixgram", Name: "@" + name + "\x00"}
}

// dial makes the data socket of a slot, connected to the client's: only then may
// more than a few datagrams wait between them.
func (n *sockets) dial(slot int, client uint32, from net.Addr) (net.Conn, error) {
	if n.udp != nil {
		host, ok := from.(*net.UDPAddr)
		if !ok || client == 0 || client > 0xFFFF {
			return nil, fmt.Errorf("client id %d is no UDP port", client)
		}
		local := &net.UDPAddr{IP: n.udp.IP, Port: n.udp.Port + 1 + slot}
		return net.DialUDP("udp4", local, &net.UDPAddr{IP: host.IP, Port: int(client)})
	}
	out := "out" + strconv.Itoa(slot)
	if n.o.Dir != "" {
		// A file without a server behind it: the slot is free.
		_ = os.Remove(n.name(out).Name)
	}
	return net.DialUnix("unixgram", n.name(out), n.name("in"+strconv.FormatInt(int64(int32(client)), 10)))
}

// reply sends a control datagram without waiting: a client that does not read its
// answers misses them.
func (n *sockets) reply(b []byte, to net.Addr) {
	c, ok := n.control.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return // closed
	}
	var sa syscall.Sockaddr
	switch a := to.(type) {
	case *net.UDPAddr:
		v4 := a.IP.To4()
		if v4 == nil {
			return
		}
		sa = &syscall.SockaddrInet4{Port: a.Port, Addr: [4]byte(v4)}
	case *net.UnixAddr:
		if a == nil || a.Name == "" {
			return // a client without a name cannot be answered
		}
		name := a.Name
		if name[0] == '@' {
			name += "\x00" // the package net has taken it off
		}
		sa = &syscall.SockaddrUnix{Name: name}
	default:
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = syscall.Sendto(int(fd), b, syscall.MSG_DONTWAIT, sa) })
}

// forget removes the file of a slot's data socket.
func (n *sockets) forget(slot int) {
	if n.o.Dir != "" {
		_ = os.Remove(n.name("out" + strconv.Itoa(slot)).Name)
	}
}

func (n *sockets) close() {
	_ = n.control.Close()
	if n.udp == nil && n.o.Dir != "" {
		_ = os.Remove(n.name("ctl").Name)
	}
}
