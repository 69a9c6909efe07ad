// Package ibsimd serves an emulated subnet over the protocol of ibsim, so that
// unmodified OpenSM and infiniband-diags attach to it with the preload library
// libumad2sim (ibsim-run). The datagrams are those of package wire/ibsim; sockets
// are Unix sockets in the abstract namespace (what the library uses by default),
// Unix sockets in a directory (for our own client), or UDP.
//
// As with ibsim, what cannot be delivered comes back at once with status 110:
// these clients have no timers of their own. Requests of others go to clients that
// have set IsSM, and to no other.
//
// Deviations from ibsim: up to 64 clients instead of 10; a client that does not
// read delays nobody but itself, and loses datagrams when 65,536 wait for it; a
// client whose data socket is not there is refused; so is who asks for another
// client's slot. The NodeInfo that the control
// protocol tells has such a node GUID that the library, which adds the port number
// to it, gets the true port GUID.
//
// Source: observation of ibsim 0.10 and libumad2sim 0.10, both directions.
package ibsimd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/wire"
	"weft/wire/ibsim"
)

// Options of a Server.
type Options struct {
	Base string // of the Unix socket names; empty: "sim"
	Dir  string // Unix sockets are files in this directory; empty: abstract names
	// UDP is the address of the control socket, such as "127.0.0.1:7070"; the data
	// sockets have the ports that follow. Empty: Unix sockets.
	UDP string
	// Log is told who attaches and leaves; nil: nobody is.
	Log func(text string)
}

// slots is how many clients there may be.
const slots = 64

// Server serves the clients of one subnet.
type Server struct {
	l    *live.Live
	o    Options
	net  *sockets
	door chan struct{} // closed when control datagrams are served no more
	done sync.WaitGroup

	mu    sync.Mutex
	slots [slots]*slot
}

// slot is one client.
type slot struct {
	conn   net.Conn
	id     emulator.ClientID
	at     fabric.End
	isSM   bool
	in     *wire.Inbox // towards the client
	client uint32      // as it calls itself
	from   string      // its control socket
}

