package packet

// fault is a set of reasons why a link is down.
type fault uint8

const (
	cableDown fault = 1 << iota
	fromDown        // the switch that it leaves is down
	toDown          // the switch that it leads to is down
)

// SetPortDown fails the link of a switch port, in both directions, or repairs it. Packets on the
// link are lost, and so are packets routed to it while it is down.
func (s *Sim) SetPortDown(sw int32, port uint8, down bool) {
	if s.hasSwitch(sw) && int32(port) <= s.g.SwitchPorts[sw] {
		s.setPort(s.g.PortStart[sw]+int32(port), cableDown, cableDown, down)
	}
}

// setPort sets or clears a reason why the links into and out of a port are down.
func (s *Sim) setPort(port int32, in, out fault, down bool) {
	if from := s.inward[port]; from != nowhere {
		s.setLink(from, in, down)
		s.setLink(port, out, down)
	}
}

// hasSwitch reports whether the switch exists.
func (s *Sim) hasSwitch(sw int32) bool { return sw >= 0 && sw < int32(s.g.NumSwitches) }

// setLink sets or clears a reason why a link is down. When the link goes down, the packets on it
// and the packets that wait for it are lost.
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
		for input := range s.inputs(s.owner[at]) {
			s.drop(s.owner[at], s.queueOf(s.owner[at], input, at), lostNoLink, func(i int32) bool { return s.packets[i].out != at })
		}
	}
}

// drop removes all packets from a queue of a switch except the ones that keep selects.
func (s *Sim) drop(sw, at int32, why loss, keep func(i int32) bool) {
	first, buffer := s.list[at].head, s.bufferOf(sw, s.inputOf(sw, at))
	if first == none {
		return
	}
	if !keep(first) && s.asks(sw, at) {
		p, input := &s.packets[first], s.inputOf(sw, at)
		set := s.askers(p.out, p.outVL)
		if set[input>>6] &^= 1 << (input & 63); empty(set) {
			if s.links[p.out].asked &^= 1 << p.outVL; s.links[p.out].asked == 0 { // no packet waits any more
				s.endWait(p.out)
			}
		}
	}
	s.list[at] = queue{none, none}
	for i := range s.packetsFrom(first) {
		if keep(i) {
			s.push(at, i)
			continue
		}
		p := &s.packets[i]
		s.buffers[buffer].filled -= s.blocksOf(p)
		s.lose(i, buffer, max(s.now, p.tail), why)
	}
	if s.list[at].head != first {
		s.firstAsks(at)
	}
}

// endWait ends a period of a link with packets but no credits.
func (s *Sim) endWait(at int32) {
	if l := &s.links[at]; l.waiting >= 0 {
		l.waited += max(s.now-max(l.waiting, s.measure.from), 0)
		l.waiting = -1
	}
}

// dropOld drops a packet that has been the first of a queue for too long. It may have been the
// candidate of its link without enough credits; there may be enough for a smaller packet behind it.
func (s *Sim) dropOld(at, i int32) {
	if p := &s.packets[i]; s.list[at].head == i && s.now-p.head >= s.config.HeadOfQueue {
		out := p.out
		s.drop(s.owner[out], at, lostTooOld, func(k int32) bool { return k != i })
		s.send(out)
	}
}

// SetSwitchDown stops a switch, losing the packets in its buffers and on its links, or restarts it.
// Links that failed on their own stay down.
func (s *Sim) SetSwitchDown(sw int32, down bool) {
	if !s.hasSwitch(sw) {
		return
	}
	if down {
		for input := range s.inputs(sw) {
			for at := range s.queuesOf(sw, input) {
				s.drop(sw, at, lostReboot, func(int32) bool { return false })
			}
		}
	}
	for port := s.g.PortStart[sw] + 1; port <= s.g.PortStart[sw]+s.g.SwitchPorts[sw]; port++ {
		s.setPort(port, toDown, fromDown, down)
	}
}
