package check

import (
	"math/bits"

	"weft/route"
)

// sets are the SLs of every group to one LID. They are kept from LID to LID while
// the classes stay the same. In a word travel the sets of two source classes that
// share a byte.
type sets struct {
	j       *judge
	u       *groups
	loaded  int      // the block that replies is for, -1 at first
	at      []int32  // bytes of a row in which the owners of the block are
	place   []int32  // by byte of a row: its place in at, -1 when it is not there
	want    []uint64 // a bit for each of these bytes
	replies []uint32 // by that place, then group: SLs from those owners to the group's LIDs
	allZero []uint32 // by group: those if all is 0
	forward []uint32 // by group: SLs to the LID
	toLID   uint16   // SLs of all groups to the LID
	rows    int32    // rows loaded so far
	last    []int32  // by group: the last of them in which it had to be looked at
	looked  []int32  // by group: how many those were
	sent    []uint32 // by cell: SLs in those so far

	bySwitch           []uint64 // masks of the sources of each switch together
	valid              bool
	srcClass, dstClass int32 // what bySwitch was made for
}

func newSets(j *judge) *sets {
	u := j.groups
	t := &sets{
		j: j, u: u, loaded: -1, place: make([]int32, u.row), forward: make([]uint32, len(u.zero)),
		last: make([]int32, len(u.zero)), looked: make([]int32, len(u.zero)), sent: make([]uint32, len(u.cells)), bySwitch: make([]uint64, j.g.NumSwitches),
	}
	if j.p.Service.ReplySameSL {
		t.replies = make([]uint32, len(t.forward)*min(route.BlockSize, u.row))
		t.want = make([]uint64, u.words)
		t.allZero = make([]uint32, len(t.forward))
		for i := range t.allZero {
			if u.names[i] < u.names[i+1] {
				t.allZero[i] = u.both[0]
			}
		}
	}
	for i := range t.place {
		t.place[i] = -1
	}
	return t
}

// set makes the masks for a LID of an owner.
func (t *sets) set(lid int, owner int32) {
	l := t.j.lanes
	src, dst := l.src[owner], l.dst[lid]
	if !t.valid || dst != t.dstClass {
		t.load(dst)
	}
	if t.valid && src == t.srcClass && dst == t.dstClass {
		t.j.toLID[lid] = t.toLID
		return
	}
	if block := lid / route.BlockSize; t.replies != nil && block != t.loaded {
		t.loadReplies(block)
	}
	t.valid, t.srcClass, t.dstClass = true, src, dst
	n := len(t.forward)
	var replies []uint32
	if t.replies != nil && src < l.numSrc {
		replies = t.replies[int(t.place[src/2])*n:][:n]
	}
	unasked := l.byDefault << l.shift[noRecord]
	fromZero := l.spread &^ (1 << l.shift[hostOnly])
	all := uint32(0)
	for s := range t.bySwitch {
		f, z := t.forward[2*s], t.forward[2*s+1]
		f, z = f|f>>16, z|z>>16
		all |= f | z
		if replies != nil {
			f |= replies[2*s] >> upper(src)
			z |= replies[2*s+1] >> upper(src)
		}
		m := uint64(f&0xFFFF)*l.spread | uint64(z&0xFFFF)*fromZero
		if t.j.sources[s] > 0 {
			m |= unasked
		}
		t.bySwitch[s] = m
	}
	t.toLID = uint16(all)
	t.j.toLID[lid] = t.toLID
}

// load finds the SLs to a destination class.
func (t *sets) load(dst int32) {
	if dst < 0 {
		clear(t.forward)
		return
	}
	u := t.u
	copy(t.forward, u.zero)
	t.rows++
	for w, some := range u.some[int(dst)*u.words:][:u.words] {
		for ; some != 0; some &= some - 1 {
			for _, i := range u.near[w*64+bits.TrailingZeros64(some)] {
				if t.last[i] != t.rows {
					t.last[i] = t.rows
					t.look(dst, i)
				}
			}
		}
	}
}

// look finds the SLs of a group to a destination class cell by cell.
func (t *sets) look(dst, group int32) {
	u := t.u
	row := u.sl.Cells[int(dst)*u.row:][:u.row]
	first, end := u.start[group], u.start[group+1]
	sent, sum := t.sent[first:end], uint32(0)
	for k, c := range u.cells[first:end] {
		v := u.both[row[c.at]] & c.sel
		sent[k] |= v
		sum |= v
	}
	t.forward[group] = sum
	t.looked[group]++
}

