package check

import (
	"encoding/binary"
	"math/bits"

	"weft/route"
)

// The sources of a switch form two groups: its hosts, and its port 0. Of a group only the SLs of
// all members together matter.
const (
	ofHosts = iota
	ofPortZero
	numGroups
)

// groups sorts the end ports of a Plan by switch and group. Its SLs form lines of two kinds: a row
// from all source classes to one destination class, a column from one source class to all
// destination classes.
type groups struct {
	sl      *route.SLs
	row     int                  // SLs of a row in Cells, with padding to a whole byte
	bit     [route.NumSLs]uint32 // by SL: its bits of a field
	rows    lines                // requests of groups to a destination class
	columns lines                // requests of a source class to groups
	unasked []uint64             // by switch: the mask of clients that never ask for a path record
	spread  [numGroups]uint64    // a field times this is the mask of a group

	// By 64 destination classes, source class: a bit for each SL other than 0. On most fabrics most
	// pairs have SL 0, and only the others are visited. In a row they are found at once.
	inColumn []uint64
}

// lines are the rows or the columns.
type lines struct {
	members [][]member // by class along a line: the groups with ends in it
	size    []perGroup // by switch: number of classes along a line that have ends of a group
	zero    []uint64   // by switch: the mask of a line that is all 0
}

type perGroup [numGroups]int32

type member struct{ s, group int32 }

// newGroups returns nil where each source needs a mask of its own: with a Choice, where a host's
// SL2VL table discards packets, where VLs depend on the input port, and where several ports claim
// one LID.
func newGroups(j *judge) *groups {
	l, g := j.lanes, j.Graph
	claims := 0
	for _, n := range j.LIDs.Count {
		claims += n
	}
	if j.choice != nil || l.hostDrop != nil || l.byInput || claims != j.LIDs.Used {
		return nil
	}
	u := &groups{sl: l.sl, unasked: make([]uint64, g.NumSwitches)}
	if u.sl == nil {
		u.sl = route.NewSLs(nil, nil, 1, 1)
	}
	u.row = u.sl.NumSrc + u.sl.NumSrc%2
	for sl := range u.bit {
		u.bit[sl] = uint32(l.all[sl])
	}
	u.spread = [numGroups]uint64{ofHosts: l.spreadOf(true), ofPortZero: l.spreadOf(false)}
	u.rows, u.columns = newLines(u.sl.NumSrc, g.NumSwitches), newLines(u.sl.NumDst, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		u.add(j, s, ofHosts, g.AttachedTo(s))
		u.add(j, s, ofPortZero, []int32{g.PortZero(s)})
		if j.LIDs.Sources[s] > 0 {
			u.unasked[s] = l.unasked()
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

// add adds end ports as a group.
func (u *groups) add(j *judge, s, group int32, ends []int32) {
	l := j.lanes
	for _, e := range ends {
		if c := l.src[e]; j.LIDs.IsSource(e) && c < l.numSrc {
			u.rows.add(c, member{s, group})
		}
		for k := range j.LIDs.Count[e] {
			if d := l.dst[int(j.Plan.Ends.Base[e])+k]; d >= 0 {
				u.columns.add(d, member{s, group})
			}
		}
	}
}

// add notes that a group, the one added last, has ends in a class.
func (l *lines) add(class int32, m member) {
	list := &l.members[class]
	if n := len(*list); n == 0 || (*list)[n-1] != m {
		*list = append(*list, m)
		l.size[m.s][m.group]++
	}
}

// findPlaces finds the SLs other than 0 in columns, to classes of LIDs with an owner.
func (u *groups) findPlaces() {
	n := u.sl.NumSrc
	u.inColumn = make([]uint64, (u.sl.NumDst+63)/64*n)
	var places []int32
	for d := range u.sl.NumDst {
		if len(u.columns.members[d]) == 0 {
			continue
		}
		words := u.inColumn[d/64*n:][:n]
		places = u.rowPlaces(places[:0], int32(d))
		for _, c := range places {
			words[c] |= 1 << (d % 64)
		}
	}
}

// rowPlaces appends the source classes whose SL in a row is not 0.
func (u *groups) rowPlaces(list []int32, d int32) []int32 {
	list = notZero(list, u.sl.Cells[int(d)*u.row/2:][:u.row/2])
	if n := len(list); n > 0 && int(list[n-1]) == u.sl.NumSrc {
		list = list[:n-1] // padding
	}
	return list
}

// columnPlaces appends the destination classes whose SL in a column is not 0.
func (u *groups) columnPlaces(list []int32, c int32) []int32 {
	for at, first := int(c), int32(0); at < len(u.inColumn); at, first = at+u.sl.NumSrc, first+64 {
		for x := u.inColumn[at]; x != 0; x &= x - 1 {
			list = append(list, first+int32(bits.TrailingZeros64(x)))
		}
	}
	return list
}

// notZero appends the positions of half bytes that are not 0.
func notZero(list []int32, row []uint8) []int32 {
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
			list = append(list, int32(2*at+k))
			sixteen &^= 15 << (4 * k)
		}
	}
	return list
}

// tally adds up the SLs other than 0 of a line, for the groups of a switch.
type tally struct {
	sls  [numGroups]uint32 // as bits of a field
	seen perGroup          // how many SLs were added
}

// mask returns the mask of the SLs added up. If some of a group were not counted, it includes SL 0.
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
