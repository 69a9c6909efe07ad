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
	// The first of them: from where, where to, and by which LID.
	Src, Dst int32
	LID      fabric.LID
}

// findDeadlock looks for a cycle of buffers whose first packets wait for credits that only the next buffer can give,
// and which hold all that they ever had. What waits in it waits for ever, so that there is no false alarm. Every
// buffer waits for one other at most, so that following each once finds a cycle if there is one: O(links x VLs).
func (s *Sim) findDeadlock() *Deadlock {
	walk := make([]int32, len(s.queues)) // number of the walk that came by, 0 if none did
	for at := range int32(len(s.queues)) {
		number := at + 1
		x := at
		for x != none && walk[x] == 0 {
			walk[x] = number
			x = s.waitsFor(x)
		}
		if x != none && walk[x] == number {
			return s.describe(x)
		}
	}
	return nil
}

// waitsFor is the full buffer that keeps the first packet of a queue from leaving, none if it may leave some time.
func (s *Sim) waitsFor(at int32) int32 {
	q := &s.queues[at]
	if q.head == none || q.out == none || s.links[q.out].to < 0 {
		return none
	}
	set, bit := s.askers(q.out, q.vl), s.input(at)
	if set[bit>>6]>>(bit&63)&1 == 0 {
		return none
	}
	sw := s.owner[q.out]
	first := s.queues[s.queueOf(sw, s.candidate(sw, q.out, q.vl))].head
	next := q.out*s.vls + int32(q.vl)
	if b := &s.queues[next]; s.blocksOf(&s.packets[first]) <= b.credits || b.credits+b.waiting != s.size {
		return none
	}
	return next
}

func (s *Sim) describe(start int32) *Deadlock {
	d := &Deadlock{At: s.now}
	for x := start; ; {
		q := &s.queues[x]
		stuck := Stuck{Channel: -1, VL: uint8(x % s.vls)}
		if l := x / s.vls; l < s.firstEnd {
			stuck.Channel = s.g.Attached[l]
		}
		p := &s.packets[q.head]
		m := &s.messages[p.message]
		stuck.Src, stuck.Dst, stuck.LID = m.Src, m.Dst, p.lid
		for i := q.head; i != none; i = s.packets[i].next {
			stuck.Packets++
		}
		d.Cycle = append(d.Cycle, stuck)
		if x = s.waitsFor(x); x == start {
			return d
		}
	}
}
