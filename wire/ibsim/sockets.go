package ibsim

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// Options name the simulator to attach to. Dial documents the zero values.
type Options struct {
	Node   string // node id of the net, or node description; empty: the first port of the net
	Base   string // of the Unix socket names; empty: "sim"
	Dir    string // Unix sockets are files in this directory; empty: abstract names
	Server string // host name or IPv4 address of a UDP server; empty: Unix sockets
	Port   int    // UDP control port of the server; 0: 7070
}

const defaultPort = 7070

// ParseOptions parses [SOCKET][@NODE] or udp:HOST[:PORT][@NODE]. Missing parts come from the
// environment, as in the programs of ibsim.
func ParseOptions(text string, env func(string) string) (Options, error) {
	where, node, _ := strings.Cut(text, "@")
	o := Options{Node: node, Base: env("IBSIM_SOCKNAME"), Server: env("IBSIM_SERVER_NAME")}
	if node == "" {
		o.Node = env("SIM_HOST")
	}
	port := env("IBSIM_SERVER_PORT")
	if host, ok := strings.CutPrefix(where, "udp:"); ok {
		o.Server, port, _ = strings.Cut(host, ":")
		if o.Server == "" {
			return o, fmt.Errorf("ibsim:%s: no host is named", text)
		}
	} else if where != "" {
		o.Base, o.Server = where, ""
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return o, fmt.Errorf("ibsim:%s: %q is not a UDP port", text, port)
		}
		o.Port = int(n)
	}
	return o, nil
}

// socket is a datagram socket of a simulator's peer.
type socket interface {
	net.Conn
	syscall.Conn
}

// sockets holds the two sockets of a client, and the data to connect them.
type sockets struct {
	o         Options
	id        uint32
	ctl, data socket
	files     []string // removed at the end
	server    net.IP
}

// attachments counts the attachments of this process.
var attachments atomic.Uint32

// openSockets binds the control socket, connected to the server, and the data socket, which the
// server connects to at ControlConnect.
func openSockets(o Options) (*sockets, error) {
	s := &sockets{o: o}
	err := s.open()
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sockets) open() error {
	if s.o.Server != "" {
		return s.openUDP()
	}
	// IDs of C programs are process numbers. Ours are far above, so that they collide neither with
	// each other nor with other programs.
	for range 1000 {
		s.id = uint32(os.Getpid())<<8&0x3FFFFFFF | 1<<30 + attachments.Add(1)&0xFF
		err := s.openUnix()
		if !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		s.close()
	}
	return errors.New("ibsim: no free client id")
}

func (s *sockets) openUnix() error {
	id := strconv.FormatUint(uint64(s.id), 10)
	name := s.name("ctl" + id)
	ctl, err := net.DialUnix("unixgram", name, s.name("ctl"))
	s.bound(name, err)
	if err != nil {
		return err
	}
	s.ctl = ctl
	name = s.name("in" + id)
	data, err := net.ListenUnixgram("unixgram", name)
	s.bound(name, err)
	if err != nil {
		return err
	}
	s.data = data
	return nil
}

func (s *sockets) openUDP() error {
	ctl, err := net.Dial("udp4", net.JoinHostPort(s.o.Server, strconv.Itoa(s.o.Port)))
	if err != nil {
		return err
	}
	s.ctl = ctl.(*net.UDPConn)
	s.server = ctl.RemoteAddr().(*net.UDPAddr).IP
	data, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return err
	}
	s.data = data
	s.id = uint32(data.LocalAddr().(*net.UDPAddr).Port)
	return nil
}

// UnixAddr returns the address of the Unix socket for a role, such as ctl: a file in a directory,
// or an abstract name if dir is empty. An abstract name ends in a NUL, which counts.
func UnixAddr(dir, base, role string) *net.UnixAddr {
	name := "@" + base + ":" + role + "\x00"
	if dir != "" {
		name = filepath.Join(dir, base+":"+role)
	}
	return &net.UnixAddr{Net: "unixgram", Name: name}
}

func (s *sockets) name(role string) *net.UnixAddr { return UnixAddr(s.o.Dir, s.o.Base, role) }

// bound records a file of ours. If the name was in use, it is somebody else's.
func (s *sockets) bound(name *net.UnixAddr, err error) {
	if s.o.Dir != "" && !errors.Is(err, syscall.EADDRINUSE) {
		s.files = append(s.files, name.Name)
	}
}

// connectData connects the data socket to the server's data socket for our slot.
func (s *sockets) connectData(slot uint32) error {
	var to syscall.Sockaddr
	if s.o.Server != "" {
		to = &syscall.SockaddrInet4{Port: s.o.Port + 1 + int(slot), Addr: [4]byte(s.server.To4())}
	} else {
		to = &syscall.SockaddrUnix{Name: s.name("out" + strconv.FormatUint(uint64(slot), 10)).Name}
	}
	raw, err := s.data.SyscallConn()
	if err != nil {
		return err
	}
	var connectErr error
	if err := raw.Control(func(fd uintptr) { connectErr = syscall.Connect(int(fd), to) }); err != nil {
		return err
	}
	if connectErr != nil {
		return fmt.Errorf("ibsim: connecting to the data socket of slot %d: %w", slot, connectErr)
	}
	return nil
}

// takeData hands the data socket over.
func (s *sockets) takeData() (*dataSocket, error) {
	d, err := newDataSocket(s.data)
	if err == nil {
		_ = s.data.Close() // the other descriptor stays
		s.data = nil
	}
	return d, err
}

// close closes the sockets that were not handed over.
func (s *sockets) close() {
	for _, c := range []socket{s.ctl, s.data} {
		// A nil interface: the socket was never created.
		if c != nil {
			_ = c.Close()
		}
	}
	s.ctl, s.data = nil, nil
	for _, f := range s.files {
		_ = os.Remove(f)
	}
	s.files = nil
}
