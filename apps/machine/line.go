package machine

// line keeps the messages of one sender, target and tag in the order of sending, as a connection of
// InfiniBand and MPI do. A network that shares its links may bring a short message
// before a long one that was sent earlier; the short one then waits.
type line struct {
	under table // the last message under way
}

// join puts a message behind the earlier messages to its address that are under way.
func (l *line) join(slots []slot, message int32) {
	s := &slots[message]
	key := address{s.Peer, s.rank, s.Tag}
	s.behind = none
	under, fresh := l.under.add(key)
	if !fresh {
		slots[under.last].behind, s.waits = message, true
	}
	under.last = message
}

// leave takes a message out at its target. It returns the next one if that is there already.
func (l *line) leave(slots []slot, message int32) (next int32, here bool) {
	s := &slots[message]
	if s.behind == none {
		l.under.remove(address{s.Peer, s.rank, s.Tag})
		return none, false
	}
	n := &slots[s.behind]
	n.waits = false
	return s.behind, n.here
}

// place holds a message's neighbour and state in its line.
type place struct {
	behind int32 // the next message of the line
	waits  bool  // an earlier one is not at its target
	here   bool  // at the target, but waits
}
