package packet

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

// setLink sets or ends a reason for which a link is down; what is on it and what waits for it is lost when it goes down.
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

// drop takes all packets but those to be kept out of a queue of a switch.
func (s *Sim) drop(sw, at int32, why loss, keep func(i int32) bool) {
	first, buffer := s.list[at].head, s.bufferOf(sw, s.inputOf(sw, at))
	if first == none {
		return
	}
	if !keep(first) && s.asks(sw, at) {
		p, input := &s.packets[first], s.inputOf(sw, at)
		set := s.askers(p.out, p.outVL)
		if set[input>>6] &^= 1 << (input & 63); empty(set) {
			if s.links[p.out].asked &^= 1 << p.outVL; s.links[p.out].asked == 0 { // nothing waits any more
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

// endWait ends the time in which a link has packets but no credits.
func (s *Sim) endWait(at int32) {
	if l := &s.links[at]; l.waiting >= 0 {
		l.waited += max(s.now-max(l.waiting, s.measure.from), 0)
		l.waiting = -1
	}
}

// dropOld drops a packet that has been the first of a queue for too long. It may have been the candidate of its link, for which
// there were no credits; there may be some for a smaller packet that was behind it.
func (s *Sim) dropOld(at, i int32) {
	if p := &s.packets[i]; s.list[at].head == i && s.now-p.head >= s.config.HeadOfQueue {
		out := p.out
		s.drop(s.owner[out], at, lostTooOld, func(k int32) bool { return k != i })
		s.send(out)
	}
}

// SetSwitchDown stops a switch, which loses what is in its buffers and on its links, or starts it again. Links that failed
// by themselves stay down.
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
