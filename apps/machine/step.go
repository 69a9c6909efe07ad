package machine

import (
	"strconv"

	"weft/apps/program"
)

// Step lets the next event happen. There must be one.
func (m *Machine) Step() { m.happen(m.queue.pop()) }

// happen lets an event happen, at the time that is then the present.
func (m *Machine) happen(at Time, e occasion) {
	if m.events++; m.watch != nil && m.events%watchEvery == 0 {
		m.watch()
	}
	m.now = at
	s := &m.slots[e.slot]
	switch m.within(s, at); {
	case m.failed != nil:
	case e.arrival:
		m.arrive(e)
	case s.Kind == program.Calc:
		m.calc(e, s)
	case s.Kind == program.Send:
		m.send(e, s)
	default:
		m.receive(e.slot)
	}
}

// calc computes for the operation's time.
func (m *Machine) calc(e occasion, s *slot) {
	cpu := &m.ranks[s.rank].cpu[s.CPU]
	key := user(s.rank, s.CPU, 0, alone)
	if *cpu > m.now {
		m.await(key, e, *cpu)
		return
	}
	next := m.leave(key, e.slot)
	*cpu = m.now + product(s.Size, m.unit)
	m.within(s, *cpu)
	m.follow(next, false, *cpu)
	if m.Computed != nil {
		m.Computed(s.rank, m.now, *cpu)
	}
	m.begun(s, m.now)
	m.ended(s, *cpu)
	r := s.rank
	m.freeSlot(e.slot)
	m.enter(r)
}

// send hands a message, or the request for it, to the network.
func (m *Machine) send(e occasion, s *slot) {
	r := &m.ranks[s.rank]
	cpu, out := &r.cpu[s.CPU], &r.out[s.NIC]
	key := user(s.rank, s.CPU, s.NIC, outward)
	if free := max(*cpu, *out); free > m.now {
		m.await(key, e, free)
		return
	}
	next := m.leave(key, e.slot)
	*cpu = m.now + m.costs.Overhead + bytesAfter(s.Size, m.costs.OverheadPerByte)
	*out = m.now + m.costs.Gap + bytesAfter(s.Size, m.costs.GapPerByte)
	free := max(*cpu, *out)
	m.within(s, free)
	m.follow(next, false, free)
	m.count(s)
	m.begun(s, m.now)
	if s.Size <= m.costs.Eager {
		m.ended(s, *cpu)
	} else {
		s.stage = request
	}
	if m.network != nil {
		m.line.join(m.slots, e.slot)
	}
	m.transmit(m.now+m.costs.Overhead, e.slot)
	m.enter(s.rank)
}

// transmit gives a message in its present stage to the network.
func (m *Machine) transmit(at Time, number int32) {
	if m.network == nil {
		m.queue.push(at+m.costs.Latency, occasion{slot: number, arrival: true})
		return
	}
	s := &m.slots[number]
	msg := Message{Number: number, From: s.rank, To: s.Peer, NIC: s.NIC, Bytes: s.Size}
	switch s.stage {
	case request:
		msg.Control, msg.Bytes = true, controlBytes
	case answered:
		msg.Control, msg.Bytes = true, controlBytes
		msg.From, msg.To = msg.To, msg.From
	case eager, data:
	}
	m.network.Send(at, msg)
}

// controlBytes is the size of a request, and of its answer.
const controlBytes = 64

// Arrive is called by the Network when a message is at its target.
func (m *Machine) Arrive(at Time, number int32) {
	m.queue.push(at, occasion{slot: number, arrival: true})
}

// ArriveNow replaces Arrive for all messages that are at their targets at a time before the
// Machine's next event. It is faster: they do not pass through the queue.
func (m *Machine) ArriveNow(at Time, numbers []int32) {
	first := m.queue.reserve(at, len(numbers))
	for i, n := range numbers {
		m.happen(at, occasion{number: first + int64(i), slot: n, arrival: true})
		if m.failed != nil {
			return
		}
	}
}

