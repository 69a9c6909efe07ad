package ibsimd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
)

// client is an attached program.
type client struct {
	slot    int
	id      uint32            // the client's own name
	control string            // address of its control socket
	data    net.Addr          // of its data socket
	conn    net.Conn          // of its slot, connected to data
	at      fabric.End        // port of the attachment
	program emulator.ClientID // in the subnet
	in      *wire.Inbox       // towards the client
	asked   unanswered        // by others, already written to the client
	isSM    bool              // it is the subnet manager of its node; under Server.mu
	leave   sync.Once
}

// connect gives a new client a slot.
func (s *Server) connect(c *ibsim.Control, from net.Addr) error {
	who := c.Client()
	x := &client{id: who.ID, control: from.String(), in: wire.NewInbox()}
	var err error
	if x.data, err = s.net.dataSocket(who.ID, from); err != nil {
		return err
	}
	s.l.Do(func(sub *emulator.Subnet) { x.at, err = sub.FindEnd(who.Node) })
	if err != nil {
		return err
	}
	// An address belongs to one socket: an earlier client with this one has gone.
	s.releaseIf("replaced", func(y *client) bool {
		return y.control == x.control || y.data.String() == x.data.String()
	})
	s.releaseDead()
	if who.IsSM && s.hasSM(x.at.Node, x) {
		return errSecondSM
	}
	if err := s.attach(x); err != nil {
		return err
	}
	who.ID, who.Node = uint32(x.slot), s.nodeID(x.at.Node)
	c.Slot = who.ID
	return who.Put(c)
}

var (
	errSecondSM = errors.New("another client of this node is a subnet manager")
	errNoSlot   = errors.New("no slot is free")
)

// takeSlot gives a client the first free slot whose data socket is available: another program may
// have its UDP port.
func (s *Server) takeSlot(x *client) (err error) {
	s.mu.Lock()
	clients := s.clients
	s.mu.Unlock()
	err = errNoSlot
	for slot, taken := range clients {
		if taken != nil {
			continue
		}
		x.slot = slot
		if x.conn, err = s.net.dial(slot, x.data); err == nil {
			break
		}
	}
	return err
}

// attach gives a client a slot, attaches it to the subnet and starts to move its datagrams. The
// client library sets IsSM later, by a separate message.
func (s *Server) attach(x *client) (err error) {
	if err := s.takeSlot(x); err != nil {
		return err
	}
	s.l.Do(func(sub *emulator.Subnet) {
		x.program, err = sub.Attach(emulator.Client{
			At: x.at, ReturnLost: true, OnlySM: true,
			Deliver: func(d *wire.Datagram) { x.in.Push(d) },
		})
	})
	if err != nil {
		_ = x.conn.Close()
		s.net.forget(x.slot)
		return err
	}
	s.mu.Lock()
	s.clients[x.slot] = x
	s.mu.Unlock()
	s.o.Log(fmt.Sprintf("slot %d: client %d attached to %s port %d", x.slot, x.id, s.nodeID(x.at.Node), x.at.Port))
	s.pumps.Go(func() { s.fromClient(x) })
	s.pumps.Go(func() { s.toClient(x) })
	return nil
}

// nodeID names a node in the form of ibsim's net files.
func (s *Server) nodeID(id fabric.NodeID) (name string) {
	s.l.Do(func(sub *emulator.Subnet) { name = sub.NodeID(id) })
	return name
}

// hasSM reports whether a client other than x is the subnet manager of a node.
func (s *Server) hasSM(node fabric.NodeID, x *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.clients[:], func(y *client) bool {
		return y != nil && y != x && y.isSM && y.at.Node == node
	})
}

// setIsSM says whether a client is the subnet manager of its node.
func (s *Server) setIsSM(x *client, on bool) error {
	if on {
		s.releaseDead()
		if s.hasSM(x.at.Node, x) {
			return errSecondSM
		}
	}
	s.mu.Lock()
	x.isSM = on
	s.mu.Unlock()
	s.l.Do(func(sub *emulator.Subnet) { sub.SetIsSM(x.program, on) })
	return nil
}

