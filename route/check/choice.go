package check

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// byTarget is a Choice the other way round: the rows of each target.
type byTarget struct {
	start  []int32
	source []int32
	offset []uint8
}

// turnChoice sorts the rows by target and finds those that name no LID of it.
func (j *judge) turnChoice(c *route.Choice) *byTarget {
	n := j.g.NumEnds
	bt := &byTarget{start: make([]int32, n+1)}
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			t := c.Target[i]
			if t < 0 || int(t) >= n || int(c.Offset[i]) >= j.count[t] {
				j.badRow(s, t, c.Offset[i])
			}
			if t >= 0 && int(t) < n {
				bt.start[t+1]++
			}
		}
	}
	for t := range n {
		bt.start[t+1] += bt.start[t]
	}
	bt.source = make([]int32, bt.start[n])
	bt.offset = make([]uint8, bt.start[n])
	fill := append([]int32(nil), bt.start[:n]...)
	for s := range int32(n) {
		for i := c.Start[s]; i < c.Start[s+1]; i++ {
			if t := c.Target[i]; t >= 0 && int(t) < n {
				bt.source[fill[t]], bt.offset[fill[t]] = s, c.Offset[i]
				fill[t]++
			}
		}
	}
	return bt
}

func (j *judge) badRow(s, t int32, offset uint8) {
	j.badRows++
	if len(j.badRowText) >= j.examples {
		return
	}
	target := fmt.Sprintf("target %d, which does not exist", t)
	if t >= 0 && int(t) < j.g.NumEnds {
		target = fmt.Sprintf("offset %d of %s, which has %d LIDs", offset, route.EndName(j.g, t), j.count[t])
	}
	j.badRowText = append(j.badRowText, fmt.Sprintf("%s uses %s", route.EndName(j.g, s), target))
}

// masks are the SLs of every source to one LID: what a walker carries along the
// paths. They are kept from LID to LID while the classes stay the same.
type masks struct {
	j        *judge
	using    []bool   // by source, whether it may use the LID; nil without a Choice
	reply    []uint64 // by end: SLs of requests from the owner, to any LID of the end
	chosen   []uint64 // likewise, to the LIDs that the owner may use; nil without a Choice
	of       []uint64 // by end: the mask
	bySwitch []uint64 // the masks of the ends of a switch together
	sent     []uint64 // by end: all masks so far, its own LIDs left out

	valid              bool
	srcClass, dstClass int32 // what of and reply were made for
	owner              int32 // whose requests chosen holds
	leftOut            int32 // owner for which sent has not been brought up to date, -1 when none
}

func newMasks(j *judge) *masks {
	n := j.g.NumEnds
	m := &masks{j: j, reply: make([]uint64, n), of: make([]uint64, n), sent: make([]uint64, n),
		bySwitch: make([]uint64, j.g.NumSwitches), owner: -1, leftOut: -1}
	if j.turned != nil {
		m.using = make([]bool, n)
		m.chosen = make([]uint64, n)
	}
	return m
}

// set makes the masks for a LID of an owner.
func (m *masks) set(lid fabric.LID, owner int32) {
	l := m.j.lanes
	src, dst := l.src[owner], l.dst[lid]
	if m.j.turned == nil && m.valid && src == m.srcClass && dst == m.dstClass {
		if m.leftOut >= 0 && m.leftOut != owner {
			m.sent[m.leftOut] |= m.of[m.leftOut]
			m.leftOut = -1
		}
		return
	}
	if m.j.p.Service.ReplySameSL && (!m.valid || src != m.srcClass) {
		m.replies(src)
	}
	if m.j.turned != nil {
		m.choose(lid, owner)
	}
	m.valid, m.srcClass, m.dstClass, m.leftOut = true, src, dst, owner
	clear(m.bySwitch)
	for e := range int32(len(m.of)) {
		v := m.mask(e)
		if e != owner {
			m.sent[e] |= v
		}
		if l.hostDrop != nil && int(e) < m.j.g.NumHosts {
			v &^= l.hostDrop[e]
		}
		m.of[e] = v
		m.bySwitch[m.j.g.EndSwitch[e]] |= v
	}
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
	t := j.turned
	lo, hi := t.start[owner], t.start[owner+1]
	for _, s := range t.source[lo:hi] {
		m.using[s] = false
	}
	for i := lo; i < hi; i++ {
		if t.offset[i] == offset {
			m.using[t.source[i]] = true
		}
	}
	if owner == m.owner || !j.p.Service.ReplySameSL {
		return
	}
	m.owner = owner
	m.requests(owner)
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

// mask is the mask of one source. The field of hosts supposes that the LID is a
// host's.
func (m *masks) mask(e int32) uint64 {
	if !m.j.isSource[e] {
		return 0
	}
	l := m.j.lanes
	forward := l.bit(l.src[e], m.dstClass)
	all := forward | m.reply[e]
	own := all
	if m.using != nil {
		own = 0
		if m.using[e] {
			own = forward | m.chosen[e]
		}
	}
	v := own | all<<l.shift[anyDLID] | (own|l.byDefault)<<l.shift[noRecord]
	if int(e) < m.j.g.NumHosts {
		v |= own << l.shift[hostOnly]
	}
	return v
}