// arrive handles a message, a request or an answer at its target.
func (m *Machine) arrive(e occasion) {
	s := &m.slots[e.slot]
	switch s.stage {
	case answered:
		s.stage = data
		m.transmit(m.now, e.slot)
		return
	case request:
		if m.network != nil {
			if m.isFirst(e.slot) {
				m.leaveLine(e.slot)
				m.takeRequest(e.slot)
			}
			return
		}
	case eager:
		if m.network != nil && !m.isFirst(e.slot) {
			return
		}
	case data:
	}
	to := &m.ranks[s.Peer]
	cpu, in := &to.cpu[s.CPU], &to.in[s.NIC]
	key := user(s.Peer, s.CPU, s.NIC, inward)
	if free := max(*cpu, *in); free > m.now {
		m.await(key, e, free)
		return
	}
	next := m.leave(key, e.slot)
	*cpu = m.now + m.costs.Overhead + max(bytesAfter(s.Size, m.costs.OverheadPerByte), bytesAfter(s.Size, m.costs.GapPerByte))
	*in = m.now + m.costs.Gap + bytesAfter(s.Size, m.costs.GapPerByte)
	free := max(*cpu, *in)
	m.within(s, free)
	m.follow(next, true, free)
	if s.stage == data {
		m.endTransfer(e.slot, *cpu)
		return
	}
	if m.network != nil {
		m.leaveLine(e.slot)
	}
	s.held = *cpu
	recv, ok := m.mail.takeReceive(m.slots, e.slot)
	if !ok {
		m.mail.keep(m.slots, e.slot)
		return
	}
	m.compare(recv, e.slot)
	m.match(recv, e.slot, *cpu, s.CPU, s.NIC)
}

// compare counts a message whose receive gives another size. The simulation takes the message's.
func (m *Machine) compare(receive, message int32) {
	r, s := &m.slots[receive], &m.slots[message]
	if r.Size == s.Size {
		return
	}
	if m.Unequal++; m.Unequal == 1 {
		m.FirstUnequal = m.describe(r) + ", but the message has " + strconv.FormatInt(s.Size, 10) + " bytes"
	}
}

// isFirst reports whether all earlier messages of a message's line are at their target; otherwise
// the message waits for them there.
func (m *Machine) isFirst(message int32) bool {
	s := &m.slots[message]
	s.here = true
	return !s.waits
}

// leaveLine takes a message out of its line, and lets the next one follow if it is there.
func (m *Machine) leaveLine(message int32) {
	if next, here := m.line.leave(m.slots, message); here {
		m.queue.push(m.now, occasion{slot: next, arrival: true})
	}
}

// receive takes a message that has come before, or waits for one.
func (m *Machine) receive(number int32) {
	s := &m.slots[number]
	m.begun(s, m.now)
	message, ok := m.mail.takeMessage(m.slots, number)
	if !ok {
		m.mail.post(m.slots, number)
		m.enter(s.rank)
		return
	}
	m.compare(number, message)
	if m.network != nil && m.slots[message].stage == request {
		m.answer(message, number)
		m.enter(s.rank)
		return
	}
	m.match(number, message, max(m.now, m.slots[message].held), s.CPU, s.NIC)
}

// match ends a receive whose message is there. If the message's send waits for this, it ends too,
// and the given processor and port of its rank are busy until now.
func (m *Machine) match(receive, message int32, end Time, cpu, nic uint8) {
	m.ended(&m.slots[receive], end)
	m.enter(m.slots[receive].rank)
	if s := &m.slots[message]; s.stage == request {
		from := &m.ranks[s.rank]
		from.cpu[cpu] = max(from.cpu[cpu], m.now)
		from.out[nic] = max(from.out[nic], m.now)
		m.ended(s, m.now)
		m.enter(s.rank)
	}
	m.freeSlot(receive)
	m.freeSlot(message)
}

// takeRequest answers a request whose receive waits, or keeps it.
func (m *Machine) takeRequest(number int32) {
	if receive, ok := m.mail.takeReceive(m.slots, number); ok {
		m.compare(receive, number)
		m.answer(number, receive)
		return
	}
	m.mail.keep(m.slots, number)
}

// answer lets the sender of a request send its data to a receive.
func (m *Machine) answer(number, receive int32) {
	s := &m.slots[number]
	s.stage, s.partner = answered, receive
	m.transmit(m.now, number)
}

// endTransfer ends the send and the receive of data that have arrived.
func (m *Machine) endTransfer(number int32, end Time) {
	s := &m.slots[number]
	receive := s.partner
	m.ended(&m.slots[receive], end)
	m.enter(m.slots[receive].rank)
	m.ended(&m.slots[number], m.now)
	m.enter(m.slots[number].rank)
	m.freeSlot(receive)
	m.freeSlot(number)
}
