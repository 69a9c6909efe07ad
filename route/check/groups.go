package check

import (
	"slices"

	"weft/route"
)

// groups are the sources of a Plan in groups of which only the SLs of all together
// matter: group 2*s is the hosts of switch s, group 2*s+1 its port 0.
type groups struct {
	sl    *route.SLs
	row   int         // bytes of a row of sl
	both  [256]uint32 // by byte of a row: its two SLs as bits of a field, the second one 16 bits up
	start []int32     // by group: its first cell, and the end of the last
	cells []cell      // the SLs of its sources within any row
	names []int32     // by group: its first row, and the end of the last
	rows  []int32     // destination classes of its LIDs
	cell  []int32     // by end: its cell, -1 when its class is invalid
}

// cell is a byte of a row, and which of its SLs are meant.
type cell struct {
	at  int32
	sel uint32
}

// newGroups returns nil where each source needs a mask of its own: with a Choice,
// where a host's own table discards packets, where VLs depend on the input port,
// and where several ports claim one LID.
func newGroups(j *judge) *groups {
	l, g := j.lanes, j.g
	claims := 0
	for _, n := range j.count {
		claims += n
	}
	if j.turned != nil || l.hostDrop != nil || l.inOut || claims != j.numLIDs {
		return nil
	}
	u := &groups{sl: l.sl, cell: make([]int32, g.NumEnds)}
	if u.sl == nil {
		u.sl = route.NewSLs(nil, nil, 1, 1)
	}
	u.row = u.sl.NumSrc/2 + u.sl.NumSrc%2
	for b := range u.both {
		u.both[b] = 1<<l.index[b&15] | 1<<(16+l.index[b>>4])
	}
	for s := range int32(g.NumSwitches) {
		u.add(j, g.HostsOf(s))
		u.add(j, []int32{g.PortZero(s)})
	}
	u.start, u.names = append(u.start, int32(len(u.cells))), append(u.names, int32(len(u.rows)))
	return u
}

// add makes a group of end ports.
func (u *groups) add(j *judge, ends []int32) {
	l := j.lanes
	start, name := len(u.cells), len(u.rows)
	u.start, u.names = append(u.start, int32(start)), append(u.names, int32(name))
	for _, e := range ends {
		if c := l.src[e]; j.isSource[e] && c < l.numSrc {
			u.cells = append(u.cells, cell{c / 2, 0})
		}
		for k := range j.count[e] {
			if d := l.dst[int(j.p.Ends.Base[e])+k]; d >= 0 {
				u.rows = append(u.rows, d)
			}
		}
	}
	slices.Sort(u.rows[name:])
	u.rows = u.rows[:name+len(slices.Compact(u.rows[name:]))]
	byPlace := func(a, b cell) int { return int(a.at - b.at) }
	slices.SortFunc(u.cells[start:], byPlace)
	u.cells = u.cells[:start+len(slices.Compact(u.cells[start:]))]
	for _, e := range ends {
		u.cell[e] = -1
		if c := l.src[e]; j.isSource[e] && c < l.numSrc {
			i, _ := slices.BinarySearchFunc(u.cells[start:], cell{at: c / 2}, byPlace)
			u.cell[e] = int32(start + i)
			u.cells[start+i].sel |= 0xFFFF << upper(c)
		}
	}
}

// upper is how far up in a word the set of a source class is.
func upper(class int32) uint { return 16 * uint(class&1) }

// sets are the SLs of every group to one LID. They are kept from LID to LID while
// the classes stay the same. In a word travel the sets of two source classes that
// share a byte.
type sets struct {
	j       *judge
	u       *groups
	loaded  int      // the block that replies is for, -1 at first
	at      []int32  // bytes of a row in which the owners of the block are
	place   []int32  // by byte of a row: its place in at, -1 when it is not there
	replies []uint32 // by that place, then group: SLs from those owners to the group's LIDs
	forward []uint32 // by group: SLs to the LID
	toLID   uint16   // SLs of all groups to the LID
	sent    []uint32 // by cell: SLs to all LIDs so far

	bySwitch           []uint64 // masks of the sources of each switch together
	valid              bool
	srcClass, dstClass int32 // what bySwitch was made for
}

func newSets(j *judge) *sets {
	u := j.groups
	t := &sets{
		j: j, u: u, loaded: -1, place: make([]int32, u.row), forward: make([]uint32, len(u.start)-1),
		sent: make([]uint32, len(u.cells)), bySwitch: make([]uint64, j.g.NumSwitches),
	}
	if j.p.Service.ReplySameSL {
		t.replies = make([]uint32, len(t.forward)*min(route.BlockSize, u.row))
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
	t.j.toLID[lid] = t.toLID
	if t.valid && src == t.srcClass && dst == t.dstClass {
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
	for s := range t.bySwitch {
		f, z := t.forward[2*s], t.forward[2*s+1]
		f, z = f|f>>16, z|z>>16
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
}

// load finds the SLs to a destination class.
func (t *sets) load(dst int32) {
	t.toLID = 0
	clear(t.forward)
	if dst < 0 {
		return
	}
	u := t.u
	row := u.sl.Cells[int(dst)*u.row:][:u.row]
	cells, sent := u.cells, t.sent[:len(u.cells)]
	all, k := uint32(0), int32(0)
	for i := range t.forward {
		sum := uint32(0)
		for end := u.start[i+1]; k < end; k++ {
			v := u.both[row[cells[k].at]] & cells[k].sel
			sent[k] |= v
			sum |= v
		}
		t.forward[i] = sum
		all |= sum
	}
	t.toLID = uint16(all | all>>16)
}

// loadReplies finds the SLs of requests from the owners of a block to all groups,
// row by row, because the owners are neighbours in a row as a rule.
func (t *sets) loadReplies(block int) {
	u, l := t.u, t.j.lanes
	t.loaded = block
	for _, at := range t.at {
		t.place[at] = -1
	}
	t.at = t.at[:0]
	for _, o := range t.j.owner[block*route.BlockSize:][:route.BlockSize] {
		if o >= 0 && l.src[o] < l.numSrc && t.place[l.src[o]/2] < 0 {
			t.place[l.src[o]/2] = 0
			t.at = append(t.at, l.src[o]/2)
		}
	}
	slices.Sort(t.at)
	for k, at := range t.at {
		t.place[at] = int32(k)
	}
	run := len(t.at) > 0 && int(t.at[len(t.at)-1]-t.at[0]) == len(t.at)-1 // the rule: no gaps
	n := len(t.forward)
	var sum [route.BlockSize]uint32
	for i := range n {
		clear(sum[:])
		for _, d := range u.rows[u.names[i]:u.names[i+1]] {
			row := u.sl.Cells[int(d)*u.row:][:u.row]
			if run {
				for k, b := range row[t.at[0]:][:len(t.at)] {
					sum[k&(route.BlockSize-1)] |= u.both[b]
				}
				continue
			}
			for k, at := range t.at {
				sum[k] |= u.both[row[at]]
			}
		}
		for k := range t.at {
			t.replies[k*n+i] = sum[k]
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
				sent |= uint64(w.sets.sent[c] >> upper(j.lanes.src[e]) & 0xFFFF)
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
