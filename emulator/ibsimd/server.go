// Package ibsimd serves an emulated subnet over the protocol of ibsim, so that unmodified OpenSM
// and infiniband-diags attach to it with the preload library libumad2sim (ibsim-run). The datagrams
// are in the format of package wire/ibsim. Sockets are Unix sockets in the abstract namespace (the
// library's default), Unix sockets in a directory (for our own client), or UDP.
//
// As with ibsim, undeliverable datagrams come back at once with status 110: these clients have no
// timers of their own. Requests of others go only to clients that have set IsSM.
//
// If a client ends without a message, the server notices that its data socket is gone: within a
// second, and before it refuses anybody a slot or IsSM. The slot and IsSM become free, and
// unanswered requests (the last 256 written to the client) return to their senders. Over UDP this
// works for clients on this machine; the end of a remote client shows when a datagram to it is
// refused. (ibsim notices when it next writes to the client.)
//
// libumad2sim hands programs only the first 224 bytes of a datagram (232 with the short header),
// and leaves the rest of their memory as it was. So the error counters of PortCountersExtended are
// not offered to clients: programs read the ones of PortCounters.
//
// Deviations from ibsim: up to 64 clients instead of 10. A client that does not read delays only
// itself, and loses datagrams when 65,536 wait for it. The server refuses a client without a data
// socket, a request for another client's slot, and a second subnet manager of a node. A socket has
// one slot at a time, the last one requested. In the control protocol, NodeInfo's node GUID is such
// that the library, which adds the port number to it, gets the true port GUID.
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

	"weft/emulator/live"
	"weft/wire/ibsim"
)

// Options of a Server.
type Options struct {
	Base string // of the Unix socket names; empty: "sim"
	Dir  string // Unix sockets are files in this directory; empty: abstract names
	// UDP is the address of the control socket, such as "127.0.0.1:7070"; data sockets use the
	// ports after it. Empty: Unix sockets.
	UDP string
	// Log is called when clients attach and leave; it may be nil.
	Log func(text string)
}

// slots is the maximum number of clients.
const slots = 64

// Server serves the clients of one subnet.
type Server struct {
	l     *live.Live
	o     Options
	net   *sockets
	stop  func()         // ends watch
	ctl   sync.WaitGroup // serve and watch
	pumps sync.WaitGroup // fromClient and toClient of all clients

	mu      sync.Mutex
	clients [slots]*client // by slot; written by serve, cleared by release
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
	s := &Server{l: l, o: o, net: n}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.ctl.Go(s.serve)
	s.ctl.Go(func() { s.watch(ctx) })
	return s, nil
}

// Close ends all attachments and waits for the goroutines of the server.
func (s *Server) Close() {
	s.net.close()
	s.stop()
	s.ctl.Wait()
	s.releaseIf("the server is closing", func(*client) bool { return true })
	s.pumps.Wait()
}

// serve answers control datagrams until the socket is closed.
func (s *Server) serve() {
	buf := make([]byte, 2*ibsim.ControlSize)
	for {
		n, from, err := s.net.control.ReadFrom(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // a client that has gone and refuses an answer
		}
		if reply, ok := s.handle(buf[:n], from); ok {
			s.net.reply(reply, from)
		}
	}
}

// handle answers one control datagram; ok is false if there is no answer.
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

var errNotAttached = errors.New("the client does not have this slot")

// control executes a control datagram, and turns it into the answer.
func (s *Server) control(c *ibsim.Control, from net.Addr) error {
	if c.Type == ibsim.ControlConnect {
		return s.connect(c, from)
	}
	s.mu.Lock()
	x := s.clients[c.Slot]
	s.mu.Unlock()
	if x == nil || x.control != from.String() {
		return errNotAttached
	}
	switch c.Type {
	case ibsim.ControlDisconnect:
		s.release(x, "detached")
	case ibsim.ControlSetIsSM:
		return s.setIsSM(x, binary.LittleEndian.Uint32(c.Data[:]) != 0)
	default:
		return s.tell(x, c)
	}
	return nil
}
