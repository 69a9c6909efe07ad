package packet

import (
	"math/bits"

	"weft/route"
)

// arrive puts a packet into the buffer behind a link: from now on it can leave.
func (s *Sim) arrive(l, i int32) {
	p := &s.packets[i]
	in, buffer := &s.links[l], l*s.vls+int32(p.vl)
	if p.epoch != in.epoch { // the link failed while it carried the packet
		s.lose(i, buffer, s.now, lostOnLink)
		return
	}
	out, vl, why := s.route(in.to, in.port, p)
	if out == none {
		s.lose(i, buffer, max(s.now, p.tail), why)
		return
	}
	p.came, p.out, p.outVL = s.now, out, vl
	s.fill(buffer, s.blocksOf(p))
	if at := s.queueOf(in.to, s.inputBefore(buffer), out); s.push(at, i) {
		s.firstAsks(at)
	}
}

// blocksOf returns the number of buffer blocks of a packet.
func (s *Sim) blocksOf(p *packet) int32 { return int32(blocks(int(p.payload) + s.config.Headers)) }

// firstAsks makes the first packet of a queue ask for its output, now or as soon as it may.
func (s *Sim) firstAsks(at int32) {
	i := s.list[at].head
	if i == none {
		return
	}
	p := &s.packets[i]
	p.head = s.now
	if s.config.HeadOfQueue > 0 {
		s.events.Put(s.now+s.config.HeadOfQueue, occasion{tooOld, at, i})
	}
	// A link faster than the incoming one must not run out of bytes.
	if start := p.tail - duration(p.payload+int32(s.config.Headers), s.links[p.out].mbps); start > s.now {
		s.events.Put(start, occasion{asks, at, i})
		return
	}
	s.ask(at)
}

// route returns the output link and lane of a packet at a switch; none if the switch drops it.
func (s *Sim) route(sw int32, in uint8, p *packet) (out int32, vl uint8, why loss) {
	if s.relay != nil && s.relay.IsRouter(sw) {
		return s.routeBetween(sw, in, p)
	}
	port := route.NoPort
	if int32(p.lid) < s.top {
		port = s.lft[int(sw)*int(s.top)+int(p.lid)]
	}
	if port == route.NoPort || int32(port) > s.g.SwitchPorts[sw] {
		return none, 0, lostNoEntry
	}
	return s.egress(sw, in, port, p.sl)
}

// egress returns the link and lane at an output port of a switch; none if no packet can leave
// there.
func (s *Sim) egress(sw int32, in, port, sl uint8) (out int32, vl uint8, why loss) {
	out = s.g.PortStart[sw] + int32(port)
	if l := &s.links[out]; l.to == nowhere || l.down {
		return none, 0, lostNoLink
	}
	if vl = s.switchVL(sw, in, port, sl); vl == route.DropVL {
		return none, 0, lostNoLane
	}
	return out, vl, 0
}

// ask adds the first packet of a queue to the ones that wait for its output.
func (s *Sim) ask(at int32) {
	p := &s.packets[s.list[at].head]
	set, input := s.askers(p.out, p.outVL), s.inputOf(s.owner[p.out], at)
	set[input>>6] |= 1 << (input & 63)
	s.links[p.out].asked |= 1 << p.outVL
	s.send(p.out)
}

// send sends the next packet on a link, if the link is free and there are credits.
func (s *Sim) send(at int32) {
	l := &s.links[at]
	if l.asked == 0 || l.down {
		return
	}
	if s.now < l.free {
		if !l.wakes {
			l.wakes = true
			s.events.Put(l.free, occasion{isFree, at, 0})
		}
		return
	}
	if at >= s.firstEnd {
		s.inject(at)
		return
	}
	sw := s.owner[at]
	var ready uint16
	var inputs, sizes [16]int32 // by VL: the input whose turn it is, and the blocks of its packet
	for set := l.asked; set != 0; set &= set - 1 {
		vl := uint8(bits.TrailingZeros16(set))
		input := s.candidate(sw, at, vl)
		size := s.blocksOf(s.firstOf(sw, input, at))
		if s.buffers[at*s.vls+int32(vl)].credits >= size {
			ready |= 1 << vl
			inputs[vl], sizes[vl] = input, size
		} else if s.control != nil {
			s.control.starved[at*s.vls+int32(vl)] = s.now
		}
	}
	vl, ok := s.chooseLane(at, ready, &sizes)
	if !ok {
		return
	}
	s.forward(sw, at, vl, inputs[vl])
}

// chooseLane chooses among the ready lanes of a link by its arbitration table; sizes has the blocks
// of the next packet of each lane. It also counts the time without a ready lane.
func (s *Sim) chooseLane(at int32, ready uint16, sizes *[16]int32) (vl uint8, ok bool) {
	l := &s.links[at]
	if ready != 0 {
		table := s.arbitration(at)
		if s.oneTurn {
			table = nil
		}
		var high bool
		if vl, high, ok = l.turn.next(table, ready); ok {
			l.turn.take(table, vl, ready, high, sizes[vl])
		}
	}
	switch {
	case ok:
		s.endWait(at)
	case l.waiting < 0:
		l.waiting = s.now
	}
	return vl, ok
}

// forward sends the first packet of an input on a link.
func (s *Sim) forward(sw, at int32, vl uint8, input int32) {
	set := s.askers(at, vl)
	set[input>>6] &^= 1 << (input & 63)
	s.turn[at*s.vls+int32(vl)] = input
	l := &s.links[at]
	if empty(set) {
		l.asked &^= 1 << vl
	}
	queue, buffer := s.queueOf(sw, input, at), s.bufferOf(sw, input)
	i := s.list[queue].head
	p := &s.packets[i]
	if s.control != nil {
		s.mark(p, at, vl)
	}
	tail, size := p.tail, s.blocksOf(p)
	s.pop(queue)
	s.buffers[buffer].filled -= size
	end := s.transmit(at, i, vl)
	s.events.Put(max(end, tail)+s.config.CableDelay, occasion{credit, buffer, size})
	s.firstAsks(queue)
	if l.asked != 0 {
		s.send(at)
	}
}

// transmit starts sending a packet on a link, and returns the time at which its last byte leaves.
// The packet then holds its times and lane behind the link.
func (s *Sim) transmit(at, i int32, vl uint8) (end Time) {
	l, p := &s.links[at], &s.packets[i]
	size := p.payload + int32(s.config.Headers)
	end = s.now + duration(size, l.mbps)
	l.free = end
	if counted := end - max(s.now, s.measure.from); counted > 0 {
		l.bytes += int64(size) * int64(counted) / int64(end-s.now)
	}
	s.spend(at*s.vls+int32(vl), s.blocksOf(p))
	p.vl, p.epoch = vl, l.epoch
	if l.to >= 0 {
		s.events.Put(s.now+s.config.CableDelay+s.config.SwitchLatency, occasion{atSwitch, at, i})
		p.tail = end + s.config.CableDelay + s.config.SwitchLatency
		return end
	}
	s.events.Put(s.drained(-2-l.to, s.now+s.config.CableDelay, end+s.config.CableDelay, size), occasion{atEnd, at, i})
	return end
}
