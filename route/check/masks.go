package check

import "weft/fabric"

// masks are the SLs of every source to one LID: what a walker carries along the
// paths. They are kept from LID to LID while the classes stay the same.
type masks struct {
	j      *judge
	row    []uint64 // by source class, the invalid one last: SL to the LID, as a bit of a field
	reply  []uint64 // by end: SLs of requests from the owner, to any LID of the end
	chosen []uint64 // likewise, to the LIDs that the owner may use; reply without a Choice

	of       []uint64 // by end: the mask, less what its own table discards
	bySwitch []uint64 // those of the ends of a switch together
	sent     []uint64 // by end: all masks so far, its own LIDs left out

	using   []bool  // by source: whether it may use the LID; nil without a Choice
	sources []int32 // by switch: sources that may use the LID, its owner included
	hosts   []int32 // the hosts among them

	valid              bool
	srcClass, dstClass int32 // what of and reply were made for
	owner              int32 // whose requests chosen holds
	leftOut            int32 // owner for which sent has not been brought up to date, -1 when none
}

func newMasks(j *judge) *masks {
	n := j.g.NumEnds
	m := &masks{
		j: j, row: make([]uint64, j.lanes.numSrc+1), reply: make([]uint64, n), of: make([]uint64, n), sent: make([]uint64, n),
		bySwitch: make([]uint64, j.g.NumSwitches), owner: -1, leftOut: -1, sources: j.sources, hosts: j.hosts,
	}
	m.chosen = m.reply
	if j.turned != nil {
		m.using = make([]bool, n)
		m.chosen = make([]uint64, n)
		m.sources = make([]int32, j.g.NumSwitches)
		m.hosts = make([]int32, j.g.NumSwitches)
	}
	return m
}

// set makes the masks for a LID of an owner.
func (m *masks) set(lid fabric.LID, owner int32) {
	l := m.j.lanes
	src, dst := l.src[owner], l.dst[lid]
	if m.using == nil && m.valid && src == m.srcClass && dst == m.dstClass {
		if m.leftOut >= 0 && m.leftOut != owner {
			m.sent[m.leftOut] |= m.full(m.leftOut)
			m.leftOut = -1
		}
		return
	}
	if !m.valid || dst != m.dstClass {
		for c := range m.row {
			m.row[c] = l.bit(int32(c), dst)
		}
	}
	if m.j.p.Service.ReplySameSL && (!m.valid || src != m.srcClass) {
		m.replies(src)
	}
	if m.using != nil {
		m.choose(lid, owner)
	}
	m.valid, m.srcClass, m.dstClass, m.leftOut = true, src, dst, owner
	m.fill(owner)
}

// fill makes the masks of all ends. It does for all what full does for one.
func (m *masks) fill(owner int32) {
	l, g := m.j.lanes, m.j.g
	clear(m.bySwitch)
	unasked := l.byDefault << l.shift[noRecord]
	spread, other := l.spread, l.shift[anyDLID]
	sw, src, is := g.EndSwitch[:len(m.of)], l.src[:len(m.of)], m.j.isSource[:len(m.of)]
	chosen, reply, sent := m.chosen[:len(m.of)], m.reply[:len(m.of)], m.sent[:len(m.of)]
	left := sent[owner]
	for e := range m.of {
		if e == g.NumHosts {
			spread &^= 1 << l.shift[hostOnly]
		}
		v := uint64(0)
		if is[e] {
			forward := m.row[src[e]]
			if m.using == nil || m.using[e] {
				v = (forward | chosen[e]) * spread
			}
			v |= (forward|reply[e])<<other | unasked
		}
		sent[e] |= v
		if l.hostDrop != nil && e < g.NumHosts {
			v &^= l.hostDrop[e]
		}
		m.of[e] = v
		m.bySwitch[sw[e]] |= v
	}
	sent[owner] = left
}

// full is the mask of one source. The field of hosts supposes that the LID is a
// host's.
func (m *masks) full(e int32) uint64 {
	if !m.j.isSource[e] {
		return 0
	}
	l := m.j.lanes
	forward := m.row[l.src[e]]
	own := forward | m.chosen[e]
	if m.using != nil && !m.using[e] {
		own = 0
	}
	spread := l.spread
	if int(e) >= m.j.g.NumHosts {
		spread &^= 1 << l.shift[hostOnly]
	}
	return own*spread | (forward|m.reply[e])<<l.shift[anyDLID] | l.byDefault<<l.shift[noRecord]
}

// replies finds the SLs of requests from a source class to all LIDs of each end.
func (m *masks) replies(src int32) {
	l := m.j.lanes
	for e := range m.reply {
		v := uint64(0)
		base := int(m.j.p.Ends.Base[e])
		for k := range m.j.count[e] {
			v |= l.bit(src, l.dst[base+k])
		}
		m.reply[e] = v
	}
}

// choose finds who may use the LID, and the SLs of its owner's own requests.
func (m *masks) choose(lid fabric.LID, owner int32) {
	j := m.j
	offset := uint8(int(lid) - int(j.p.Ends.Base[owner]))
	for e := range m.using {
		m.using[e] = offset == 0
	}
	clear(m.sources)
	clear(m.hosts)
	if offset == 0 {
		copy(m.sources, j.sources)
		copy(m.hosts, j.hosts)
	} else {
		m.add(owner, 1)
	}
	t := j.turned
	lo, hi := t.start[owner], t.start[owner+1]
	for _, s := range t.source[lo:hi] {
		m.use(s, owner, false)
	}
	for i := lo; i < hi; i++ {
		if t.offset[i] == offset {
			m.use(t.source[i], owner, true)
		}
	}
	if owner != m.owner && j.p.Service.ReplySameSL {
		m.owner = owner
		m.requests(owner)
	}
}

// use notes that a source may use the LID, or not. The owner itself counts always.
func (m *masks) use(source, owner int32, yes bool) {
	if m.using[source] == yes {
		return
	}
	m.using[source] = yes
	if source == owner || !m.j.isSource[source] {
		return
	}
	if yes {
		m.add(source, 1)
	} else {
		m.add(source, -1)
	}
}

// add counts a source.
func (m *masks) add(source, n int32) {
	s := m.j.g.EndSwitch[source]
	m.sources[s] += n
	if int(source) < m.j.g.NumHosts {
		m.hosts[s] += n
	}
}

// requests finds the SLs of the requests that an end may send to each other end.
func (m *masks) requests(owner int32) {
	j, l, c := m.j, m.j.lanes, m.j.p.Choice
	src := l.src[owner]
	for e := range m.chosen {
		m.chosen[e] = 0
		if j.count[e] > 0 {
			m.chosen[e] = l.bit(src, l.dst[j.p.Ends.Base[e]])
		}
	}
	rows := func(do func(t int32, offset uint8)) {
		for i := c.Start[owner]; i < c.Start[owner+1]; i++ {
			if t := c.Target[i]; t >= 0 && int(t) < j.g.NumEnds {
				do(t, c.Offset[i])
			}
		}
	}
	rows(func(t int32, _ uint8) { m.chosen[t] = 0 })
	rows(func(t int32, offset uint8) {
		if int(offset) < j.count[t] {
			m.chosen[t] |= l.bit(src, l.dst[int(j.p.Ends.Base[t])+int(offset)])
		}
	})
}
