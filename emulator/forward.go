package emulator

import (
	"encoding/binary"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// Cause is the reason for losing a datagram.
type Cause uint8

// The causes.
const (
	notLost       Cause = iota
	LostMalformed       // not a datagram, or an invalid directed route
	LostDown            // at a port whose link is down
	LostInactive        // not a subnet management packet, on a link that is not Active
	LostRoute           // no entry in a forwarding table, or an entry with a nonexistent port
	LostLoop            // went in circles
	LostLane            // its SL maps to a VL that the link lacks
	LostImpaired        // on a link with losses
	LostSilent          // the agent does not answer
	LostMKey            // wrong M_Key
	LostNobody          // no attached program takes it
	LostRouter          // in a router without a route to the destination, or over too many routers
	numCauses
)

var causeNames = [numCauses]string{
	"not lost", "malformed", "link down", "link not active", "no route", "routing loop", "no lane",
	"impaired link", "silent agent", "wrong M_Key", "nobody there", "router without a way",
}

// String returns the cause in words.
func (c Cause) String() string {
	if c < numCauses {
		return causeNames[c]
	}
	return "unknown"
}

// origin names the client to notify when a datagram is lost: the requester. A lost answer is
// returned as its request, with the original method.
type origin struct {
	client int32 // -1: nobody
	method mad.Method
}

// arrival says where and when a datagram arrives.
type arrival struct {
	port       int32 // end port
	in         uint8 // input port of that node
	duplicated bool  // by a link: a second copy arrives later
	delay      time.Duration
	to         mad.GID // from its global route header, if any
}

// transmit sends a datagram from a port. Its whole path is decided now, by the current state and
// tables of links and switches.
func (s *Subnet) transmit(from int32, d *wire.Datagram, by origin) {
	to := mad.GID(d.Addr.GRH.GID)
	if d.Addr.GRH.Present {
		d.Addr.GRH.GID = s.gid(from)
	}
	if isMulticast(d) {
		s.transmitMulticast(from, d, by)
		return
	}
	s.carry(from, d, by, to)
}

// carry sends a datagram, which names its sender, from a port.
func (s *Subnet) carry(from int32, d *wire.Datagram, by origin, to mad.GID) {
	t, lost := s.follow(from, d)
	t.to = to
	if lost != notLost {
		s.lose(d, by, lost)
		return
	}
	if n := &s.nodes[s.ports[t.port].node]; n.slow > 0 && !d.MAD.Method().IsResponse() {
		t.delay += n.slow
	}
	if t.duplicated {
		s.arriveLater(t, d, by, t.delay+s.duplicateDelay())
	}
	if t.delay > 0 {
		s.arriveLater(t, d, by, t.delay)
		return
	}
	s.arrive(&t, d, by)
}

// gid returns a port's GID. Receivers know the sender of a datagram by it.
func (d *devices) gid(p int32) (gid [16]byte) {
	p = d.agentPort(p)
	binary.BigEndian.PutUint64(gid[:], mad.PortInfoGidPrefix.Get(d.ports[p].info[:]))
	binary.BigEndian.PutUint64(gid[8:], d.ports[p].guid)
	return gid
}

// follow finds where a datagram from a port arrives, or the cause of its loss.
func (w *wires) follow(from int32, d *wire.Datagram) (t arrival, lost Cause) {
	t.in = w.ports[from].num
	if d.MAD.Class() != mad.ClassDirectedSMP {
		return t, w.followTables(from, d, &t)
	}
	m := d.MAD
	if mad.DirectedSMPHopPointer.Get(m) != 0 || mad.DirectedSMPHopCount.Get(m) > mad.MaxHops ||
		mad.DirectedSMPDirection.Is(m) != m.Method().IsResponse() {
		return t, LostMalformed
	}
	// The LID of the requester if the route begins at another LID. Answers swap the fields.
	requester, other := mad.DirectedSMPDrSLID.Get(m), mad.DirectedSMPDrDLID.Get(m)
	if m.Method().IsResponse() {
		requester, other = other, requester
	}
	byLID := requester != wire.Permissive
	switch {
	case other != wire.Permissive:
		return t, LostMalformed
	case m.Method().IsResponse():
		if lost = w.followReturnPath(from, m, &t); lost == notLost && byLID {
			lost = w.returnByLID(d, uint16(requester), &t)
		}
		return t, lost
	case byLID:
		if lost = w.followTables(from, d, &t); lost != notLost {
			return t, lost
		}
		from = t.port
	}
	return t, w.followInitialPath(from, m, &t)
}

// returnByLID carries an answer from the beginning of its directed route to the requester.
func (w *wires) returnByLID(d *wire.Datagram, requester uint16, t *arrival) Cause {
	asked := d.Addr
	d.Addr.SLID, d.Addr.DLID = asked.DLID, requester
	lost := w.followTables(t.port, d, t)
	if lost != notLost {
		d.Addr = asked
	}
	return lost
}

// followInitialPath follows a directed route from its start, and writes the return path.
func (w *wires) followInitialPath(from int32, m mad.Datagram, t *arrival) Cause {
	initial, ret := mad.DirectedSMPInitialPath.Get(m), mad.DirectedSMPReturnPath.Get(m)
	hops := int(mad.DirectedSMPHopCount.Get(m))
	at := from
	for h := 1; h <= hops; h++ {
		next, lost := w.hop(at, from, initial[h], h == 1, t)
		if lost != notLost {
			return lost
		}
		ret[h] = t.in
		at = next
	}
	t.port = w.agentPort(at)
	return notLost
}

// followReturnPath follows a directed route back to its start.
func (w *wires) followReturnPath(from int32, m mad.Datagram, t *arrival) Cause {
	ret := mad.DirectedSMPReturnPath.Get(m)
	hops := int(mad.DirectedSMPHopCount.Get(m))
	at := from
	for h := hops; h > 0; h-- {
		next, lost := w.hop(at, from, ret[h], h == hops, t)
		if lost != notLost {
			return lost
		}
		at = next
	}
	t.port = w.agentPort(at)
	return notLost
}

// hop sends a datagram on its directed route through port num of the node of port at. Only the
// first hop, from port from, may start at a node other than a switch.
func (w *wires) hop(at, from int32, num uint8, first bool, t *arrival) (next int32, lost Cause) {
	n := &w.nodes[w.ports[at].node]
	if num == 0 || num > n.numPorts || n.sw < 0 && (!first || num != w.ports[from].num) {
		return 0, LostRoute
	}
	if next, lost = w.crossLink(n.first+int32(num), t); lost == notLost {
		t.in = w.ports[next].num
	}
	return next, lost
}

// crossLink sends a datagram out of a port to its peer.
func (w *wires) crossLink(out int32, t *arrival) (peer int32, lost Cause) {
	peer = w.ports[out].peer
	if peer < 0 {
		w.counts[out][mad.CounterXmitDiscards]++
		return 0, LostDown
	}
	if w.impaired && !w.survives(out, peer, t) {
		return 0, LostImpaired
	}
	x, r := &w.counts[out], &w.counts[peer]
	x[mad.CounterXmitPkts]++
	x[mad.CounterXmitData] += wordsPerPacket
	r[mad.CounterRcvPkts]++
	r[mad.CounterRcvData] += wordsPerPacket
	return peer, notLost
}

// hasLID reports whether a LID belongs to an end port.
func (d *devices) hasLID(p int32, lid uint16) bool {
	b := d.ports[p].info[:]
	base := uint16(mad.PortInfoLID.Get(b))
	lmc := mad.PortInfoLMC.Get(b)
	return base != 0 && lid>>lmc == base>>lmc
}

// followTables follows the forwarding tables of the switches.
func (w *wires) followTables(from int32, d *wire.Datagram, t *arrival) Cause {
	lid := d.Addr.DLID
	if lid == 0 || lid > 0xBFFF {
		return LostRoute
	}
	if w.hasLID(from, lid) {
		t.port = from
		return notLost
	}
	data := d.MAD.Class() != mad.ClassSMP && d.MAD.Class() != mad.ClassDirectedSMP
	at := from
	for range len(w.switches) + 2 {
		n := &w.nodes[w.ports[at].node]
		out := at
		switch {
		case n.sw >= 0:
			p := w.switches[n.sw].egress(lid)
			if p == 0 && w.hasLID(n.first, lid) {
				t.port = n.first
				return notLost
			}
			if p == 0 || p > n.numPorts {
				w.counts[at][mad.CounterRcvSwitchRelay]++
				return LostRoute
			}
			out = n.first + int32(p)
			if data && !w.hasLane(n, t.in, p, d.Addr.SL) {
				w.counts[out][mad.CounterXmitDiscards]++
				return LostLane
			}
		case at == from:
			if data && !w.hasLane(n, t.in, t.in, d.Addr.SL) {
				w.counts[out][mad.CounterXmitDiscards]++
				return LostLane
			}
		case w.hasLID(at, lid):
			t.port = at
			return notLost
		default:
			return LostRoute
		}
		if data && w.ports[out].state() != mad.PortActive {
			w.counts[out][mad.CounterXmitDiscards]++
			return LostInactive
		}
		peer, lost := w.crossLink(out, t)
		if lost != notLost {
			return lost
		}
		if data && !w.takesData(peer) {
			return LostInactive
		}
		t.in, at = w.ports[peer].num, peer
	}
	return LostLoop
}

// egress returns a LID's port in the forwarding table; 255 is a hole.
func (w *swtch) egress(lid uint16) uint8 {
	if int(lid) >= len(w.lft) || uint64(lid) > mad.SwitchInfoLinearFDBTop.Get(w.info[:]) {
		return 255
	}
	return w.lft[lid]
}

// takesData reports whether a port receives data packets. The first one brings an Armed port to
// Active.
func (d *devices) takesData(p int32) bool {
	switch d.ports[p].state() {
	case mad.PortActive:
		return true
	case mad.PortArmed:
		mad.PortInfoPortState.Put(d.ports[p].info[:], mad.PortActive)
		return true
	}
	return false
}

// hasLane reports whether the VL of an SL, from one port of a node to another, is in operation and
// has a turn. Of a CA only the output port counts.
func (d *devices) hasLane(n *node, in, out, sl uint8) bool {
	x := &d.ports[n.first+int32(out)]
	vl := uint8(0)
	switch {
	case n.sw >= 0:
		vl = d.switchVL(n, in, out, sl)
	case sl > 0 || x.tables != nil:
		vl = laneOf(d.hostLanes(x), sl)
	}
	return vl < mad.DataVLs(mad.PortInfoOperationalVLs.Get(x.info[:])) && (x.tables == nil || x.tables.hasTurn(vl))
}
