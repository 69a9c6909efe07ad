package check

import (
	"weft/fabric"
	"weft/route"
)

// senders gives the SLs that end ports use to one LID, as masks: of requests, and of replies to
// requests of its owner.
type senders interface {
	// set computes the masks for the LID of p.
	set(p *Paths)
	// bySwitch returns by switch the mask of all its ends.
	bySwitch() []uint64
	// of returns the mask of one end port, without the SLs that its own table discards.
	of(e int32) uint64
	// sentBy returns the set of SLs (a field) of assigned packets from a host to others, for all
	// LIDs so far. It may hold more (see judge.sentBy).
	sentBy(e int32) uint64
}

// newSenders returns masks by group of sources, or by source where sources must differ.
func newSenders(j *judge) senders {
	if j.groups != nil {
		return newGroupMasks(j)
	}
	return newSourceMasks(j)
}

// trafficTo returns the mask of the kinds of traffic to an owner: packets to a switch are no
// traffic of hosts.
func (j *judge) trafficTo(owner int32) uint64 {
	if owner >= int32(j.Graph.NumHosts) {
		return ^j.lanes.fieldMask(hostOnly)
	}
	return ^uint64(0)
}

// sentBy returns the set of SLs (a field) of a source's assigned packets.
func (j *judge) sentBy(e int32) uint64 {
	sent := uint64(0)
	for _, w := range j.workers {
		if w != nil {
			sent |= w.senders.sentBy(e)
		}
	}
	if j.groups == nil || !j.LIDs.IsSource(e) {
		return sent
	}
	return j.sentByGroup(e, sent)
}

// sourceMasks holds the masks of every source. They stay from LID to LID while the classes are the
// same.
type sourceMasks struct {
	j        *judge
	masks    []uint64 // by end, without the SLs that its own table discards
	switches []uint64 // by switch, of its ends together
	sent     []uint64 // by end: all masks so far, without its own LIDs

	toLID  []uint64 // by source class, the invalid one last: SL to the LID, as a bit of a field
	reply  []uint64 // by end: SLs of requests from the owner, to any LID of the end
	chosen []uint64 // likewise, to the LIDs that the owner may use; reply where it may use all

	may                []bool // users.may
	valid              bool
	srcClass, dstClass int32 // what masks and reply were made for
	chosenOf           int32 // owner whose requests chosen holds
	leftOut            int32 // owner whose entry of sent is out of date, -1 if none
}

func newSourceMasks(j *judge) *sourceMasks {
	n := j.Graph.NumEnds
	m := &sourceMasks{
		j: j, masks: make([]uint64, n), switches: make([]uint64, j.Graph.NumSwitches), sent: make([]uint64, n),
		toLID: make([]uint64, j.lanes.numSrc+1), reply: make([]uint64, n), chosenOf: -1, leftOut: -1,
	}
	m.chosen = m.reply
	if j.choice != nil {
		m.chosen = make([]uint64, n)
	}
	return m
}

func (m *sourceMasks) bySwitch() []uint64    { return m.switches }
func (m *sourceMasks) of(e int32) uint64     { return m.masks[e] }
func (m *sourceMasks) sentBy(e int32) uint64 { return m.j.lanes.field(m.sent[e], assigned) }

func (m *sourceMasks) set(p *Paths) {
	l, owner := m.j.lanes, p.Owner
	src, dst := l.src[owner], l.dst[p.LID]
	m.may = p.may
	if m.may == nil && m.valid && src == m.srcClass && dst == m.dstClass {
		if m.leftOut >= 0 && m.leftOut != owner {
			m.sent[m.leftOut] |= m.beforeDiscards(m.leftOut)
			m.leftOut = -1
		}
		return
	}
	if !m.valid || dst != m.dstClass {
		for c := range m.toLID {
			m.toLID[c] = l.bit(int32(c), dst)
		}
	}
	if m.j.Plan.Service.ReplySameSL {
		if !m.valid || src != m.srcClass {
			m.setReplies(src)
		}
		if m.may != nil && owner != m.chosenOf {
			m.chosenOf = owner
			m.setChosen(owner)
		}
	}
	m.valid, m.srcClass, m.dstClass, m.leftOut = true, src, dst, owner
	m.fill(owner)
}

