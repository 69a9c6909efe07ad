package ibsimd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"weft/wire/ibsim"
)

// sockets are the server's end of the medium.
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

func (n *sockets) name(role string) *net.UnixAddr { return ibsim.UnixAddr(n.o.Dir, n.o.Base, role) }

// dataSocket returns the data socket's address of a client with the given id and control socket
// address.
func (n *sockets) dataSocket(id uint32, from net.Addr) (net.Addr, error) {
	if n.udp == nil {
		return n.name("in" + strconv.FormatInt(int64(int32(id)), 10)), nil
	}
	host, ok := from.(*net.UDPAddr)
	if !ok || id == 0 || id > 0xFFFF {
		return nil, fmt.Errorf("client id %d is no UDP port", id)
	}
	return &net.UDPAddr{IP: host.IP, Port: int(id)}, nil
}

// dial makes the data socket of a slot, connected to the client's: otherwise only a few datagrams
// could wait between them.
func (n *sockets) dial(slot int, client net.Addr) (net.Conn, error) {
	if to, ok := client.(*net.UDPAddr); ok {
		return net.DialUDP("udp4", &net.UDPAddr{IP: n.udp.IP, Port: n.udp.Port + 1 + slot}, to)
	}
	out := n.name("out" + strconv.Itoa(slot))
	if n.o.Dir != "" {
		// A file that no server uses: the slot is free.
		_ = os.Remove(out.Name)
	}
	return net.DialUnix("unixgram", out, client.(*net.UnixAddr))
}

// exists reports whether a client's data socket exists, without sending anything: it connects to a
// Unix socket, and tries to bind the address of a local UDP socket. It assumes that remote UDP
// sockets exist.
func (n *sockets) exists(client net.Addr) bool {
	var probe net.Conn
	var err error
	if at, ok := client.(*net.UDPAddr); ok {
		if probe, err = net.ListenUDP("udp4", at); err != nil {
			return true
		}
		_ = probe.Close()
		return false
	}
	if probe, err = net.DialUnix("unixgram", nil, client.(*net.UnixAddr)); err == nil {
		_ = probe.Close()
	}
	// A socket connected to the server refuses others with another error (EPERM).
	return !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ENOENT)
}

// reply sends a control datagram without waiting: a client that does not read its answers misses
// them.
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
			name += "\x00" // removed by package net
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