// sentFrom is what was sent from a cell of a group so far.
func (t *sets) sentFrom(cell, group int32) uint32 {
	v := t.sent[cell]
	if t.looked[group] < t.rows {
		v |= t.u.both[0]
	}
	return v
}

// loadReplies finds the SLs of requests from the owners of a block to all groups, row
// by row, but only where a row is not 0.
func (t *sets) loadReplies(block int) {
	u, n := t.u, len(t.forward)
	t.findOwners(block)
	for k := range t.at {
		copy(t.replies[k*n:][:n], t.allZero)
	}
	var sum [route.BlockSize]uint32
	var looked [route.BlockSize]int // by place: rows of the group that are not 0 there
	var places []int32              // of those
	for i := range n {
		rows := u.rows[u.names[i]:u.names[i+1]]
		places = places[:0]
		for _, d := range rows {
			for w, some := range u.some[int(d)*u.words:][:u.words] {
				for some &= t.want[w]; some != 0; some &= some - 1 {
					at := w*64 + bits.TrailingZeros64(some)
					k := t.place[at]
					if looked[k] == 0 {
						places = append(places, k)
					}
					looked[k]++
					sum[k] |= u.both[u.sl.Cells[int(d)*u.row+at]]
				}
			}
		}
		for _, k := range places {
			if looked[k] < len(rows) {
				sum[k] |= u.both[0]
			}
			t.replies[int(k)*n+i] = sum[k]
			sum[k], looked[k] = 0, 0
		}
	}
}

// findOwners lists the bytes of a row in which the owners of a block are.
func (t *sets) findOwners(block int) {
	l := t.j.lanes
	t.loaded = block
	for _, at := range t.at {
		t.place[at] = -1
		t.want[at/64] = 0
	}
	t.at = t.at[:0]
	for _, o := range t.j.owner[block*route.BlockSize:][:route.BlockSize] {
		if o < 0 || l.src[o] == l.numSrc {
			continue
		}
		if at := l.src[o] / 2; t.place[at] < 0 {
			t.place[at] = int32(len(t.at))
			t.at = append(t.at, at)
			t.want[at/64] |= 1 << (at % 64)
		}
	}
}

// of is the mask of one source to the LID of an owner.
func (t *sets) of(e int32, lid int, owner int32) uint64 {
	j, l := t.j, t.j.lanes
	if !j.isSource[e] {
		return 0
	}
	m := l.bit(l.src[e], l.dst[lid])
	if t.replies != nil {
		for k := range j.count[e] {
			m |= l.bit(l.src[owner], l.dst[int(j.p.Ends.Base[e])+k])
		}
	}
	spread := l.spread
	if int(e) >= j.g.NumHosts {
		spread &^= 1 << l.shift[hostOnly]
	}
	return m*spread | l.byDefault<<l.shift[noRecord]
}

// sentBy is the set of SLs that a source sends assigned packets on.
func (j *judge) sentBy(e int32) uint64 {
	sent := uint64(0)
	if j.groups == nil {
		for _, w := range j.walkers {
			if w != nil {
				sent |= w.masks.sent[e]
			}
		}
		return j.lanes.field(sent, assigned)
	}
	if c := j.groups.cell[e]; c >= 0 {
		for _, w := range j.walkers {
			if w != nil {
				sent |= uint64(w.sets.sentFrom(c, j.groups.of(j.g, e)) >> upper(j.lanes.src[e]) & 0xFFFF)
			}
		}
	}
	toSelf := uint64(0)
	for k := range j.count[e] {
		lid := int(j.p.Ends.Base[e]) + k
		toSelf |= j.lanes.bit(j.lanes.src[e], j.lanes.dst[lid])
		if j.p.Service.ReplySameSL {
			sent |= uint64(j.toLID[lid])
		}
	}
	for m := sent & toSelf; m != 0; m &= m - 1 {
		if sl := m & -m; !j.sends(e, sl) {
			sent &^= sl
		}
	}
	return sent
}

// sends reports whether a source sends assigned packets on an SL to another end.
func (j *judge) sends(e int32, sl uint64) bool {
	l, base := j.lanes, j.p.Ends.Base
	for o, n := range j.count {
		if int32(o) == e {
			continue
		}
		for k := range n {
			if l.bit(l.src[e], l.dst[int(base[o])+k]) == sl {
				return true
			}
		}
		if n == 0 || !j.p.Service.ReplySameSL {
			continue
		}
		for k := range j.count[e] {
			if l.bit(l.src[o], l.dst[int(base[e])+k]) == sl {
				return true
			}
		}
	}
	return false
}
