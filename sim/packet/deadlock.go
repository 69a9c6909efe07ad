package packet

import "weft/fabric"

// Deadlock is a cycle of input buffers, each full of packets that wait for room in the next.
type Deadlock struct {
	At    Time
	Cycle []Stuck
}

// Stuck is one buffer of a deadlock, behind a channel of the Graph.
type Stuck struct {
	Channel int32 // of the Graph, -1 for the link of an end port
	VL      uint8
	Packets int // packets in it
	// The first packet that waits for the next buffer: source, target and LID.
	Src, Dst int32
	LID      fabric.LID
}

// wait is the first packet of a queue that waits for credits of the next buffer.
type wait struct{ from, next, packet int32 }

// findDeadlock looks for buffers that no packet will ever leave: none of their credits are on the
// way, and the first packet of each queue waits for more credits than another such buffer has. It
// starts from all buffers. It removes each one that a packet can leave, or whose packet waits for a
// removed one, until there are none.
//
// The remaining buffers wait for ever unless a link fails, a table is rewritten or a packet is
// dropped for its age; so there are no false alarms. A lane that no arbitration table serves is no
// deadlock. Cost: O(links x VLs + queues of full buffers x the longest chain of waits).
func (s *Sim) findDeadlock() *Deadlock {
	stuck := make([]bool, len(s.buffers))
	var waits []wait
	for l := range s.links {
		sw := s.links[l].to
		for vl := range s.vls {
			at := int32(l)*s.vls + vl
			if b := &s.buffers[at]; sw < 0 || b.filled == 0 || b.credits+b.filled != s.size {
				continue
			}
			var all bool
			waits, all = s.waitsIn(waits, sw, at)
			stuck[at] = all
		}
	}
	for again := true; again; {
		again = false
		for _, w := range waits {
			if stuck[w.from] && !stuck[w.next] {
				stuck[w.from], again = false, true
			}
		}
	}
	next := map[int32]wait{}
	for _, w := range waits {
		if _, ok := next[w.from]; !ok && stuck[w.from] {
			next[w.from] = w
		}
	}
	for _, w := range waits {
		if stuck[w.from] {
			for range next { // from any of them into a cycle
				w = next[w.next]
			}
			return s.describe(next, w)
		}
	}
	return nil
}

// waitsIn appends the waits of the first packets in a buffer of switch sw; all is false if one of
// them may leave.
func (s *Sim) waitsIn(waits []wait, sw, at int32) (_ []wait, all bool) {
	from := len(waits)
	for queue := range s.queuesOf(sw, s.inputBefore(at)) {
		i := s.list[queue].head
		if i == none {
			continue
		}
		p := &s.packets[i]
		if s.links[p.out].to < 0 || !s.asks(sw, queue) {
			return waits[:from], false
		}
		next := p.out*s.vls + int32(p.outVL)
		if s.blocksOf(s.firstOf(sw, s.candidate(sw, p.out, p.outVL), p.out)) <= s.buffers[next].credits {
			return waits[:from], false
		}
		waits = append(waits, wait{at, next, i})
	}
	return waits, true
}

// describe returns the buffers of the cycle of waits that includes start.
func (s *Sim) describe(next map[int32]wait, start wait) *Deadlock {
	d := &Deadlock{At: s.now}
	for w := start; ; {
		stuck := Stuck{Channel: -1, VL: uint8(w.from % s.vls)}
		if l := w.from / s.vls; l < s.firstEnd {
			stuck.Channel = s.g.Attached[l]
		}
		p := &s.packets[w.packet]
		m := &s.messages[p.message]
		stuck.Src, stuck.Dst, stuck.LID = m.Src, m.Dst, p.lid
		for queue := range s.queuesOf(s.owner[p.out], s.inputBefore(w.from)) {
			for range s.packetsFrom(s.list[queue].head) {
				stuck.Packets++
			}
		}
		d.Cycle = append(d.Cycle, stuck)
		if w = next[w.next]; w == start {
			return d
		}
	}
}
