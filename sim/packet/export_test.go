package packet

import "fmt"

// Audit returns an error if the state between two events is inconsistent: buffers, queues, the sets
// of asking inputs, packets and messages. At the end of a run that was not stopped, atEnd, nothing
// may rest that could move.
func (s *Sim) Audit(atEnd bool) error {
	if err := s.check(); err != nil {
		return err
	}
	queued := make([]bool, len(s.packets))
	for sw := range int32(s.g.NumSwitches) {
		for input := range s.inputs(sw) {
			if err := s.auditInput(sw, input, queued); err != nil {
				return err
			}
		}
	}
	for l := range s.firstEnd {
		if err := s.auditAskers(l); err != nil {
			return err
		}
	}
	if err := s.auditPackets(queued); err != nil {
		return err
	}
	if s.control != nil {
		for i, f := range s.control.flows {
			if f.waiting.head != none && !f.sends && !f.wakes {
				return fmt.Errorf("flow %d has messages, but nothing will send them", i)
			}
		}
	}
	if atEnd {
		return s.auditRest()
	}
	return nil
}

// auditInput looks at the queues of an input of a switch.
func (s *Sim) auditInput(sw, input int32, queued []bool) error {
	filled := int32(0)
	for at := range s.queuesOf(sw, input) {
		last := none
		for i := range s.packetsFrom(s.list[at].head) {
			p := &s.packets[i]
			l := &s.links[p.out]
			switch {
			case queued[i]:
				return fmt.Errorf("packet %d is in two queues", i)
			case s.queueOf(sw, input, p.out) != at:
				return fmt.Errorf("packet %d is in a queue for another output", i)
			case l.down || l.to == nowhere:
				return fmt.Errorf("packet %d waits for a link that is down", i)
			case p.came > s.now || p.sent > p.came || p.tail < p.came:
				return fmt.Errorf("packet %d of %d ps came at %d, its last byte at %d", i, p.sent, p.came, p.tail)
			}
			queued[i], last = true, i
			filled += s.blocksOf(p)
		}
		if s.list[at].tail != last {
			return fmt.Errorf("queue %d ends with packet %d, its last is %d", at, s.list[at].tail, last)
		}
		if i := s.list[at].head; i != none && !s.asks(sw, at) {
			if p := &s.packets[i]; p.tail-duration(p.payload+int32(s.config.Headers), s.links[p.out].mbps) < s.now {
				return fmt.Errorf("the first packet of queue %d does not ask for its output", at)
			}
		}
	}
	if b := &s.buffers[s.bufferOf(sw, input)]; b.filled != filled {
		return fmt.Errorf("input %d of switch %d has %d blocks, and counts %d", input, sw, filled, b.filled)
	}
	return nil
}

// auditAskers looks at the inputs that ask for a link.
func (s *Sim) auditAskers(l int32) error {
	for vl := range s.vls {
		set := s.askers(l, uint8(vl))
		if empty(set) != (s.links[l].asked>>vl&1 == 0) {
			return fmt.Errorf("link %d, VL %d: asked for %v, but by %v", l, vl, s.links[l].asked, set)
		}
		for input := range members(set) {
			i := s.list[s.queueOf(s.owner[l], input, l)].head
			if i == none || s.packets[i].out != l || s.packets[i].outVL != uint8(vl) {
				return fmt.Errorf("link %d, VL %d: input %d asks without a packet for it", l, vl, input)
			}
		}
	}
	return nil
}

// auditPackets looks at the packets on their way, and at their messages.
func (s *Sim) auditPackets(queued []bool) error {
	flying, blocks := make([]int32, len(s.messages)), int32(0)
	used := make([]bool, len(s.packets))
	for i := range used {
		used[i] = true
	}
	for i := s.unused; i != none; i = s.packets[i].next {
		if queued[i] || !used[i] {
			return fmt.Errorf("packet %d is free and in a queue, or free twice", i)
		}
		used[i] = false
	}
	for i := range s.packets {
		if !used[i] {
			continue
		}
		flying[s.packets[i].message]++
		if !queued[i] {
			blocks += s.blocksOf(&s.packets[i])
		}
	}
	unused := make([]bool, len(s.messages))
	for i := s.spare; i != none; i = s.messages[i].next {
		unused[i] = true
	}
	for i := range s.messages {
		if m := &s.messages[i]; !unused[i] && m.flying != flying[i] || unused[i] && flying[i] != 0 {
			return fmt.Errorf("message %d has %d packets on their way, and counts %d", i, flying[i], m.flying)
		}
	}
	taken := int32(0) // by packets on links, and by credits on their way back
	for i := range s.buffers {
		taken += s.size - s.buffers[i].credits - s.buffers[i].filled
	}
	if taken < blocks {
		return fmt.Errorf("%d blocks are on links, but only %d are taken", blocks, taken)
	}
	return nil
}

// auditRest looks for links that could send, and for packets that should have been dropped.
func (s *Sim) auditRest() error {
	for at := range int32(len(s.links)) {
		l := &s.links[at]
		if l.asked == 0 || l.down || l.free > s.now || at >= s.firstEnd && s.adapterBusy(at) {
			continue
		}
		for vl := range s.vls {
			if l.asked>>vl&1 == 0 {
				continue
			}
			if t := s.arbitration(at); t != nil && !s.oneTurn && t.Weight(uint8(vl)) == 0 {
				continue
			}
			size := int32(0)
			if at >= s.firstEnd {
				size = s.sizeOfNext(at-s.firstEnd, vl)
			} else {
				size = s.blocksOf(s.firstOf(s.owner[at], s.candidate(s.owner[at], at, uint8(vl)), at))
			}
			if s.buffers[at*s.vls+vl].credits >= size {
				return fmt.Errorf("link %d could send on VL %d, but rests", at, vl)
			}
		}
	}
	for at := range s.list {
		if i := s.list[at].head; i != none && s.config.HeadOfQueue > 0 && s.now-s.packets[i].head > s.config.HeadOfQueue {
			return fmt.Errorf("the first packet of queue %d should have been dropped", at)
		}
	}
	return nil
}

// Sabotage breaks what a run keeps count of.
func (s *Sim) Sabotage(what string) {
	at := s.firstEnd * s.vls // the buffer of VL 0 behind the link of the first end port
	switch what {
	case "a packet without credits":
		s.spend(at, s.buffers[at].credits+1)
		s.buffers[at].credits = s.size
	case "a packet without room":
		s.fill(at, s.size-s.buffers[at].filled+1)
		s.buffers[at].filled = 0
	case "a packet made":
		s.measure.delivered++
	case "a packet lost":
		s.measure.sent++
	case "credits lost":
		s.buffers[at].credits--
	case "credits made":
		s.buffers[at].credits += s.size
	case "a link too fast":
		s.links[s.firstEnd].bytes += 1 << 40
	}
}
