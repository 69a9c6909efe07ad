package emulator

import (
	"time"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// mostCopies bounds the copies of one datagram, as a multiple of the subnet's ports: tables with
// loops copy without end.
const mostCopies = 2

// copying is a copy of a datagram in flight.
type copying struct {
	at    int32 // input port; at first the sender's
	hops  int
	delay time.Duration
	twice bool // a link has duplicated it
}

// isMulticast reports whether a datagram goes to a multicast group.
func isMulticast(d *wire.Datagram) bool {
	return d.Addr.DLID >= uint16(fabric.FirstMLID) && d.Addr.DLID != wire.Permissive && d.MAD.Class() != mad.ClassDirectedSMP && d.MAD.Class() != mad.ClassSMP
}

// transmitMulticast sends a datagram from a port to a group. All its paths are decided now. Every
// switch copies it to the group's ports in its MulticastForwardingTable, except the input port.
// Copies in a circle count as LostLoop. A copy without a receiver does not count as lost: a channel
// adapter drops packets of groups that it has not joined.
func (s *Subnet) transmitMulticast(from int32, d *wire.Datagram, by origin) {
	left := mostCopies * len(s.ports)
	s.stats.Multicast.Sent++
	for queue := []copying{{at: from}}; len(queue) > 0; queue = queue[1:] {
		c := &queue[0]
		n := &s.nodes[s.ports[c.at].node]
		if n.sw < 0 && c.at != from {
			s.arriveMulticast(c, c.at, d, by)
			continue
		}
		if n.sw < 0 {
			if num := s.ports[c.at].num; !s.hasLane(n, num, num, d.Addr.SL) {
				s.stats.Lost[LostLane]++
				s.counts[c.at][mad.CounterXmitDiscards]++
				return
			}
			queue = s.copyOut(queue, c.at)
			continue
		}
		in := s.ports[c.at].num
		entry := s.switches[n.sw].copiesTo(d.Addr.DLID, int(n.numPorts)/16+1)
		if entry == nil {
			entry = s.switches[n.sw].defaultCopies(in, n.numPorts)
		}
		if entry == nil {
			s.stats.Lost[LostRoute]++
			s.counts[c.at][mad.CounterRcvSwitchRelay]++
			continue
		}
		for p := range n.numPorts + 1 {
			switch {
			case p == in && (c.at != from || p != 0), entry[p/16]>>(p%16)&1 == 0:
			case p == 0 && c.at == from: // its own packet
			case p == 0:
				s.arriveMulticast(c, n.first, d, by)
			case left == 0 || c.hops > len(s.switches):
				s.stats.Lost[LostLoop]++
				return
			case !s.hasLane(n, in, p, d.Addr.SL):
				s.stats.Lost[LostLane]++
				s.counts[n.first+int32(p)][mad.CounterXmitDiscards]++
			default:
				left--
				s.stats.Multicast.Copies++
				queue = s.copyOut(queue, n.first+int32(p))
			}
		}
	}
}

// copiesTo returns the port masks of a group by position, nil if the table has none.
func (w *swtch) copiesTo(mlid uint16, positions int) []uint16 {
	at := int(mlid-uint16(fabric.FirstMLID)) * positions
	if at+positions > len(w.mft) {
		return nil
	}
	if top := mad.SwitchInfoMulticastFDBTop.Get(w.info[:]); top >= uint64(fabric.FirstMLID) && uint64(mlid) > top {
		return nil
	}
	entry := w.mft[at : at+positions]
	for _, m := range entry {
		if m != 0 {
			return entry
		}
	}
	return nil
}

// defaultCopies returns the port masks for a group without an entry: the default port, or for
// packets that came through it the other one. It returns nil if that is no external port.
func (w *swtch) defaultCopies(in, ports uint8) []uint16 {
	to := mad.SwitchInfoDefaultMcastPrimary.Get(w.info[:])
	if to == uint64(in) {
		to = mad.SwitchInfoDefaultMcastOther.Get(w.info[:])
	}
	if to == 0 || to > uint64(ports) {
		return nil
	}
	entry := make([]uint16, ports/16+1)
	entry[to/16] = 1 << (to % 16)
	return entry
}

// copyOut sends the first copy of a queue out of a port, and appends its arrival at the other end.
func (s *Subnet) copyOut(queue []copying, out int32) []copying {
	c := queue[0]
	if s.ports[out].state() != mad.PortActive {
		s.stats.Lost[LostInactive]++
		s.counts[out][mad.CounterXmitDiscards]++
		return queue
	}
	t := arrival{delay: c.delay, duplicated: c.twice}
	peer, lost := s.crossLink(out, &t)
	if lost == notLost && !s.takesData(peer) {
		lost = LostInactive
	}
	if lost != notLost {
		s.stats.Lost[lost]++
		return queue
	}
	return append(queue, copying{at: peer, hops: c.hops + 1, delay: t.delay, twice: t.duplicated})
}

// arriveMulticast hands a copy to the programs on a port that take multicast packets.
func (s *Subnet) arriveMulticast(c *copying, port int32, d *wire.Datagram, by origin) {
	s.stats.Multicast.Arrived++
	t := arrival{port: port, in: s.ports[c.at].num}
	if c.twice {
		s.arriveLater(t, d, by, c.delay+s.duplicateDelay())
	}
	if c.delay > 0 {
		s.arriveLater(t, d, by, c.delay)
		return
	}
	s.takeMulticast(port, d, by)
}

// takeMulticast hands a copy to all programs on a port except the sender.
func (s *Subnet) takeMulticast(port int32, d *wire.Datagram, by origin) {
	for i := range s.clients {
		if c := &s.clients[i]; c.used && c.port == port && !c.OnlySM && int32(i) != by.client {
			s.stats.Delivered++
			c.Deliver(d)
		}
	}
}
