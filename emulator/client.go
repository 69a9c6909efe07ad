package emulator

import (
	"fmt"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// Client describes a program's attachment to a port.
type Client struct {
	// At is the port: port 0 of a switch, another port of other nodes.
	At fabric.End
	// Deliver receives a datagram for the program. It must copy whatever it keeps, and must not
	// call the Subnet.
	Deliver func(d *wire.Datagram)
	// ReturnLost returns lost requests, and lost answers to requests, to the program at once,
	// marked Undelivered. It is for programs without timers of their own. A request whose answer
	// was lost may come with the answer's attribute.
	ReturnLost bool
	// OnlySM blocks requests of other programs unless SetIsSM was called.
	OnlySM bool
}

// client is an attached program.
type client struct {
	Client
	port int32
	used bool
	isSM bool
}

// ClientID names an attachment. It also fills bits 63..48 of the transaction IDs of its requests,
// which route the answers back to it.
type ClientID uint16

// Attach attaches a program to a port. A port may have several.
func (s *Subnet) Attach(c Client) (ClientID, error) {
	p, err := s.portAt(c.At)
	if err != nil {
		return 0, err
	}
	if s.agentPort(p) != p {
		return 0, fmt.Errorf("emulator: programs attach to port 0 of a switch, not to port %d of %s", c.At.Port, s.fab.NodeName(c.At.Node))
	}
	i := 0
	for i < len(s.clients) && s.clients[i].used {
		i++
	}
	if i == 1<<16-1 {
		return 0, fmt.Errorf("emulator: %d programs are attached: no room for more", i)
	}
	if i == len(s.clients) {
		s.clients = append(s.clients, client{})
	}
	s.clients[i] = client{Client: c, port: p, used: true}
	return ClientID(i + 1), nil
}

// client finds an attachment, nil if there is none.
func (s *Subnet) client(id ClientID) *client {
	if i := int(id) - 1; i >= 0 && i < len(s.clients) && s.clients[i].used {
		return &s.clients[i]
	}
	return nil
}

// Detach ends an attachment, and its IsSM.
func (s *Subnet) Detach(id ClientID) {
	if c := s.client(id); c != nil {
		s.SetIsSM(id, false)
		*c = client{}
	}
}

// SetIsSM says whether a program is a subnet manager. The IsSM bit of the port's CapabilityMask is
// set while one of its programs is; when the bit changes, the port sends trap 144.
func (s *Subnet) SetIsSM(id ClientID, on bool) {
	c := s.client(id)
	if c == nil || c.isSM == on {
		return
	}
	c.isSM = on
	is := s.smAt(c.port) >= 0
	b := s.ports[c.port].info[:]
	mask := mad.PortInfoCapabilityMask.Get(b)
	if was := mask&mad.CapIsSM != 0; was != is {
		mad.PortInfoCapabilityMask.Put(b, mask^mad.CapIsSM)
		s.changesTrap(c.port, 0)
	}
}

// smAt returns the first subnet manager on a port, -1 if there is none.
func (s *Subnet) smAt(port int32) int32 {
	for i := range s.clients {
		if c := &s.clients[i]; c.used && c.isSM && c.port == port {
			return int32(i)
		}
	}
	return -1
}

// Send takes a datagram from a program. The Subnet owns d and its memory until Send returns.
func (s *Subnet) Send(id ClientID, d *wire.Datagram) {
	c := s.client(id)
	if c == nil {
		return
	}
	s.stats.Sent++
	by := origin{client: int32(id) - 1}
	m := d.MAD
	if len(m) < wire.Size && (len(m) < mad.SAHeader.Size || !m.Class().HasRMPP()) || m[0] != 1 {
		s.lose(d, by, LostMalformed)
		return
	}
	if !m.Method().IsResponse() {
		mad.HeaderTransactionID.Put(m, m.TID()&(1<<48-1)|uint64(id)<<48)
	}
	if s.nodes[s.ports[c.port].node].off {
		s.lose(d, by, LostDown)
		return
	}
	if d.Addr.SLID == 0 {
		d.Addr.SLID = s.lid(c.port)
	}
	s.transmit(c.port, d, by)
}

// lid returns the base LID of an end port.
func (d *devices) lid(p int32) uint16 { return uint16(mad.PortInfoLID.Get(d.ports[p].info[:])) }

// arrive hands a datagram to its receiver: the agents of the node, a program on the port, or a
// router.
func (s *Subnet) arrive(t *arrival, d *wire.Datagram, by origin) {
	m, port := d.MAD, t.port
	if isMulticast(d) {
		s.takeMulticast(port, d, by)
		return
	}
	response := m.Method().IsResponse()
	switch c := m.Class(); {
	case s.passesOn(t, d) || s.asksRouter(port, d, by):
	case c == mad.ClassSMP || c == mad.ClassDirectedSMP:
		switch {
		case m.Method() == mad.TrapRepress && s.repressed(port, m):
		case response || m.Attr() == mad.AttrSMInfo || m.Method() == mad.Trap:
			s.deliver(port, d, by)
		default:
			s.answerSMP(port, t.in, d, by)
		}
	case c == mad.ClassPerf && !response:
		s.answerPerf(port, d, by)
	case c == mad.ClassCC && !response:
		s.answerCongestion(port, d, by)
	default:
		s.deliver(port, d, by)
	}
}

// deliver hands a datagram to a program on a port: an answer to the requester, anything else to a
// subnet manager or to another program that takes it.
func (s *Subnet) deliver(port int32, d *wire.Datagram, by origin) {
	to := int32(-1)
	response := d.MAD.Method().IsResponse()
	if response {
		to = s.asker(port, d.MAD, by)
	}
	for i := range s.clients {
		if to >= 0 {
			break
		}
		if c := &s.clients[i]; c.used && c.port == port && c.isSM && !(response && int32(i) == by.client) {
			to = int32(i)
		}
	}
	for i := range s.clients {
		if to >= 0 {
			break
		}
		if c := &s.clients[i]; c.used && c.port == port && !c.OnlySM && !(response && int32(i) == by.client) {
			to = int32(i)
		}
	}
	if to < 0 {
		s.lose(d, by, LostNobody)
		return
	}
	s.stats.Delivered++
	s.clients[to].Deliver(d)
}

// asker finds the program on a port whose request a datagram answers, -1 if there is none. An RMPP
// acknowledgement carries its sender's transaction ID, so it never returns to that program. An
// answer may: a umad device is one program here, and may hold a manager and its requesters.
func (s *Subnet) asker(port int32, m mad.Datagram, by origin) int32 {
	id := ClientID(m.TID() >> 48)
	own := by.method == 0 && int32(id)-1 == by.client && wire.RMPPControl(m)
	if c := s.client(id); c == nil || c.port != port || own {
		return -1
	}
	return int32(id) - 1
}

// lose counts a lost datagram, and returns it to a client with ReturnLost.
func (s *Subnet) lose(d *wire.Datagram, by origin, cause Cause) {
	s.stats.Lost[cause]++
	if by.client < 0 {
		return
	}
	c := &s.clients[by.client]
	if !c.used || !c.ReturnLost || len(d.MAD) < mad.Header.Size {
		return
	}
	if by.method != 0 {
		s.restoreRequest(d, by.method)
	}
	d.Undelivered = true
	c.Deliver(d)
}

// Return takes back a datagram delivered to a program that ended before reading it. A request of
// another program is lost for lack of a receiver.
func (s *Subnet) Return(d *wire.Datagram) {
	id := ClientID(d.MAD.TID() >> 48)
	if s.client(id) == nil || d.Undelivered || d.MAD.Method().IsResponse() {
		return
	}
	s.lose(d, origin{client: int32(id) - 1}, LostNobody)
}

// restoreRequest turns an answer back into its request.
func (s *Subnet) restoreRequest(d *wire.Datagram, method mad.Method) {
	d.MAD.SetStatus(0)
	if d.MAD.Class() == mad.ClassDirectedSMP {
		mad.DirectedSMPDirection.Put(d.MAD, 0)
	} else {
		d.Addr = d.Addr.Reply()
	}
	mad.HeaderMethod.Put(d.MAD, uint64(method))
}

// answer sends an agent's answer to a request, in place.
func (s *Subnet) answer(port int32, in uint8, d *wire.Datagram, by origin, status mad.Status) {
	by.method = d.MAD.Method()
	if !d.MAD.Answer(status) {
		by.method = 0
		s.lose(d, by, LostMalformed)
		return
	}
	s.stats.Answered++
	from := port
	if d.MAD.Class() != mad.ClassDirectedSMP {
		d.Addr = d.Addr.Reply()
		if d.Addr.GRH.Present {
			d.Addr.GRH.HopLimit = answerHops
		}
	} else if n := &s.nodes[s.ports[port].node]; n.sw >= 0 {
		from = n.first + int32(in)
	}
	s.transmit(from, d, by)
}
