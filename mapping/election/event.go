package election

import (
	"container/heap"
	"iter"
	"time"

	"weft/mapping"
)

// kind is what an event is.
type kind uint8

const (
	resume  kind = iota // a mapper goes on: it starts, or has its answer or silence
	arrives             // a probe reaches a host
	returns             // an answer reaches the mapper, or its own message does
	expires             // the timeout of a probe
)

// event happens to a host.
type event struct {
	at     time.Duration
	serial int
	kind   kind
	host   int32 // whom it happens to
	from   int32 // who sent it
	probe  int   // number of the probe
	hops   int
	bytes  int
	reply  mapping.Reply
}

// events is a heap by time.
type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].serial < q[j].serial
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

func (s *simulation) at(t time.Duration, e event) {
	e.at, e.serial = t, s.made
	s.made++
	heap.Push(&s.events, e)
}

// The overhead of an answered probe is software: a quarter to send it, half for the
// host that answers, a quarter to take the answer.
const quarter = 4

// work occupies the processor of a host, when that is free, and returns the end.
func (s *simulation) work(h int32, share time.Duration) time.Duration {
	m := &s.mappers[h]
	m.free = max(m.free, s.now) + share*s.clock.Overhead/quarter
	return m.free
}

func (s *simulation) handle(e *event) {
	m := &s.mappers[e.host]
	switch e.kind {
	case resume:
		if m.active && e.probe == m.probe {
			s.goOn(e.host)
		}
	case arrives:
		// It is answered by the same way, and tells both who else maps.
		s.meet(e.host, e.from)
		m.served = s.now
		s.result.Messages++
		back := *e
		back.kind, back.host, back.from = returns, e.from, e.host
		s.at(s.work(e.host, 2)+s.clock.Way(e.hops, e.bytes), back)
	case returns:
		if e.host != e.from {
			s.meet(e.host, e.from)
		}
		switch {
		case !m.active && m.result == nil || e.probe < m.first:
			return
		case e.probe != m.probe:
			s.result.Late++
			s.startOver(e.host)
			return
		}
		m.probe++
		end := s.work(e.host, 1)
		m.reply, m.took = e.reply, end-m.sent
		s.at(end, event{kind: resume, host: e.host, probe: m.probe})
	case expires:
		if m.active && e.probe == m.probe {
			m.probe++
			m.reply, m.took = mapping.Reply{}, s.now-m.sent
			s.at(max(s.now, m.free), event{kind: resume, host: e.host, probe: m.probe})
		}
	}
}

// meet lets a host see the address of another one in a message. One that has its map
// already leads no longer.
func (s *simulation) meet(h, other int32) {
	m, o := &s.mappers[h], &s.mappers[other]
	if s.result.By[h] >= 0 || !o.started || o.address >= m.address {
		return
	}
	m.active, m.result = false, nil
	m.stop()
	s.result.Stopped[h], s.result.By[h] = s.now, other
}

// goOn runs the algorithm of a host to its next probe, and sends that.
func (s *simulation) goOn(h int32) {
	m := &s.mappers[h]
	m.started = true
	m.sent = max(s.now, m.free)
	turns, more := m.next()
	if !more {
		m.active = false
		return
	}
	s.result.Messages++
	s.result.Probes++
	leaves := s.work(h, 1)
	outcome, at, hops := s.model.Send(h, turns)
	waits := s.occupy(leaves, len(turns))
	s.at(m.sent+s.timeout(m), event{kind: expires, host: h, probe: m.probe})
	if outcome != mapping.Delivered {
		return
	}
	bytes := s.opt.Hardware.Payload + len(turns)
	e := event{kind: arrives, host: at, from: h, probe: m.probe, hops: hops, bytes: bytes, reply: mapping.Reply{Answered: true, Host: s.n.Hosts[at], Early: hops <= len(turns)}}
	arrival := leaves + waits + s.clock.Way(hops, bytes)
	if at == h {
		// The half of the overhead that another host would have is spent here.
		e.kind = returns
		arrival += 2 * s.clock.Overhead / quarter
		if s.opt.Algorithm.SelfIdentifying && !e.reply.Early {
			e.reply.Switch = s.model.TurnedRound(turns)
		}
	}
	s.at(arrival, e)
}

// A host is not alone at the start, and when another mapper probed it just now: answers
// may be late, and it waits longer for them.
const (
	company = 10 * time.Millisecond
	longer  = 4
)

func (s *simulation) timeout(m *mapper) time.Duration {
	if s.now-m.served < company {
		return longer * m.patience * s.clock.Timeout
	}
	return m.patience * s.clock.Timeout
}

// startOver begins a map again that took a late answer for silence. Probes are
// numbered, so that the host knows. It waits longer from now on.
func (s *simulation) startOver(h int32) {
	m := &s.mappers[h]
	m.stop()
	m.probe++
	m.first, m.result, m.active = m.probe, nil, true
	m.patience *= 2
	m.next, m.stop = iter.Pull(s.algorithm(h))
	s.at(max(s.now, m.free), event{kind: resume, host: h, probe: m.probe})
}

// occupy lets the message last sent wait for the wires that it needs, and take them. It
// returns how long it waited.
func (s *simulation) occupy(leaves time.Duration, turns int) time.Duration {
	var waited time.Duration
	through := s.clock.Way(0, s.opt.Hardware.Payload+turns)
	for k, e := range s.model.Path() {
		at := leaves + waited + time.Duration(k)*s.clock.Hop
		if s.free[e] > at {
			waited += s.free[e] - at
			at = s.free[e]
		}
		s.free[e] = at + through
	}
	if waited > 0 {
		s.result.Waited++
	}
	return waited
}