// Listen binds the control socket and starts to serve.
func Listen(l *live.Live, o Options) (*Server, error) {
	if o.Base == "" {
		o.Base = "sim"
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	n, err := listen(o)
	if err != nil {
		return nil, err
	}
	s := &Server{l: l, o: o, net: n, door: make(chan struct{})}
	go s.serve()
	return s, nil
}

// Close ends all attachments and waits for the goroutines of the server.
func (s *Server) Close() {
	s.net.close()
	<-s.door
	for i := range s.slots {
		s.release(i, nil, "the server is closing")
	}
	s.done.Wait()
}

// serve answers control datagrams until the socket is closed.
func (s *Server) serve() {
	defer close(s.door)
	buf := make([]byte, 2*ibsim.ControlSize)
	for {
		n, from, err := s.net.control.ReadFrom(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // a client that has gone: its refusal of an answer
		}
		if reply, ok := s.handle(buf[:n], from); ok {
			s.net.reply(reply, from)
		}
	}
}

// handle answers one control datagram; ok is false where there is no answer.
func (s *Server) handle(b []byte, from net.Addr) (reply []byte, ok bool) {
	c, err := ibsim.ParseControl(b)
	if err != nil || c.Slot >= slots {
		return nil, false
	}
	if err := s.control(&c, from); err != nil {
		s.o.Log(fmt.Sprintf("slot %d: refused: %v", c.Slot, err))
		c.Type = ibsim.ControlError
	}
	return c.Append(nil), true
}

var errNotAttached = errors.New("the client has not this slot")

// control does what a control datagram asks for, and makes it the answer.
func (s *Server) control(c *ibsim.Control, from net.Addr) error {
	if c.Type == ibsim.ControlConnect {
		return s.connect(c, from)
	}
	s.mu.Lock()
	x := s.slots[c.Slot]
	s.mu.Unlock()
	if x == nil || x.from != from.String() {
		return errNotAttached
	}
	switch c.Type {
	case ibsim.ControlDisconnect:
		s.release(int(c.Slot), x, "detached")
	case ibsim.ControlSetIsSM:
		return s.setIsSM(x, binary.LittleEndian.Uint32(c.Data[:]) != 0)
	default:
		return s.tell(x, c)
	}
	return nil
}

// connect gives a new client a slot.
func (s *Server) connect(c *ibsim.Control, from net.Addr) error {
	who := c.Client()
	x := &slot{in: wire.NewInbox(), client: who.ID, from: from.String()}
	var err error
	var node fabric.NodeID
	s.l.Do(func(sub *emulator.Subnet) {
		if who.Node == "" {
			x.at, err = sub.DefaultEnd()
			return
		}
		if node, err = sub.NodeByName(who.Node); err == nil {
			x.at, err = sub.EndOf(node)
		}
	})
	if err != nil {
		return err
	}
	i, err := s.claim(x, who.IsSM)
	if err != nil {
		return err
	}
	if err := s.open(i, x, from); err != nil {
		s.mu.Lock()
		s.slots[i] = nil
		s.mu.Unlock()
		return err
	}
	who.ID, who.Node = uint32(i), s.nodeID(x.at.Node)
	c.Slot = uint32(i)
	return who.Put(c)
}

// claim takes a free slot. There is one subnet manager a node.
func (s *Server) claim(x *slot, isSM bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := -1
	for i, y := range s.slots {
		switch {
		case y == nil && free < 0:
			free = i
		case y != nil && isSM && y.isSM && y.at.Node == x.at.Node:
			return 0, errors.New("another client of this node is a subnet manager")
		}
	}
	if free < 0 {
		return 0, errors.New("no slot is free")
	}
	s.slots[free] = x
	return free, nil
}

// open attaches a client to the subnet and starts to move its datagrams. IsSM is
// set by a message of its own, as the client library sends it.
func (s *Server) open(i int, x *slot, from net.Addr) error {
	conn, err := s.net.dial(i, x.client, from)
	if err != nil {
		return err
	}
	s.l.Do(func(sub *emulator.Subnet) {
		x.id, err = sub.Attach(emulator.Client{
			At: x.at, ReturnLost: true, OnlySM: true,
			Deliver: func(d *wire.Datagram) { x.in.Push(d) },
		})
	})
	if err != nil {
		_ = conn.Close()
		return err
	}
	s.mu.Lock()
	x.conn = conn
	s.mu.Unlock()
	s.o.Log(fmt.Sprintf("slot %d: client %d attached to %s port %d", i, x.client, s.nodeID(x.at.Node), x.at.Port))
	s.done.Add(2)
	go s.fromClient(i, x)
	go s.toClient(i, x)
	return nil
}

// nodeID names a node as ibsim does in its net files.
func (s *Server) nodeID(id fabric.NodeID) (name string) {
	s.l.Do(func(sub *emulator.Subnet) { name = sub.NodeID(id) })
	return name
}

// release ends the client of a slot; x says which one, nil any.
func (s *Server) release(i int, x *slot, why string) {
	s.mu.Lock()
	y := s.slots[i]
	if y == nil || y.conn == nil || x != nil && y != x {
		s.mu.Unlock()
		return
	}
	s.slots[i] = nil
	s.mu.Unlock()
	s.l.Do(func(sub *emulator.Subnet) { sub.Detach(y.id) })
	y.in.Close(nil)
	_ = y.conn.Close()
	s.net.forget(i)
	s.o.Log(fmt.Sprintf("slot %d: client %d: %s", i, y.client, why))
}

// fromClient brings the datagrams of a client into the subnet.
func (s *Server) fromClient(i int, x *slot) {
	defer s.done.Done()
	buf := make([]byte, 2*ibsim.DataSize)
	for {
		n, err := x.conn.Read(buf)
		if err != nil {
			if !errors.Is(err, syscall.ECONNREFUSED) {
				s.release(i, x, "gone")
				return
			}
			continue // the answer to a datagram that could not be delivered; the writer sees it too
		}
		d, err := ibsim.ParseData(buf[:n])
		if err != nil {
			continue // ibsim drops what is malformed, too
		}
		// What ibsim would drop is dropped here: an answer would not be expected.
		d.Undelivered = false
		s.l.Send(x.id, &d)
	}
}

// toClient writes what the subnet has for a client, until either is closed.
func (s *Server) toClient(i int, x *slot) {
	defer s.done.Done()
	var d wire.Datagram
	var buf []byte
	for {
		if err := x.in.Pop(context.Background(), &d); err != nil {
			return
		}
		if len(d.MAD) > wire.Size {
			d.MAD = d.MAD[:wire.Size] // a whole RMPP message: the protocol has no more room
		}
		var err error
		if buf, err = ibsim.AppendData(buf[:0], &d); err != nil {
			continue // shorter than a header: no client sends such a thing
		}
		if _, err := x.conn.Write(buf); err != nil {
			s.release(i, x, "gone")
			return
		}
	}
}