// watchInterval is the time between checks for dead clients.
const watchInterval = time.Second

// watch releases clients that ended without a message, until ctx ends.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.releaseDead()
		case <-ctx.Done():
			return
		}
	}
}

// releaseDead releases the clients whose data socket is gone.
func (s *Server) releaseDead() {
	s.releaseIf("gone", func(x *client) bool { return !s.net.exists(x.data) })
}

// releaseIf releases the clients that meet a condition.
func (s *Server) releaseIf(why string, holds func(*client) bool) {
	s.mu.Lock()
	clients := s.clients
	s.mu.Unlock()
	for _, x := range clients {
		if x != nil && holds(x) {
			s.release(x, why)
		}
	}
}

// release detaches a client and frees its slot. Its unanswered requests return to their senders.
func (s *Server) release(x *client, why string) {
	x.leave.Do(func() {
		s.l.Do(func(sub *emulator.Subnet) { sub.Detach(x.program) })
		s.returnUnread(x)
		s.l.Do(x.asked.returnTo)
		x.in.Close(nil)
		_ = x.conn.Close()
		s.net.forget(x.slot)
		s.mu.Lock()
		s.clients[x.slot] = nil
		s.mu.Unlock()
		s.o.Log(fmt.Sprintf("slot %d: client %d: %s", x.slot, x.id, why))
	})
}

// returnUnread returns the datagrams that wait for a client to the subnet.
func (s *Server) returnUnread(x *client) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // makes Pop return immediately
	for d := new(wire.Datagram); x.in.Pop(ctx, d) == nil; {
		s.l.Do(func(sub *emulator.Subnet) { sub.Return(d) })
	}
}

// fromClient passes the datagrams of a client to the subnet. If a datagram to a UDP client was
// refused, the error comes with the next read.
func (s *Server) fromClient(x *client) {
	buf := make([]byte, 2*ibsim.DataSize)
	for {
		n, err := x.conn.Read(buf)
		if err != nil {
			s.release(x, "gone")
			return
		}
		d, err := ibsim.ParseData(buf[:n])
		if err != nil {
			continue // ibsim drops malformed datagrams, too
		}
		// Dropped here, as in ibsim: the client would not expect an answer.
		d.Undelivered = false
		x.asked.answer(d.MAD)
		s.l.Send(x.program, &d)
	}
}

// toClient writes the subnet's datagrams for a client, until either is closed.
func (s *Server) toClient(x *client) {
	var d wire.Datagram
	var buf []byte
	for {
		if err := x.in.Pop(context.Background(), &d); err != nil {
			return
		}
		if len(d.MAD) > wire.Size {
			d.MAD = d.MAD[:wire.Size] // a whole RMPP message: the protocol has no more room
		}
		hideLateCounters(d.MAD)
		var err error
		if buf, err = ibsim.AppendData(buf[:0], &d); err != nil {
			continue // shorter than a header: no client sends such a thing
		}
		if !x.asked.add(&d) {
			s.l.Do(func(sub *emulator.Subnet) { sub.Return(&d) })
			return
		}
		if _, err := x.conn.Write(buf); err != nil {
			s.release(x, "gone")
			return
		}
	}
}

// hideLateCounters makes a device say that its PortCountersExtended ends before the error counters.
// The preload library hands programs only the first 224 or 232 bytes of a datagram; the last
// counters would be random memory of theirs.
func hideLateCounters(m mad.Datagram) {
	if m.Class() == mad.ClassPerf && m.Method().IsResponse() && m.Attr() == mad.AttrClassPortInfo {
		mask := mad.ClassPortInfoCapabilityMask2.Get(m.Data())
		mad.ClassPortInfoCapabilityMask2.Put(m.Data(), mask&^mad.PerfCap2ExtendedErrors)
	}
}
