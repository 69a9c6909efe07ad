package machine

import "weft/apps/program"

// Step lets the next event happen. There must be one.
func (m *Machine) Step() {
	e := m.queue.pop()
	m.now = e.at
	s := &m.slots[e.slot]
	switch {
	case e.arrival:
		m.arrival(e)
	case s.Kind == program.Calc:
		m.calc(e, s)
	case s.Kind == program.Send:
		m.send(e, s)
	default:
		m.receive(e.slot)
	}
}

// calc computes for the operation's time.
func (m *Machine) calc(e event, s *slot) {
	cpu := &m.ranks[s.rank].cpu[s.CPU]
	if *cpu > e.at {
		m.queue.postpone(e, *cpu)
		return
	}
	*cpu = e.at + Time(s.Size)*m.unit
	m.begun(s, e.at)
	m.ended(s, *cpu)
	r := s.rank
	m.drop(e.slot)
	m.enter(r)
}

// send hands a message, or the request for it, to the network.
func (m *Machine) send(e event, s *slot) {
	r := &m.ranks[s.rank]
	cpu, out := &r.cpu[s.CPU], &r.out[s.NIC]
	if free := max(*cpu, *out); free > e.at {
		m.queue.postpone(e, free)
		return
	}
	*cpu = e.at + m.costs.O + bytesAfter(s.Size, m.costs.P)
	*out = e.at + m.costs.G + bytesAfter(s.Size, m.costs.B)
	m.Messages++
	m.Bytes += s.Size
	m.begun(s, e.at)
	if s.Size <= m.costs.S {
		m.ended(s, *cpu)
	} else {
		s.stage = request
	}
	m.transmit(e.at+m.costs.O, e.slot)
	m.enter(s.rank)
}

// transmit gives a message in its present stage to the network.
func (m *Machine) transmit(at Time, number int32) {
	if m.network == nil {
		m.queue.push(event{at: at + m.costs.L, slot: number, arrival: true})
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
	m.queue.push(event{at: at, slot: number, arrival: true})
}

// arrival handles a message, a request or an answer at its target.
func (m *Machine) arrival(e event) {
	s := &m.slots[e.slot]
	switch s.stage {
	case answered:
		s.stage = data
		m.transmit(e.at, e.slot)
		return
	case request:
		if m.network != nil {
			m.meetRequest(e.slot)
			return
		}
	case eager, data:
	}
	to := &m.ranks[s.Peer]
	cpu, in := &to.cpu[s.CPU], &to.in[s.NIC]
	if free := max(*cpu, *in); free > e.at {
		m.queue.postpone(e, free)
		return
	}
	*cpu = e.at + m.costs.O + max(bytesAfter(s.Size, m.costs.P), bytesAfter(s.Size, m.costs.B))
	*in = e.at + m.costs.G + bytesAfter(s.Size, m.costs.B)
	if s.stage == data {
		m.endTransfer(e.slot, *cpu)
		return
	}
	s.held = *cpu
	recv, ok := m.mail.takeReceive(m.slots, e.slot)
	if !ok {
		m.mail.keep(m.slots, e.slot)
		return
	}
	m.meet(recv, e.slot, *cpu, s.CPU, s.NIC)
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
	if m.network != nil && m.slots[message].stage == request {
		m.answer(message, number)
		m.enter(s.rank)
		return
	}
	m.meet(number, message, max(m.now, m.slots[message].held), s.CPU, s.NIC)
}

// meet ends a receive whose message is there. If the message's send waits for this, it ends too,
// and the given processor and port of its rank are busy until now.
func (m *Machine) meet(receive, message int32, end Time, cpu, nic uint8) {
	m.ended(&m.slots[receive], end)
	m.enter(m.slots[receive].rank)
	if s := &m.slots[message]; s.stage == request {
		from := &m.ranks[s.rank]
		from.cpu[cpu] = max(from.cpu[cpu], m.now)
		from.out[nic] = max(from.out[nic], m.now)
		m.ended(s, m.now)
		m.enter(s.rank)
	}
	m.drop(receive)
	m.drop(message)
}

// meetRequest answers a request whose receive waits, or keeps it.
func (m *Machine) meetRequest(number int32) {
	if receive, ok := m.mail.takeReceive(m.slots, number); ok {
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
	m.drop(receive)
	m.drop(number)
}
