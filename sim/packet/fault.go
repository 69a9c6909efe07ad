package packet

import (
	"weft/fabric"
	"weft/route"
)

// fault is a set of reasons for which a link is down.
type fault uint8

const (
	cableDown fault = 1 << iota
	fromDown        // the switch that it leaves
	toDown          // the switch that it leads to
)

// SetPortDown fails the link of a port of a switch, both ways, or lets it work again. Packets that are on it are
// lost, and so are those that want to go there while it is down.
func (s *Sim) SetPortDown(sw int32, port uint8, down bool) {
	if s.hasSwitch(sw) && int32(port) <= s.g.SwitchPorts[sw] {
		s.setPort(s.g.PortStart[sw]+int32(port), cableDown, cableDown, down)
	}
}

// setPort sets or ends a reason for which the links into and out of a port are down.
func (s *Sim) setPort(port int32, in, out fault, down bool) {
	if from := s.inward[port]; from != nowhere {
		s.setLink(from, in, down)
		s.setLink(port, out, down)
	}
}

// hasSwitch reports whether there is a switch of this number.
func (s *Sim) hasSwitch(sw int32) bool { return sw >= 0 && sw < int32(s.g.NumSwitches) }

func (s *Sim) setLink(at int32, why fault, down bool) {
	l := &s.links[at]
	was := l.down
	if l.why &^= why; down {
		l.why |= why
	}
	l.down = l.why != 0
	if l.to == nowhere || l.down == was {
		return
	}
	if !l.down {
		s.send(at)
		return
	}
	l.epoch++
	if at < s.firstEnd {
		s.dropAsking(at)
	}
}

// dropAsking drops the packets that wait for a link of a switch.
func (s *Sim) dropAsking(at int32) {
	first, end := s.owner[at], int32(0)
	start := s.g.PortStart[first]
	end = start + s.g.SwitchPorts[first] + 1
	for port := start; port < end; port++ {
		in := s.inward[port]
		if in == nowhere {
			continue
		}
		for x := in * s.vls; x < (in+1)*s.vls; x++ {
			if q := &s.queues[x]; q.head != none && q.out == at {
				s.dropFirst(x, lostNoLink)
				s.first(x)
			}
		}
	}
}

// dropFirst drops the first packet of a queue.
func (s *Sim) dropFirst(at int32, why loss) {
	q := &s.queues[at]
	i := q.head
	if q.out != none {
		set, bit := s.askers(q.out, q.vl), s.input(at)
		set[bit>>6] &^= 1 << (bit & 63)
		if empty(set) {
			s.links[q.out].asked &^= 1 << q.vl
			s.rests(q.out)
		}
	}
	s.leave(q)
	s.lose(i, at, max(s.now, s.packets[i].tail), why)
}

// rests ends the time without credits of a link for which nothing waits any more.
func (s *Sim) rests(at int32) {
	if l := &s.links[at]; l.asked == 0 && l.waiting >= 0 {
		l.waited += max(s.now-max(l.waiting, s.measure.from), 0)
		l.waiting = -1
	}
}

// dropOld drops a packet that has been the first of its queue for too long.
func (s *Sim) dropOld(at, i int32) {
	q := &s.queues[at]
	if q.head != i || q.out == none || s.now-s.packets[i].head < s.config.HeadOfQueue {
		return
	}
	s.dropFirst(at, lostTooOld)
	s.first(at)
}

// SetSwitchDown stops a switch, which loses what is in its buffers and on its links, or starts it again. Links that failed
// by themselves stay down.
func (s *Sim) SetSwitchDown(sw int32, down bool) {
	if !s.hasSwitch(sw) {
		return
	}
	first := s.g.PortStart[sw]
	end := first + s.g.SwitchPorts[sw] + 1
	for port := first; down && port < end; port++ {
		in := s.inward[port]
		if in == nowhere {
			continue
		}
		for x := in * s.vls; x < (in+1)*s.vls; x++ {
			for s.queues[x].head != none {
				s.dropFirst(x, lostReboot)
			}
		}
	}
	for port := first + 1; port < end; port++ {
		s.setPort(port, toDown, fromDown, down)
	}
}

// WriteBlock changes 64 entries of the forwarding table of a switch, as a manager writes them. A packet that
// already asks for a port keeps it.
func (s *Sim) WriteBlock(sw int32, index int, b *route.Block) {
	if at := index * route.BlockSize; s.hasSwitch(sw) && index >= 0 && at < int(s.top) {
		copy(s.lft[int(sw)*int(s.top)+at:int(sw)*int(s.top)+int(s.top)], b[:])
	}
}

// Port is the egress port of a switch for a LID at present.
func (s *Sim) Port(sw int32, lid fabric.LID) uint8 {
	if !s.hasSwitch(sw) || int32(lid) >= s.top {
		return route.NoPort
	}
	return s.lft[int(sw)*int(s.top)+int(lid)]
}
