package check

import (
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/route"
)

// groups are the sources of a Plan in groups of which only the SLs of all together
// matter: group 2*s is the hosts of switch s, group 2*s+1 its port 0.
type groups struct {
	sl    *route.SLs
	row   int         // bytes of a row of sl
	both  [256]uint32 // by byte of a row: its two SLs as bits of a field, the second one 16 bits up
	start []int32     // by group: its first cell, and the end of the last
	zero  []uint32    // by group: what its cells give where they are all 0
	some  []uint64    // by row, words each: a bit for each byte that is not 0
	words int
	near  [][]int32 // by byte of a row: groups that have it as a cell
	cells []cell    // the SLs of its sources within any row
	names []int32   // by group: its first row, and the end of the last
	rows  []int32   // destination classes of its LIDs
	cell  []int32   // by end: its cell, -1 when its class is invalid
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
	u.findZeros()
	return u
}

// findZeros finds out where rows are 0, as most of them are where most pairs are on
// the first lane, so that only the rest need be looked at.
func (u *groups) findZeros() {
	u.words = (u.row + 63) / 64
	u.some = make([]uint64, u.sl.NumDst*u.words)
	for d := range u.sl.NumDst {
		row, some := u.sl.Cells[d*u.row:][:u.row], u.some[d*u.words:]
		at := 0
		for ; at+8 <= u.row; at += 8 {
			if eight := binary.LittleEndian.Uint64(row[at:]); eight != 0 {
				some[at/64] |= notZero(eight) << (at % 64)
			}
		}
		for ; at < u.row; at++ {
			some[at/64] |= notZero(uint64(row[at])) << (at % 64)
		}
	}
	u.zero, u.near = make([]uint32, len(u.start)-1), make([][]int32, u.row)
	for i := range int32(len(u.zero)) {
		for _, c := range u.cells[u.start[i]:u.start[i+1]] {
			u.zero[i] |= u.both[0] & c.sel
			u.near[c.at] = append(u.near[c.at], i)
		}
	}
}

// notZero has a bit for each of eight bytes that is not 0.
func notZero(eight uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F // of each byte all bits but the highest
	highest := ((eight&low + low) | eight) &^ low
	return highest >> 7 * 0x0102040810204080 >> 56 // moves the highest bit of byte i to bit i
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

// of is the group of an end port.
func (u *groups) of(g *fabric.Graph, e int32) int32 {
	if g.IsPortZero(e) {
		return 2*g.EndSwitch[e] + 1
	}
	return 2 * g.EndSwitch[e]
}

// upper is how far up in a word the set of a source class is.
func upper(class int32) uint { return 16 * uint(class&1) }
