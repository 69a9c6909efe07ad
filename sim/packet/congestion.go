package packet

import "weft/sim/congestion"

// noticeSize is the payload of a notification, in bytes.
const noticeSize = 16

// controlled is the state of congestion control.
type controlled struct {
	flows   []controlledFlow
	byEnds  map[[3]int32]int32 // by source, target and level: flow
	starved []Time             // by link and VL: when it last had a packet and no credits
	skipped []uint16           // by link and VL: packets since the last that was marked
	marks   int64
}

// controlledFlow holds the state of a flow at its source.
type controlledFlow struct {
	index uint16 // into the table of delays
	ticks bool   // a timer runs
	ready Time   // when the next packet may be sent

	waiting ring // messages of it that wait for their turns
	sends   bool // a message of it is in the ring of its lane, to send one packet
	wakes   bool // an event comes when it is ready
}

func newControlled(queues int) *controlled {
	return &controlled{byEnds: map[[3]int32]int32{}, starved: make([]Time, queues), skipped: make([]uint16, queues)}
}

// flow numbers a source and a target at a level of service.
func (c *controlled) flow(src, dst int32, level uint8, least uint16) int32 {
	key := [3]int32{src, dst, int32(level)}
	f, ok := c.byEnds[key]
	if !ok {
		f = int32(len(c.flows))
		c.byEnds[key] = f
		c.flows = append(c.flows, controlledFlow{index: least, waiting: ring{none, none}})
	}
	return f
}

// mark decides whether a switch marks a packet that it sends on by a link and lane; the packet is
// still the first of its queue, which asks no more.
func (s *Sim) mark(p *packet, at int32, vl uint8) {
	cc := s.config.Congestion
	if s.blocksOf(p) < int32(cc.PacketSize) || s.messages[p.message].notice {
		return
	}
	key := at*s.vls + int32(vl)
	if s.links[at].to >= 0 && !cc.MarkVictims && s.control.starved[key] >= p.head && s.control.starved[key] > 0 {
		return
	}
	waits := int32(0)
	for i := range s.packetsFrom(p.next) {
		waits += s.blocksOf(&s.packets[i])
	}
	sw := s.owner[at]
	for input := range members(s.askers(at, vl)) {
		for i := range s.packetsFrom(s.list[s.queueOf(sw, input, at)].head) {
			waits += s.blocksOf(&s.packets[i])
		}
	}
	if waits*16 <= s.size*int32(16-cc.Threshold) {
		return
	}
	if s.control.skipped[key] < cc.MarkingRate {
		s.control.skipped[key]++
		return
	}
	s.control.skipped[key] = 0
	p.marked = true
	s.control.marks++
}

// notify sends a notification back for a marked packet.
func (s *Sim) notify(p *packet) {
	m := &s.messages[p.message]
	src, dst := m.Dst, m.Src
	if s.planOf(src).Ends.Base[dst] == 0 {
		return
	}
	s.enqueue(&Message{Src: src, Dst: dst, Bytes: noticeSize, Level: m.Level, Start: s.now}, true)
}

// slow raises the index of the flow from a source to a target at a level.
func (s *Sim) slow(src, dst int32, level uint8) {
	cc := s.config.Congestion
	f := s.control.flow(src, dst, level, cc.Min)
	flow := &s.control.flows[f]
	flow.index = uint16(min(int(flow.index)+int(cc.Increase), int(cc.Limit)))
	if !flow.ticks && flow.index > cc.Min {
		flow.ticks = true
		s.events.Put(s.now+Time(cc.Timer), occasion{recovers, f, 0})
	}
}

// quicken lowers the index of a flow, as its timer says.
func (s *Sim) quicken(f int32) {
	flow, cc := &s.control.flows[f], s.config.Congestion
	if flow.index > cc.Min {
		flow.index--
	}
	if flow.ticks = flow.index > cc.Min; flow.ticks {
		s.events.Put(s.now+Time(cc.Timer), occasion{recovers, f, 0})
	}
}

// serve lets the first message of a flow that waits send a packet, unless another of the flow is
// about to or the flow must wait.
func (s *Sim) serve(f int32) {
	flow := &s.control.flows[f]
	i := flow.waiting.head
	switch {
	case flow.sends || flow.wakes || i == none:
	case flow.ready > s.now:
		flow.wakes = true
		s.events.Put(flow.ready, occasion{resume, f, 0})
	default:
		s.takeFirst(&flow.waiting)
		flow.sends = true
		s.enter(i)
	}
}

// served ends the turn of a message of a flow: the next one has its turn, and this one again later
// if it has more to send.
func (s *Sim) served(i int32) {
	m := &s.messages[i]
	flow := &s.control.flows[m.flow]
	flow.sends = false
	if m.left > 0 {
		s.putLast(&flow.waiting, i)
	}
	s.serve(m.flow)
}

// waitAfter returns the wait of a flow after a packet that took so long.
func waitAfter(d congestion.Delay, packet Time) Time { return packet * Time(d.Multiplier) >> d.Shift }

// delay lets the flow of a message wait after a packet that took so long.
func (s *Sim) delay(m *message, took Time) {
	if s.control != nil && !m.notice {
		flow := &s.control.flows[m.flow]
		if wait := waitAfter(s.config.Congestion.Table[flow.index], took); wait > 0 {
			flow.ready = s.now + took + wait
		}
	}
}
