package emulator

import (
	"time"

	"weft/mad"
	"weft/wire"
)

// Cause is why a datagram was lost.
type Cause uint8

// The causes.
const (
	LostMalformed Cause = iota // not a datagram, or a directed route that nobody could send
	LostDown                   // by a port whose link is down
	LostInactive               // not a subnet management packet, and a link not Active
	LostRoute                  // no entry in a forwarding table, or a port that is not there
	LostLoop                   // went round in circles
	LostLane                   // its SL maps to a VL that the link does not have
	LostImpaired               // on a link with losses
	LostSilent                 // the agent answers nothing
	LostMKey                   // wrong M_Key
	LostNobody                 // no program is attached there that would take it
	numCauses
)

var causeNames = [numCauses]string{
	"malformed", "link down", "link not active", "no route", "routing loop", "no lane",
	"impaired link", "silent agent", "wrong M_Key", "nobody there",
}

// String is the cause in words.
func (c Cause) String() string {
	if c < numCauses {
		return causeNames[c]
	}
	return "unknown"
}

// origin is who is told of a loss: the client that sent a request, which is
// given back with the method that it had.
type origin struct {
	client int32 // -1: nobody
	method mad.Method
}

// trip is a way through the subnet.
type trip struct {
	port  int32 // where it ends
	in    uint8 // port of that node by which it comes in
	twice bool  // a link has duplicated the datagram
	delay time.Duration
}

// launch sends a datagram from a port. All of its way is decided now, by the
// state and the tables that the links and switches have at this moment.
func (s *Subnet) launch(from int32, d *wire.Datagram, by origin) {
	t, ok := s.carry(from, d)
	if !ok {
		s.lose(d, by)
		return
	}
	if n := &s.nodes[s.ports[t.port].node]; n.slow > 0 && !d.MAD.Method().IsResponse() {
		t.delay += n.slow
	}
	if t.twice {
		s.fly(t, d, by, t.delay+s.echo())
	}
	if t.delay > 0 {
		s.fly(t, d, by, t.delay)
		return
	}
	s.arrive(t.port, t.in, d, by)
}

// carry finds where a datagram ends; ok is false when it is lost on the way, for
// the reason in s.lost.
func (s *Subnet) carry(from int32, d *wire.Datagram) (t trip, ok bool) {
	t.in = s.ports[from].num
	if d.MAD.Class() != mad.ClassDirectedSMP {
		return t, s.byLID(from, d, &t)
	}
	m := d.MAD
	if mad.DirectedSMPHopPointer.Get(m) != 0 || mad.DirectedSMPHopCount.Get(m) > mad.MaxHops ||
		mad.DirectedSMPDrSLID.Get(m) != wire.Permissive || mad.DirectedSMPDrDLID.Get(m) != wire.Permissive ||
		mad.DirectedSMPDirection.Is(m) != m.Method().IsResponse() {
		return t, s.because(LostMalformed)
	}
	if m.Method().IsResponse() {
		return t, s.back(from, m, &t)
	}
	return t, s.out(from, m, &t)
}

// because notes the cause of a loss; it is always false.
func (s *Subnet) because(c Cause) bool {
	s.lost = c
	return false
}

// out follows the initial path of a directed route and writes the return path.
func (s *Subnet) out(from int32, m mad.Datagram, t *trip) bool {
	initial, ret := mad.DirectedSMPInitialPath.Get(m), mad.DirectedSMPReturnPath.Get(m)
	hops := int(mad.DirectedSMPHopCount.Get(m))
	at := from
	for h := 1; h <= hops; h++ {
		n := &s.nodes[s.ports[at].node]
		p := initial[h]
		if p == 0 || p > n.numPorts || n.sw < 0 && (h > 1 || p != s.ports[from].num) {
			return s.because(LostRoute)
		}
		q, ok := s.cross(n.first+int32(p), t)
		if !ok {
			return false
		}
		t.in = s.ports[q].num
		ret[h] = t.in
		at = q
	}
	t.port = s.agentPort(at)
	return true
}