// fill computes the masks of all ends, as beforeDiscards does for one.
func (m *sourceMasks) fill(owner int32) {
	l, g := m.j.lanes, m.j.Graph
	clear(m.switches)
	unasked := l.unasked()
	spread, other := l.spreadOf(true), l.shift[anyDLID]
	sw, src, count := g.EndSwitch[:len(m.masks)], l.src[:len(m.masks)], m.j.LIDs.Count[:len(m.masks)]
	chosen, reply, sent := m.chosen[:len(m.masks)], m.reply[:len(m.masks)], m.sent[:len(m.masks)]
	left := sent[owner]
	for e := range m.masks {
		if e == g.NumHosts {
			spread = l.spreadOf(false)
		}
		v := uint64(0)
		if count[e] > 0 {
			forward := m.toLID[src[e]]
			if m.may == nil || m.may[e] {
				v = (forward | chosen[e]) * spread
			}
			v |= (forward|reply[e])<<other | unasked
		}
		sent[e] |= v
		if l.hostDrop != nil && e < g.NumHosts {
			v &^= l.hostDrop[e]
		}
		m.masks[e] = v
		m.switches[sw[e]] |= v
	}
	sent[owner] = left
}

// beforeDiscards returns the mask of one source, including SLs that its own table discards. The
// field of hosts assumes that the LID is a host's.
func (m *sourceMasks) beforeDiscards(e int32) uint64 {
	if !m.j.LIDs.IsSource(e) {
		return 0
	}
	l := m.j.lanes
	forward := m.toLID[l.src[e]]
	own := forward | m.chosen[e]
	if m.may != nil && !m.may[e] {
		own = 0
	}
	return own*l.spreadOf(int(e) < m.j.Graph.NumHosts) | (forward|m.reply[e])<<l.shift[anyDLID] | l.unasked()
}

// setReplies finds the SLs of requests from a source class to all LIDs of each end.
func (m *sourceMasks) setReplies(src int32) {
	for e := range m.reply {
		m.reply[e] = m.j.requestsTo(src, int32(e))
	}
}

// requestsTo returns the SLs (a field) of requests from a source class to all LIDs of an end.
func (j *judge) requestsTo(src, e int32) uint64 {
	v, base := uint64(0), j.Plan.Ends.Base[e]
	for k := range j.LIDs.Count[e] {
		v |= j.lanes.bit(src, j.lanes.dst[base+fabric.LID(k)])
	}
	return v
}

// setChosen finds the SLs of the requests that an end may send to each other end.
func (m *sourceMasks) setChosen(owner int32) {
	j, l, c := m.j, m.j.lanes, &m.j.Plan.Choice
	src := l.src[owner]
	bit := func(target int32, offset uint8) uint64 {
		if int(offset) >= j.LIDs.Count[target] {
			return 0
		}
		return l.bit(src, l.dst[int(j.Plan.Ends.Base[target])+int(offset)])
	}
	for e := range m.chosen {
		offset := uint8(0)
		if j.choice.by == route.HashedLID && j.LIDs.IsSource(int32(e)) {
			offset = j.hashed(owner, int32(e))
		}
		m.chosen[e] = bit(int32(e), offset)
	}
	if j.choice.by != route.ListedLIDs {
		return
	}
	rows := func(do func(target int32, offset uint8)) {
		for i := c.Start[owner]; i < c.Start[owner+1]; i++ {
			if t := c.Target[i]; t >= 0 && int(t) < j.Graph.NumEnds {
				do(t, c.Offset[i])
			}
		}
	}
	rows(func(t int32, _ uint8) { m.chosen[t] = 0 })
	rows(func(t int32, offset uint8) { m.chosen[t] |= bit(t, offset) })
}
