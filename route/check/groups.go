package check

import (
	"encoding/binary"
	"math/bits"

	"weft/route"
)

// The sources of a switch are two groups, of which only the SLs of all together
// matter: its hosts, and its port 0.
const (
	ofHosts = iota
	ofPortZero
	numGroups
)

// groups are the end ports of a Plan by switch and group. Its SLs are lines of two
// kinds: a row is those from all source classes to a destination class, a column those
// from a source class to all destination classes.
type groups struct {
	sl      *route.SLs
	row     int                  // SLs of a row in Cells, with what fills up the last byte
	bit     [route.NumSLs]uint32 // by SL: its bit of a field
	rows    lines                // what groups send to a destination class
	columns lines                // what a source class sends to groups
	unasked []uint64             // by switch: the mask of those that never ask for a path record
	spread  [numGroups]uint64    // a field times this is the mask of a group
}

// lines are the rows or the columns. Most SLs are 0 where most pairs are on the first
// lane, and only the others are looked at.
type lines struct {
	start   []int      // by line: its first place, and the end of the last
	places  []uint16   // classes along a line whose SL is not 0
	members [][]member // by class along a line: the groups that have ends in it
	size    []perGroup // by switch: classes along a line in which ends of a group are
	zero    []uint64   // by switch: the mask of a line that is all 0
}

type perGroup [numGroups]int32

type member struct{ s, group int32 }

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
	u := &groups{sl: l.sl, unasked: make([]uint64, g.NumSwitches)}
	if u.sl == nil {
		u.sl = route.NewSLs(nil, nil, 1, 1)
	}
	u.row = u.sl.NumSrc + u.sl.NumSrc%2
	for sl := range u.bit {
		u.bit[sl] = 1 << l.index[sl]
	}
	u.spread = [numGroups]uint64{ofHosts: l.spread, ofPortZero: l.spread &^ (1 << l.shift[hostOnly])}
	u.rows, u.columns = newLines(u.sl.NumSrc, g.NumSwitches), newLines(u.sl.NumDst, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		u.add(j, s, ofHosts, g.HostsOf(s))
		u.add(j, s, ofPortZero, []int32{g.PortZero(s)})
		if j.sources[s] > 0 {
			u.unasked[s] = l.byDefault << l.shift[noRecord]
		}
		u.rows.zero[s] = u.mask(&tally{}, &u.rows.size[s])
		u.columns.zero[s] = u.mask(&tally{}, &u.columns.size[s])
	}
	u.findPlaces()
	return u
}

func newLines(classes, switches int) lines {
	l := lines{members: make([][]member, classes), size: make([]perGroup, switches), zero: make([]uint64, switches)}
	usual := make([]member, classes)
	for i := range l.members {
		l.members[i] = usual[i : i : i+1]
	}
	return l
}

// add makes a group of end ports.
func (u *groups) add(j *judge, s, group int32, ends []int32) {
	l := j.lanes
	for _, e := range ends {
		if c := l.src[e]; j.isSource[e] && c < l.numSrc {
			u.rows.add(c, member{s, group})
		}
		for k := range j.count[e] {
			if d := l.dst[int(j.p.Ends.Base[e])+k]; d >= 0 {
				u.columns.add(d, member{s, group})
			}
		}
	}
}

// add notes that ends of a group, the last one added to, are in a class.
func (l *lines) add(class int32, m member) {
	list := &l.members[class]
	if n := len(*list); n == 0 || (*list)[n-1] != m {
		*list = append(*list, m)
		l.size[m.s][m.group]++
	}
}

// findPlaces finds the SLs that are not 0, from classes of sources to those of LIDs
// that somebody has.
func (u *groups) findPlaces() {
	rows, columns := &u.rows, &u.columns
	columns.start = make([]int, u.sl.NumSrc+2)
	for d := range u.sl.NumDst {
		rows.start = append(rows.start, len(rows.places))
		if len(columns.members[d]) > 0 {
			rows.places = notZero(rows.places, u.sl.Cells[d*u.row/2:][:u.row/2])
			if n := len(rows.places); n > 0 && int(rows.places[n-1]) == u.sl.NumSrc {
				rows.places = rows.places[:n-1]
			}
		}
	}
	rows.start = append(rows.start, len(rows.places))
	for _, c := range rows.places {
		columns.start[c+2]++
	}
	for c := range u.sl.NumSrc {
		columns.start[c+2] += columns.start[c+1]
	}
	columns.places = make([]uint16, len(rows.places))
	for d := range u.sl.NumDst {
		for _, c := range rows.places[rows.start[d]:rows.start[d+1]] {
			columns.places[columns.start[c+1]] = uint16(d)
			columns.start[c+1]++
		}
	}
}

// notZero adds to a list where the halves of bytes are that are not 0.
func notZero(list []uint16, row []uint8) []uint16 {
	for at := 0; at < len(row); at += 8 {
		sixteen := uint64(0)
		if at+8 <= len(row) {
			sixteen = binary.LittleEndian.Uint64(row[at:])
		} else {
			for i, b := range row[at:] {
				sixteen |= uint64(b) << (8 * i)
			}
		}
		for sixteen != 0 {
			k := bits.TrailingZeros64(sixteen) / 4
			list = append(list, uint16(2*at+k))
			sixteen &^= 15 << (4 * k)
		}
	}
	return list
}

// tally adds up the SLs of a line that are not 0, for the groups of a switch.
type tally struct {
	sls  [numGroups]uint32 // as bits of a field
	seen perGroup          // how many there were
}

// mask is that of the SLs added up and, if fewer were seen than there are, of SL 0 too.
func (u *groups) mask(y *tally, of *perGroup) uint64 {
	m := uint64(0)
	for i, sls := range y.sls {
		if y.seen[i] < of[i] {
			sls |= u.bit[0]
		}
		m |= uint64(sls) * u.spread[i]
	}
	return m
}
