package machine

// busy holds the operations whose processor or port is busy, in a list for each pair of both. Only
// the first of a list has an event: if all had one, each operation that takes the processor would
// postpone the events of all others.
type busy struct {
	lists table // by number of the event
}

// The uses of a processor: alone, or with a port.
const (
	alone int32 = iota
	outward
	inward
)

// user returns the address of a list: a processor of a rank, and the port that is needed with it.
func user(rank int32, cpu, nic uint8, use int32) address {
	return address{rank, int32(cpu)<<8 | int32(nic), use}
}

// await lets the operation of an event wait until its processor and port are free.
func (m *Machine) await(key address, e occasion, free Time) {
	s := &m.slots[e.slot]
	list, fresh := m.busy.lists.add(key)
	if !s.parked {
		s.parked, s.number = true, e.number
		if fresh {
			list.first, list.last, s.same = e.slot, e.slot, none
		} else {
			list.insert(m.slots, e.slot)
		}
	}
	// An operation that was first when its event was put into the queue may be so no longer.
	if s.queued = list.first == e.slot; s.queued {
		m.queue.postpone(free, e)
	}
}

// insert puts a slot into a list by its number. Most come behind the last.
func (l *ends) insert(slots []slot, one int32) {
	s := &slots[one]
	if slots[l.last].number < s.number {
		slots[l.last].same, l.last, s.same = one, one, none
		return
	}
	before := &l.first
	for slots[*before].number < s.number {
		before = &slots[*before].same
	}
	*before, s.same = one, *before
}

// leave removes an operation that begins from its list, and returns the next one of the list.
func (m *Machine) leave(key address, one int32) (next int32) {
	s := &m.slots[one]
	if !s.parked {
		return none
	}
	s.parked = false
	pop(&m.busy.lists, m.slots, m.busy.lists.get(key))
	return s.same
}

// follow lets the next operation of a list begin when its processor and port are free.
func (m *Machine) follow(next int32, arrival bool, free Time) {
	if next == none {
		return
	}
	if s := &m.slots[next]; !s.queued {
		s.queued = true
		m.queue.postpone(free, occasion{s.number, next, arrival})
	}
}
