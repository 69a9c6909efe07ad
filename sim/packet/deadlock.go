package packet

import "weft/fabric"

// Deadlock is a cycle of input buffers of which each is full of packets that wait for room in the next.
type Deadlock struct {
	At    Time
	Cycle []Stuck
}

// Stuck is one buffer of a deadlock, behind a channel of the Graph.
type Stuck struct {
	Channel int32 // of the Graph, -1 for the link of an end port
	VL      uint8
	Packets int // that are in it
	// The first of those that wait for the next buffer: from where, where to, and by which LID.
	Src, Dst int32
	LID      fabric.LID
}

// wait is a first packet of a queue that waits for credits of the next buffer.
type wait struct{ from, next, packet int32 }

// findDeadlock looks for buffers that nothing will ever leave: no credits of theirs are on the way, and the first packet of
// each of their queues waits for more credits than another of them has. They are found by leaving out, as long as there
// are any, buffers of which a packet can leave or waits for one that was left out. What remains waits for ever if nothing fails, is
// written anew or is dropped for its age, so that there is no false alarm.
// A lane that no arbitration table lets send makes no deadlock. O(links x VLs + queues of full buffers x the longest chain of waits).
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

// waitsIn appends the waits of the first packets in a buffer before a switch; all is false where one of them may leave some time.
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

// describe names the buffers of a cycle of waits, of which start is one.
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
