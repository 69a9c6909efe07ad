package concurrent

import (
	"slices"
	"time"

	"weft/mapping"
)

// kind is the kind of an event.
type kind uint8

const (
	resume  kind = iota // a mapper continues: it starts, or gets its answer or silence
	arrives             // a probe reaches a host
	returns             // an answer reaches the mapper, or its own message does
	expires             // the timeout of a probe
)

// message is an event at a host.
type message struct {
	kind  kind
	host  int32 // where it happens
	from  int32 // the sender
	probe int   // number of the probe
	hops  int
	turns []mapping.Turn
	reply mapping.Reply
}

// The overhead of an answered probe is software: a quarter to send it, half for the
// host that answers, a quarter to take the answer.
const quarter = 4

// occupyHost occupies the processor of a host for some quarters of the overhead, from when it is
// idle, and returns the end.
func (s *election) occupyHost(h int32, quarters time.Duration) time.Duration {
	m := &s.hosts[h]
	m.idle = max(m.idle, s.now) + quarters*s.clock.Overhead/quarter
	return m.idle
}

func (s *election) handle(e *message) {
	m := &s.hosts[e.host]
	switch e.kind {
	case resume:
		if m.active && e.probe == m.waiting.probe {
			s.sendProbe(e.host)
		}
	case arrives:
		s.answer(e)
	case returns:
		s.takeAnswer(e)
	case expires:
		if m.active && e.probe == m.waiting.probe {
			s.resumeAt(max(s.now, m.idle), e.host, mapping.Reply{}, s.now-m.waiting.sent)
		}
	}
}

// answer lets a host answer a probe over the same path. The answer also names other mappers.
func (s *election) answer(e *message) {
	s.meet(e.host, e.from)
	s.hosts[e.host].served = s.now
	s.result.Messages++
	back := *e
	back.kind, back.host, back.from = returns, e.from, e.host
	leaves := s.occupyHost(e.host, 2)
	s.model.Send(e.from, e.turns)
	s.model.TurnBack()
	own, others := s.crossWires(leaves, len(e.turns))
	s.events.Put(leaves+own+others+s.wayOf(e), back)
}

// takeAnswer passes an answer to the mapper that waits for it. A late answer makes the mapper start
// over.
func (s *election) takeAnswer(e *message) {
	m := &s.hosts[e.host]
	if e.host != e.from {
		s.meet(e.host, e.from)
	}
	switch {
	case !m.active && m.result == nil || e.probe < m.waiting.first:
	case e.probe != m.waiting.probe:
		s.result.Late++
		s.startOver(e.host)
	default:
		end := s.occupyHost(e.host, 1)
		s.resumeAt(end, e.host, e.reply, end-m.waiting.sent)
	}
}

// resumeAt ends the wait of a mapper.
func (s *election) resumeAt(at time.Duration, h int32, reply mapping.Reply, took time.Duration) {
	m := &s.hosts[h]
	m.waiting.probe++
	m.mapper.reply, m.mapper.took = reply, took
	s.events.Put(at, message{kind: resume, host: h, probe: m.waiting.probe})
}

// meet shows a host the address of another one in a message. If that is lower, the mapper stops; a
// host with a finished map stops leading.
func (s *election) meet(h, other int32) {
	m, o := &s.hosts[h], &s.hosts[other]
	if s.result.By[h] >= 0 || !o.started || o.address >= m.address {
		return
	}
	m.active, m.result = false, nil
	m.mapper.stop()
	s.result.Stopped[h], s.result.By[h] = s.now, other
}

// sendProbe runs the mapper of a host to its next probe, and sends it.
func (s *election) sendProbe(h int32) {
	m := &s.hosts[h]
	m.started = true
	m.waiting.sent = max(s.now, m.idle)
	turns, more := m.mapper.next()
	if !more {
		m.active = false
		return
	}
	s.result.Messages++
	s.result.Probes++
	leaves := s.occupyHost(h, 1)
	outcome, at, hops := s.model.Send(h, turns)
	if outcome == mapping.Delivered {
		outcome = s.disturbances[h].Outcome(s.model, at == h)
	}
	own, others := s.crossWires(leaves, len(turns))
	s.events.Put(m.waiting.sent+own+s.timeout(m), message{kind: expires, host: h, probe: m.waiting.probe})
	if outcome != mapping.Delivered && outcome != mapping.Late {
		return
	}
	e := message{
		kind: arrives, host: at, from: h, probe: m.waiting.probe, hops: hops, turns: slices.Clone(turns),
		reply: mapping.Reply{Answered: true, Host: s.n.Hosts[at], Early: hops <= len(turns), Left: len(turns) + 1 - hops},
	}
	arrival := leaves + own + others + s.wayOf(&e)
	if outcome == mapping.Late {
		arrival += s.disturbances[h].Delay(s.clock.Timeout)
	}
	if at == h {
		// Another host's half of the overhead is spent here.
		e.kind = returns
		arrival += 2 * s.clock.Overhead / quarter
		if s.opt.Algorithm.SelfIdentifying && !e.reply.Early {
			e.reply.Switch = s.model.TurnedRound(turns)
		}
	}
	s.events.Put(arrival, e)
}

// A host is not alone at the start, or if another mapper probed it recently: answers may be late,
// and it waits longer for them.
const (
	company = 10 * time.Millisecond
	longer  = 4
)

func (s *election) timeout(m *candidate) time.Duration {
	if s.now-m.served < company {
		return longer * m.patience * s.clock.Timeout
	}
	return m.patience * s.clock.Timeout
}

// startOver restarts a map that took a late answer for silence. The host notices because probes are
// numbered. It waits longer from now on.
func (s *election) startOver(h int32) {
	m := &s.hosts[h]
	m.mapper.stop()
	m.waiting.probe++
	m.waiting.first, m.result, m.active = m.waiting.probe, nil, true
	m.patience *= 2
	m.mapper = s.newMapper(h)
	s.events.Put(max(s.now, m.idle), message{kind: resume, host: h, probe: m.waiting.probe})
}

// crossWires makes the model's latest message wait for its wires, and occupy them.
func (s *election) crossWires(leaves time.Duration, turns int) (own, others time.Duration) {
	own, others = s.wires.Cross(s.model, leaves, turns)
	if own+others > 0 {
		s.result.Waited++
	}
	return own, others
}

// wayOf returns the travel time of a message that waits for no wire.
func (s *election) wayOf(e *message) time.Duration {
	return s.clock.Way(e.hops, s.opt.Hardware.Payload+len(e.turns))
}
