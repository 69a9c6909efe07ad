package check

import (
	"encoding/binary"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// The kinds of traffic that get a verdict each.
const (
	assigned = iota
	hostOnly
	anyDLID
	noRecord
	numTraffics
)

// room says which VLs and nodes the masks and a dependency graph hold. With the same room the masks
// and nodes of two Plans have the same meaning.
type room struct {
	slSet, vlSet uint16
	byInput      bool // VLs depend on the input port
	choice       bool // some LIDs are ruled out for some sources
	otherDefault bool // clients without a path record have an SL of their own
}

// and returns the room for two Plans.
func (r room) and(o room) room {
	return room{r.slSet | o.slSet, r.vlSet | o.vlSet, r.byInput || o.byInput, r.choice || o.choice, r.otherDefault || o.otherDefault}
}

// lanes holds the SLs and VLs of a Plan. SLs are kept in masks (see maskLayout).
type lanes struct {
	room
	sl    *route.SLs // nil when the lanes are unknown: all on one
	sls   []uint8    // SLs in use, ascending
	index [route.NumSLs]uint8
	all   [route.NumSLs]uint64 // by SL of a path: it and its SLs at all levels and on all copies, as bits of a field
	classes
	maskLayout
	vlTables
	discarding
}

// classes of sources and LIDs, as in route.SLs.
type classes struct {
	numSrc int32   // source classes; the next number stands for an invalid class
	src    []int32 // class of each source
	dst    []int32 // class of each LID, -1 when invalid
}

// oneClass puts all sources and LIDs in class 0.
func oneClass(j *judge) classes {
	return classes{numSrc: 1, src: make([]int32, j.Graph.NumEnds), dst: make([]int32, len(j.LIDs.Owner))}
}

// maskLayout is the layout of a mask of SLs. A mask has a field for each kind of traffic that
// differs from the others. A field has width bits, among them one for each SL in use. So one OR
// moves all traffic along a path.
type maskLayout struct {
	width     uint                 // bits of a field, a power of two
	shift     [numTraffics]uint    // of the field of each kind
	size      uint                 // bits of all fields, a power of two
	inAll     [route.NumSLs]uint64 // by index of an SL: its bit in all fields
	spread    uint64               // a field times this is in all fields of assigned traffic
	byDefault uint64               // bit of Service.Default within a field
}

// readLanes reads the lanes of the Plan and reports invalid classes. The result has at least the
// needed room.
func (j *judge) readLanes(need room) *lanes {
	g, p := j.Graph, j.Plan
	l := &lanes{sl: p.SL, classes: oneClass(j)}
	valid := p.SL == nil || j.readClasses(l)
	if p.SL != nil && p.SL2VL != nil {
		l.sl2vl = p.SL2VL
	} else { // classes and SLs tell nothing about lanes
		l.sl, l.classes = nil, oneClass(j)
	}
	used := uint16(1)
	uniform := true
	if l.sl != nil {
		used = l.inUse(j.LIDs)
		uniform = bits.OnesCount16(used) <= 1 && valid
	}
	first := uint8(bits.TrailingZeros16(used))
	if uniform && l.sl != nil && used != 0 {
		l.numSrc = 1
		clear(l.src)
		clear(l.dst)
		l.sl = route.NewSLs(nil, nil, 1, 1)
		l.sl.Set(0, 0, first)
	}
	byDefault := p.Service.Default
	if l.sl == nil {
		byDefault = 0
	}
	ofLevels := l.levels(p, used)
	uniform = uniform && ofLevels == used
	used |= ofLevels | 1<<byDefault | need.slSet
	l.room = need.and(room{slSet: used, choice: j.choice != nil, otherDefault: !uniform || first != byDefault})
	for sl := range uint8(route.NumSLs) {
		if used>>sl&1 == 1 {
			l.index[sl] = uint8(len(l.sls))
			l.sls = append(l.sls, sl)
		}
	}
	for sl := range l.all {
		for set := l.levels(p, 1<<sl); set != 0; set &= set - 1 {
			l.all[sl] |= 1 << l.index[bits.TrailingZeros16(set)]
		}
	}
	l.maskLayout = newMaskLayout(len(l.sls), l.choice, l.otherDefault)
	l.byDefault = 1 << l.index[byDefault]
	l.readVLs(g)
	return l
}

// levels adds to a set of SLs of paths their SLs at other levels and on copies of the lanes.
func (l *lanes) levels(p *route.Plan, sls uint16) uint16 {
	set := sls
	if l.sl == nil {
		return set
	}
	for m := sls; m != 0; m &= m - 1 {
		set |= p.SLsFor(uint8(bits.TrailingZeros16(m)))
	}
	return set
}

// readClasses copies the classes of sources and LIDs, and reports whether all are in range.
func (j *judge) readClasses(l *lanes) (valid bool) {
	valid = true
	l.numSrc = int32(l.sl.NumSrc)
	for e := range l.src {
		l.src[e] = l.numSrc
		if c := l.sl.Src[e]; c >= 0 && int(c) < l.sl.NumSrc {
			l.src[e] = c
		} else if j.LIDs.IsSource(int32(e)) {
			j.invalidate(NoSL, remark("has no SL class as a source", j.Graph.EndName(int32(e))))
			valid = false
		}
	}
	for lid, o := range j.LIDs.Owner {
		l.dst[lid] = -1
		if lid < len(l.sl.Dst) {
			if c := l.sl.Dst[lid]; c >= 0 && int(c) < l.sl.NumDst {
				l.dst[lid] = c
			}
		}
		if o >= 0 && l.dst[lid] < 0 {
			j.invalidate(NoSL, lidRemark(j.Graph, fabric.LID(lid), o, "has no SL class"))
			valid = false
		}
	}
	return valid
}

// inUse returns the set of SLs in the rows of LIDs with an owner.
func (l *lanes) inUse(lids *LIDs) uint16 {
	rows := make([]bool, l.sl.NumDst)
	for lid, c := range l.dst {
		if c >= 0 && lids.Owner[lid] >= 0 {
			rows[c] = true
		}
	}
	set := uint16(0)
	full, odd := l.sl.NumSrc/2, l.sl.NumSrc%2
	var seen [256]bool
	for c, yes := range rows {
		if !yes {
			continue
		}
		start := c * (full + odd)
		row := l.sl.Cells[start : start+full]
		for ; len(row) >= 8; row = row[8:] {
			if binary.LittleEndian.Uint64(row) == 0 {
				seen[0] = true
				continue
			}
			for _, b := range row[:8] {
				seen[b] = true
			}
		}
		for _, b := range row {
			seen[b] = true
		}
		if odd == 1 {
			set |= 1 << l.sl.ByClass(int32(l.sl.NumSrc-1), int32(c))
		}
	}
	for b, yes := range seen {
		if yes {
			set |= 1<<(b&15) | 1<<(b>>4)
		}
	}
	return set
}

// newMaskLayout lays out masks for a number of SLs. Kinds of traffic that cannot differ share a
// field. Without a choice of LIDs all traffic to any LID is assigned. Clients without a path record
// differ only if they use an SL of their own.
func newMaskLayout(sls int, choice, otherDefault bool) maskLayout {
	l := maskLayout{width: ceilPow2(uint(sls))}
	n := uint(2)
	l.shift[hostOnly] = l.width
	if choice {
		l.shift[anyDLID] = n * l.width
		n++
	}
	l.shift[noRecord] = l.shift[anyDLID]
	if otherDefault {
		l.shift[noRecord] = n * l.width
		n++
	}
	l.size = ceilPow2(n * l.width)
	l.spread = 1 | 1<<l.shift[hostOnly] | 1<<l.shift[noRecord]
	for i := range sls {
		for f := range n {
			l.inAll[i] |= 1 << (f*l.width + uint(i))
		}
	}
	return l
}

func ceilPow2(n uint) uint { return 1 << bits.Len(n-1) }

// field returns the field of one kind of traffic of a mask.
func (l *maskLayout) field(m uint64, traffic int) uint64 {
	return m >> l.shift[traffic] & (1<<l.width - 1)
}

// fieldMask returns the mask with one whole field set.
func (l *maskLayout) fieldMask(traffic int) uint64 { return (1<<l.width - 1) << l.shift[traffic] }

// unasked returns the mask of a client that never asks for a path record.
func (l *maskLayout) unasked() uint64 { return l.byDefault << l.shift[noRecord] }

// spreadOf returns spread for an end port: packets from a switch are no traffic of hosts.
func (l *maskLayout) spreadOf(isHost bool) uint64 {
	if isHost {
		return l.spread
	}
	return l.spread &^ (1 << l.shift[hostOnly])
}

// bit returns the SL from a source class to a destination class, with its SLs at other levels and
// on copies of the lanes, as bits of a field.
func (l *lanes) bit(src, dst int32) uint64 {
	if l.sl == nil {
		return 1
	}
	if src == l.numSrc || dst < 0 {
		return 0
	}
	return l.all[l.sl.ByClass(src, dst)]
}
