package packet

import (
	"fmt"
	"math/bits"

	"weft/fabric"
)

// Message is an order to send bytes from one end port to another.
type Message struct {
	Src, Dst int32
	Bytes    int64
	Level    uint8 // level of service, by number in Plan.Levels
	Tag      int32 // for the workload's use
	Start    Time
	Lost     int64 // bytes that were dropped, set when the message is finished
}

// message is a message that is not finished.
type message struct {
	Message
	next   int32 // in its ring, or in the list of unused messages
	left   int64 // bytes to be sent
	flying int32 // packets on their way
	lid    fabric.LID
	sl, vl uint8
	flow   int32 // for congestion control
	notice bool  // a notification of congestion, unknown to the workload
}

// ring queues the waiting messages of an end port in order of their turns.
type ring struct{ head, tail int32 }

// adapter holds the times until which the adapter of a node is busy; its ports share it.
type adapter struct {
	last     int32 // end port that sent last
	injected Time  // until then it is busy sending
	drained  Time  // until then it is busy receiving
}

// hosts holds the messages that the end ports have to send.
type hosts struct {
	messages []message
	spare    int32     // first free message
	rings    []ring    // by end port and VL
	adapters []adapter // by node
}

func newHosts(n *network) hosts {
	h := hosts{spare: none, rings: make([]ring, n.g.NumEnds*int(n.vls)), adapters: make([]adapter, n.g.NumNodes)}
	for i := range h.rings {
		h.rings[i] = ring{none, none}
	}
	return h
}

// putLast puts a message at the end of a ring.
func (h *hosts) putLast(r *ring, i int32) {
	if h.messages[i].next = none; r.head == none {
		r.head, r.tail = i, i
		return
	}
	h.messages[r.tail].next, r.tail = i, i
}

// takeFirst takes the first message out of a ring.
func (h *hosts) takeFirst(r *ring) {
	if r.head = h.messages[r.head].next; r.head == none {
		r.tail = none
	}
}

// Workload decides which messages are sent. Sent and Delivered are called for each message.
type Workload interface {
	// Begin sends the first messages, or sets timers.
	Begin(s *Sim)
	// Sent is called when the last packet of a message begins to leave.
	Sent(s *Sim, m *Message)
	// Delivered is called when the target has received all packets of a message that were not lost.
	Delivered(s *Sim, m *Message)
	// Timer is called at the time given to Sim.Timer.
	Timer(s *Sim, id int32)
}

// Send starts a message from one end port to another. It fails if either has no LID, if the source
// is the target, or if there are no bytes.
func (s *Sim) Send(src, dst int32, bytes int64, tag int32) error {
	return s.SendOn(0, src, dst, bytes, tag)
}

// SendOn sends a message at a level of service. A level that the Plan does not have counts as the
// first.
func (s *Sim) SendOn(level uint8, src, dst int32, bytes int64, tag int32) error {
	if err := s.canSend(src, dst, bytes); err != nil {
		return err
	}
	s.enqueue(&Message{Src: src, Dst: dst, Bytes: bytes, Level: level, Tag: tag, Start: s.now}, false)
	return nil
}

// canSend returns an error if a message cannot be sent.
func (s *Sim) canSend(src, dst int32, bytes int64) error {
	switch ends := int32(s.g.NumEnds); {
	case src < 0 || src >= ends || dst < 0 || dst >= ends || src == dst:
		return fmt.Errorf("packet: a message from end port %d to %d: want two different ones of %d", src, dst, ends)
	case bytes < 1:
		return fmt.Errorf("packet: a message of %d bytes: want at least 1", bytes)
	case s.planOf(src).Ends.Base[src] == 0:
		return fmt.Errorf("packet: end port %d has no LID", src)
	case s.planOf(src).Ends.Base[dst] == 0:
		return fmt.Errorf("packet: end port %d has no LID", dst)
	}
	return nil
}

// enqueue adds a message to the ones that its source has to send.
func (s *Sim) enqueue(what *Message, notice bool) {
	i := s.spare
	if i == none {
		i = int32(len(s.messages))
		s.messages = append(s.messages, message{})
	} else {
		s.spare = s.messages[i].next
	}
	m := &s.messages[i]
	*m = message{Message: *what, left: what.Bytes, next: none, notice: notice}
	m.lid, m.sl = s.firstHeader(m.Level, m.Src, m.Dst)
	if m.vl = s.sendVL(m.Src, m.sl); int32(m.vl) >= s.vls {
		packets := (m.Bytes-1)/int64(s.config.MTU) + 1
		s.measure.sent += packets
		s.measure.lost[lostNoLane] += packets
		m.Lost, m.left = m.Bytes, 0
		s.events.Put(s.now, occasion{over, i, 0}) // later, because the workload is still busy with this one
		return
	}
	if s.control != nil {
		m.flow = s.control.flow(m.Src, m.Dst, m.Level, s.config.Congestion.Min)
	}
	s.offer(i)
}

// offer queues a message for sending. Under congestion control the messages of one flow are sent
// one after the other.
func (s *Sim) offer(i int32) {
	if m := &s.messages[i]; s.control != nil && !m.notice {
		s.putLast(&s.control.flows[m.flow].waiting, i)
		s.serve(m.flow)
		return
	}
	s.enter(i)
}

// enter puts a message into the ring of its lane.
func (s *Sim) enter(i int32) {
	m := &s.messages[i]
	at := s.firstEnd + m.Src
	s.putLast(s.ringOf(m), i)
	s.links[at].asked |= 1 << m.vl
	s.send(at)
}

