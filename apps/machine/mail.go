package machine

import "weft/apps/program"

// mail matches the messages and receives of a rank. A message goes to the oldest receive that
// accepts it; a receive takes the oldest message that it accepts.
type mail struct {
	kept    table  // messages, oldest first
	posted  table  // receives that name rank and tag, oldest first
	all     []ends // by rank: all kept messages, oldest first
	open    []ends // by rank: receives of any rank or any tag, oldest first
	arrived int64
}

// address identifies the messages that a receive without wildcards accepts.
type address struct{ to, from, tag int32 }

// ends are the first and the last slot of a list.
type ends struct{ first, last int32 }

// links are the places of a waiting message or receive in its lists.
type links struct {
	same          int32 // next of the same address
	before, after int32 // in the list of the rank
	number        int64 // of a receive, in the order in which they began to wait; of the event of another operation
}

const none = -1

func (b *mail) init(ranks int) {
	b.all, b.open = make([]ends, ranks), make([]ends, ranks)
	for r := range ranks {
		b.all[r], b.open[r] = ends{none, none}, ends{none, none}
	}
}

func (s *slot) isOpen() bool { return s.Peer == program.Any || s.Tag == program.Any }

// takes reports whether a receive takes a message.
func (s *slot) takes(message *slot) bool {
	return (s.Peer == program.Any || s.Peer == message.rank) && (s.Tag == program.Any || s.Tag == message.Tag)
}

// keep lets a message wait for its receive.
func (b *mail) keep(slots []slot, message int32) {
	s := &slots[message]
	push(&b.kept, slots, address{s.Peer, s.rank, s.Tag}, message)
	b.all[s.Peer].append(slots, message)
}

// post lets a receive wait for its message.
func (b *mail) post(slots []slot, receive int32) {
	s := &slots[receive]
	s.number = b.arrived
	b.arrived++
	if s.isOpen() {
		b.open[s.rank].append(slots, receive)
		return
	}
	push(&b.posted, slots, address{s.rank, s.Peer, s.Tag}, receive)
}

// takeReceive removes the receive that takes a message.
func (b *mail) takeReceive(slots []slot, message int32) (int32, bool) {
	s := &slots[message]
	key := address{s.Peer, s.rank, s.Tag}
	named := b.posted.get(key)
	for o := b.open[s.Peer].first; o != none; o = slots[o].after {
		if named != nil && slots[named.first].number < slots[o].number {
			break
		}
		if slots[o].takes(s) {
			b.open[s.Peer].remove(slots, o)
			return o, true
		}
	}
	if named == nil {
		return none, false
	}
	return pop(&b.posted, slots, named), true
}

// takeMessage removes the message that a receive takes.
func (b *mail) takeMessage(slots []slot, receive int32) (int32, bool) {
	s := &slots[receive]
	key := address{s.rank, s.Peer, s.Tag}
	if s.isOpen() {
		message := b.all[s.rank].first
		for message != none && !s.takes(&slots[message]) {
			message = slots[message].after
		}
		if message == none {
			return none, false
		}
		key = address{s.rank, slots[message].rank, slots[message].Tag}
	}
	list := b.kept.get(key)
	if list == nil {
		return none, false
	}
	// The oldest message of any rank or tag is the oldest of its own address.
	message := pop(&b.kept, slots, list)
	b.all[s.rank].remove(slots, message)
	return message, true
}

// push appends a slot to the list of an address.
func push(lists *table, slots []slot, key address, s int32) {
	slots[s].same = none
	list, fresh := lists.add(key)
	if fresh {
		list.first = s
	} else {
		slots[list.last].same = s
	}
	list.last = s
}

// pop removes the first slot of the list of an address.
func pop(lists *table, slots []slot, list *cell) int32 {
	s := list.first
	if list.first = slots[s].same; list.first == none {
		lists.remove(list.key)
	}
	return s
}

// append adds a slot to the list of a rank.
func (l *ends) append(slots []slot, s int32) {
	slots[s].before, slots[s].after = l.last, none
	if l.last == none {
		l.first = s
	} else {
		slots[l.last].after = s
	}
	l.last = s
}

// remove takes a slot out of the list of a rank.
func (l *ends) remove(slots []slot, s int32) {
	before, after := slots[s].before, slots[s].after
	if before == none {
		l.first = after
	} else {
		slots[before].after = after
	}
	if after == none {
		l.last = before
	} else {
		slots[after].before = before
	}
}
