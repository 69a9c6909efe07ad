package wire

// list is a list of entries; -1 if empty.
type list struct{ first, last int32 }

var noEntries = list{first: -1, last: -1}

// links are the neighbours of an entry in a list; -1 at its ends.
type links struct{ next, prev int32 }

// listKind selects the links of an entry for a list.
type listKind uint8

const (
	inQueue listKind = iota // requests that wait for the window
	inGroup
	numLists
)

// push appends an entry to a list.
func (c *Core) push(l *list, k listKind, i int32) {
	c.entries[i].links[k] = links{next: -1, prev: l.last}
	if l.last < 0 {
		l.first = i
	} else {
		c.entries[l.last].links[k].next = i
	}
	l.last = i
}

// take removes an entry from a list.
func (c *Core) take(l *list, k listKind, i int32) {
	at := c.entries[i].links[k]
	if at.prev < 0 {
		l.first = at.next
	} else {
		c.entries[at.prev].links[k].next = at.next
	}
	if at.next < 0 {
		l.last = at.prev
	} else {
		c.entries[at.next].links[k].prev = at.prev
	}
}

// joinGroup adds an entry to the group of its request.
func (c *Core) joinGroup(i int32) {
	group := c.entries[i].group
	if group == 0 {
		return
	}
	l, ok := c.groups[group]
	if !ok {
		l = noEntries
	}
	c.push(&l, inGroup, i)
	c.groups[group] = l
}

// leaveGroup removes an entry from its group, and the group if it becomes empty.
func (c *Core) leaveGroup(i int32) {
	group := c.entries[i].group
	if group == 0 {
		return
	}
	l := c.groups[group]
	c.take(&l, inGroup, i)
	if l.first < 0 {
		delete(c.groups, group)
	} else {
		c.groups[group] = l
	}
}