// ringOf returns the ring for the end port and lane of a message.
func (s *Sim) ringOf(m *message) *ring { return &s.rings[m.Src*s.vls+int32(m.vl)] }

// inject sends the next packet of an end port on its link.
func (s *Sim) inject(at int32) {
	l, end := &s.links[at], at-s.firstEnd
	if s.adapterBusy(at) {
		return
	}
	var ready uint16
	var sizes [16]int32
	for set := l.asked; set != 0; set &= set - 1 {
		vl := int32(bits.TrailingZeros16(set))
		sizes[vl] = s.sizeOfNext(end, vl)
		if s.buffers[at*s.vls+vl].credits >= sizes[vl] {
			ready |= 1 << vl
		}
	}
	vl, ok := s.chooseLane(at, ready, &sizes)
	if !ok {
		return
	}
	r := &s.rings[end*s.vls+int32(vl)]
	which := r.head
	m := &s.messages[which]
	i := s.newPacket()
	p := &s.packets[i]
	*p = packet{next: none, message: which, payload: int32(min(m.left, int64(s.config.MTU))), lid: m.lid, from: s.planOf(m.Src).Ends.Base[m.Src], sl: m.sl, sent: s.now}
	m.left -= int64(p.payload)
	m.flying++
	s.measure.sent++
	s.delay(m, s.transmit(at, i, vl)-s.now)
	if s.config.Inject > 0 && !s.g.IsPortZero(end) {
		node := &s.adapters[s.g.EndNode[end]]
		node.injected, node.last = s.now+duration(p.payload+int32(s.config.Headers), s.config.Inject), end
	}
	s.takeFirst(r)
	last := m.left == 0
	switch {
	case s.control != nil && !m.notice:
		s.served(which)
	case !last:
		s.putLast(r, which)
	}
	if r.head == none {
		l.asked &^= 1 << vl
	}
	if last && !m.notice {
		done := m.Message
		s.work.Sent(s, &done)
	}
	if l := &s.links[at]; l.asked != 0 {
		s.send(at)
	}
}

// adapterBusy reports whether an end port must wait for the adapter of its node, or for another
// port's turn; an event ends the wait.
func (s *Sim) adapterBusy(at int32) bool {
	l, end := &s.links[at], at-s.firstEnd
	node := &s.adapters[s.g.EndNode[end]]
	if s.now < node.injected {
		if !l.wakes {
			l.wakes = true
			s.events.Put(node.injected, occasion{isFree, at, 0})
		}
		return true
	}
	if s.config.Inject > 0 && node.last == end && s.othersWait(end) {
		l.wakes = true
		s.events.Put(s.now, occasion{isFree, at, 0})
		return true
	}
	return false
}

// othersWait reports whether another port of the same node wakes at this very time to send.
func (s *Sim) othersWait(end int32) bool {
	n := s.g.EndNode[end]
	for _, e := range s.g.NodeEnds[s.g.NodeStart[n]:s.g.NodeStart[n+1]] {
		if l := &s.links[s.firstEnd+e]; e != end && l.wakes && l.free <= s.now {
			return true
		}
	}
	return false
}

// sizeOfNext returns the number of blocks of the next packet of an end port on a lane.
func (s *Sim) sizeOfNext(end, vl int32) int32 {
	m := &s.messages[s.rings[end*s.vls+vl].head]
	return int32(blocks(int(min(m.left, int64(s.config.MTU))) + s.config.Headers))
}

// drained returns the time at which an end port has taken a packet whose first and last byte arrive
// at the given times.
func (s *Sim) drained(end int32, first, last Time, size int32) Time {
	if s.config.Drain == 0 || s.g.IsPortZero(end) {
		return last
	}
	node := &s.adapters[s.g.EndNode[end]]
	node.drained = max(node.drained, first) + duration(size, s.config.Drain)
	return max(node.drained, last)
}

// deliver hands a packet to an end port.
func (s *Sim) deliver(l, i int32) {
	p := &s.packets[i]
	at := l*s.vls + int32(p.vl)
	if p.epoch != s.links[l].epoch {
		s.lose(i, at, s.now, lostOnLink)
		return
	}
	switch m := &s.messages[p.message]; {
	case m.Dst != -2-s.links[l].to:
		s.lose(i, at, s.now, lostWrongEnd)
		return
	case m.notice:
		s.measure.delivered++
		s.slow(m.Dst, m.Src, m.Level)
	default:
		s.measure.deliver(s.now, m.Src, m.Dst, p)
		if p.marked {
			s.notify(p)
			p = &s.packets[i]
		}
	}
	s.events.Put(s.now+s.config.CableDelay, occasion{credit, at, s.blocksOf(p)})
	s.land(i)
}

// lose drops a packet; the blocks of its buffer are free from the given time on.
func (s *Sim) lose(i, at int32, free Time, why loss) {
	p := &s.packets[i]
	s.measure.lost[why]++
	s.messages[p.message].Lost += int64(p.payload)
	s.events.Put(free+s.config.CableDelay, occasion{credit, at, s.blocksOf(p)})
	s.land(i)
}

// land frees a packet, and finishes its message if it was the last packet.
func (s *Sim) land(i int32) {
	m := s.packets[i].message
	s.forget(i)
	if s.messages[m].flying--; s.messages[m].flying == 0 && s.messages[m].left == 0 {
		s.finish(m)
	}
}

// finish ends a message.
func (s *Sim) finish(i int32) {
	m := &s.messages[i]
	done, notice := m.Message, m.notice
	m.next, s.spare = s.spare, i
	if notice {
		return
	}
	s.measure.finish(s.now, &done)
	s.work.Delivered(s, &done)
}