// back follows the return path of a directed route to its beginning.
func (s *Subnet) back(from int32, m mad.Datagram, t *trip) bool {
	ret := mad.DirectedSMPReturnPath.Get(m)
	hops := int(mad.DirectedSMPHopCount.Get(m))
	at := from
	for h := hops; h > 0; h-- {
		n := &s.nodes[s.ports[at].node]
		p := ret[h]
		if p == 0 || p > n.numPorts || n.sw < 0 && (h < hops || p != s.ports[from].num) {
			return s.because(LostRoute)
		}
		q, ok := s.cross(n.first+int32(p), t)
		if !ok {
			return false
		}
		t.in = s.ports[q].num
		at = q
	}
	t.port = s.agentPort(at)
	return true
}

// cross sends a datagram out of port e to its peer q.
func (s *Subnet) cross(e int32, t *trip) (q int32, ok bool) {
	q = s.ports[e].peer
	if q < 0 {
		s.counts[e][xmitDiscards]++
		return 0, s.because(LostDown)
	}
	if s.impaired && !s.impair(e, q, t) {
		return 0, false
	}
	x, r := &s.counts[e], &s.counts[q]
	x[xmitPkts]++
	x[xmitData] += wordsPerPacket
	r[rcvPkts]++
	r[rcvData] += wordsPerPacket
	return q, true
}

// owns reports whether a LID is one of an end port's.
func (s *Subnet) owns(p int32, lid uint16) bool {
	b := s.ports[p].info[:]
	base := uint16(mad.PortInfoLID.Get(b))
	lmc := mad.PortInfoLMC.Get(b)
	return base != 0 && lid>>lmc == base>>lmc
}

// byLID follows the forwarding tables.
func (s *Subnet) byLID(from int32, d *wire.Datagram, t *trip) bool {
	lid := d.Addr.DLID
	if lid == 0 || lid > 0xBFFF {
		return s.because(LostRoute)
	}
	if s.owns(from, lid) {
		t.port = from
		return true
	}
	data := d.MAD.Class() != mad.ClassSMP
	at := from
	for range len(s.switches) + 2 {
		n := &s.nodes[s.ports[at].node]
		e := at
		switch {
		case n.sw >= 0:
			p := s.switches[n.sw].egress(lid)
			if p == 0 && s.owns(n.first, lid) {
				t.port = n.first
				return true
			}
			if p == 0 || p > n.numPorts {
				s.counts[at][rcvSwitchRelay]++
				return s.because(LostRoute)
			}
			e = n.first + int32(p)
			if data && !s.laneTo(n, t.in, p, d.Addr.SL) {
				return false
			}
		case at != from:
			t.port = at
			return s.owns(at, lid) || s.because(LostRoute)
		}
		if data && s.ports[e].state() != mad.PortActive {
			s.counts[e][xmitDiscards]++
			return s.because(LostInactive)
		}
		q, ok := s.cross(e, t)
		if !ok {
			return false
		}
		if data && !s.takesData(q) {
			return s.because(LostInactive)
		}
		t.in, at = s.ports[q].num, q
	}
	return s.because(LostLoop)
}

// egress is the port of a forwarding table, 255 where it has a hole.
func (w *swtch) egress(lid uint16) uint8 {
	if int(lid) >= len(w.lft) || uint64(lid) > mad.SwitchInfoLinearFDBTop.Get(w.info[:]) {
		return 255
	}
	return w.lft[lid]
}

// takesData reports whether a port receives data packets. The first one brings
// an Armed port to Active.
func (s *Subnet) takesData(p int32) bool {
	switch s.ports[p].state() {
	case mad.PortActive:
		return true
	case mad.PortArmed:
		mad.PortInfoPortState.Put(s.ports[p].info[:], mad.PortActive)
		return true
	}
	return false
}

// laneTo reports whether a switch has a VL for an SL from one port to another.
func (s *Subnet) laneTo(n *node, in, out, sl uint8) bool {
	vl := s.switchVL(n, in, out, sl)
	e := n.first + int32(out)
	if vl < dataVLs(mad.PortInfoOperationalVLs.Get(s.ports[e].info[:])) {
		return true
	}
	s.counts[e][xmitDiscards]++
	return s.because(LostLane)
}
