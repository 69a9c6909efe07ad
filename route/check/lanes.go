package check

import (
	"encoding/binary"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// The kinds of traffic that get a verdict.
const (
	assigned = iota
	hostOnly
	anyDLID
	noRecord
	numTraffics
)

// lanes is what a Plan says about lanes, made ready for masks of SLs. A mask has a
// field of width bits for each kind of traffic that differs from the others, and in
// it a bit for each SL in use, so that one OR moves all traffic along a path.
type lanes struct {
	g         *fabric.Graph
	sl        *route.SLs   // nil when the lanes are unknown: all on one
	sl2vl     *route.SL2VL // likewise
	sls       []uint8      // SLs in use, ascending
	index     [route.NumSLs]uint8
	vls       []uint8 // VLs that those SLs may get, ascending
	vlIndex   [route.NumSLs]uint8
	pool      []vlIndices          // of the tables of sl2vl.Pool
	apart     []bool               // of each: no two SLs share a VL
	width     uint                 // bits of a field, a power of two
	shift     [numTraffics]uint    // of the field of each kind
	size      uint                 // bits of all fields, a power of two
	sel       [route.NumSLs]uint64 // an SL by index: its bit in all fields
	inOut     bool                 // some switch's VL depends on the input port
	numSrc    int32                // source classes; one more stands for what is invalid
	src       []int32              // class of each source
	dst       []int32              // class of each LID, -1 when invalid
	drop      []uint64             // by port slot: SLs that VL 15 discards; nil when none or inOut
	hostDrop  []uint64             // by host: SLs that its own table discards; nil when none
	spread    uint64               // a field times this is in all fields of assigned traffic
	byDefault uint64               // bit of Service.Default within a field
}

func newLanes(j *judge) *lanes {
	l := &lanes{g: j.g, numSrc: 1}
	if j.p.SL != nil && j.p.SL2VL != nil {
		l.sl, l.sl2vl = j.p.SL, j.p.SL2VL
	}
	l.src = make([]int32, j.g.NumEnds)
	l.dst = make([]int32, len(j.owner))
	used := uint16(1)
	uniform := true
	if l.sl != nil {
		l.classes(j)
		used = l.inUse(j)
		uniform = bits.OnesCount16(used) <= 1 && len(j.noSL) == 0
	}
	first := uint8(bits.TrailingZeros16(used))
	if uniform && l.sl != nil && used != 0 {
		l.numSrc = 1
		clear(l.src)
		clear(l.dst)
		l.sl = route.NewSLs(nil, nil, 1, 1)
		l.sl.Set(0, 0, first)
	}
	def := j.p.Service.Default
	if l.sl == nil {
		def = 0
	}
	used |= 1 << def
	for sl := range uint8(route.NumSLs) {
		if used>>sl&1 == 1 {
			l.index[sl] = uint8(len(l.sls))
			l.sls = append(l.sls, sl)
		}
	}
	l.byDefault = 1 << l.index[def]
	l.fields(j.p.Choice != nil, !uniform || first != def)
	l.findVLs()
	return l
}

// classes copies the classes of sources and LIDs; those out of range are invalid.
func (l *lanes) classes(j *judge) {
	l.numSrc = int32(l.sl.NumSrc)
	for e := range l.src {
		l.src[e] = l.numSrc
		if c := l.sl.Src[e]; c >= 0 && int(c) < l.sl.NumSrc {
			l.src[e] = c
		} else if j.isSource[e] {
			j.noSL = append(j.noSL, "source "+route.EndName(j.g, int32(e)))
		}
	}
	for lid, o := range j.owner {
		l.dst[lid] = -1
		if lid < len(l.sl.Dst) {
			if c := l.sl.Dst[lid]; c >= 0 && int(c) < l.sl.NumDst {
				l.dst[lid] = c
			}
		}
		if o >= 0 && l.dst[lid] < 0 {
			j.noSL = append(j.noSL, lidName(j.g, fabric.LID(lid), o))
		}
	}
}

// inUse is the set of SLs in the rows of LIDs that somebody has.
func (l *lanes) inUse(j *judge) uint16 {
	rows := make([]bool, l.sl.NumDst)
	for lid, c := range l.dst {
		if c >= 0 && j.owner[lid] >= 0 {
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
			set |= 1 << l.sl.Class(int32(l.sl.NumSrc-1), int32(c))
		}
	}
	for b, yes := range seen {
		if yes {
			set |= 1<<(b&15) | 1<<(b>>4)
		}
	}
	return set
}

// fields lays out the masks. Kinds of traffic that cannot differ share a field.
func (l *lanes) fields(choice, otherDefault bool) {
	l.width = ceilPow2(uint(len(l.sls)))
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
	for i := range l.sls {
		for f := range n {
			l.sel[i] |= 1 << (f*l.width + uint(i))
		}
	}
}

func ceilPow2(n uint) uint {
	p := uint(1)
	for p < n {
		p *= 2
	}
	return p
}

// findVLs lists the VLs in use and, by port, the SLs that are discarded.
func (l *lanes) findVLs() {
	set, discards := uint16(0), false
	if l.sl2vl == nil {
		set = 1
	} else {
		for i := range l.sl2vl.Pool {
			for _, sl := range l.sls {
				set |= 1 << l.sl2vl.Pool[i][sl]
			}
		}
		discards = set>>route.DropVL == 1
		for s := range l.sl2vl.Switch {
			l.inOut = l.inOut || l.sl2vl.Switch[s].By == route.ByInOut
		}
	}
	for vl := range route.DropVL {
		if set>>vl&1 == 1 {
			l.vlIndex[vl] = uint8(len(l.vls))
			l.vls = append(l.vls, vl)
		}
	}
	if l.sl2vl != nil {
		l.pool, l.apart = make([]vlIndices, len(l.sl2vl.Pool)), make([]bool, len(l.sl2vl.Pool))
		for i := range l.pool {
			l.pool[i], l.apart[i] = l.indicesOf(&l.sl2vl.Pool[i])
		}
	}
	if discards {
		l.findDiscards()
	}
}

// vlIndices is an SL2VL table by indices: of the SL, then of the VL, or dropped.
type vlIndices [route.NumSLs]uint8

const dropped = 255

func (l *lanes) indicesOf(t *route.VLTable) (v vlIndices, apart bool) {
	seen := uint16(0)
	for i, sl := range l.sls {
		vl := t[sl]
		v[i] = dropped
		if vl != route.DropVL {
			v[i] = l.vlIndex[vl]
		}
		seen |= 1 << vl
	}
	return v, bits.OnesCount16(seen) == len(l.sls) && seen>>route.DropVL == 0
}

// oneVL is the table where lanes are unknown.
var oneVL vlIndices

// indices is the table of packets on their way through a switch.
func (l *lanes) indices(s int32, in, out uint8) *vlIndices {
	if l.sl2vl == nil {
		return &oneVL
	}
	return &l.pool[l.sl2vl.Index(l.g, s, in, out)]
}

func (l *lanes) findDiscards() {
	l.hostDrop = make([]uint64, l.g.NumHosts)
	for h := range l.hostDrop {
		l.hostDrop[h] = l.discarded(l.sl2vl.HostTable(int32(h)))
	}
	if l.inOut {
		return
	}
	l.drop = make([]uint64, len(l.g.Attached))
	for s := range int32(l.g.NumSwitches) {
		for p := range l.g.SwitchPorts[s] + 1 {
			l.drop[l.g.PortStart[s]+p] = l.discarded(l.sl2vl.Table(l.g, s, 0, uint8(p)))
		}
	}
}

// discarded is the mask of the SLs that a table maps to VL 15.
func (l *lanes) discarded(t *route.VLTable) uint64 {
	m := uint64(0)
	for i, sl := range l.sls {
		if t[sl] == route.DropVL {
			m |= l.sel[i]
		}
	}
	return m
}

// field takes the field of one kind of traffic out of a mask.
func (l *lanes) field(m uint64, traffic int) uint64 {
	return m >> l.shift[traffic] & (1<<l.width - 1)
}

// fieldMask is the mask with one whole field set.
func (l *lanes) fieldMask(traffic int) uint64 { return (1<<l.width - 1) << l.shift[traffic] }

// vl is the VL of an SL on its way through a switch.
func (l *lanes) vl(s int32, in, out, sl uint8) uint8 {
	if l.sl2vl == nil {
		return 0
	}
	return l.sl2vl.Table(l.g, s, in, out)[sl]
}

// bit is the SL from a source class to a destination class, as a bit of a field.
func (l *lanes) bit(src, dst int32) uint64 {
	if l.sl == nil {
		return 1
	}
	if src == l.numSrc || dst < 0 {
		return 0
	}
	return 1 << l.index[l.sl.Class(src, dst)]
}

// vlsOf turns SLs (a field) into VLs by a table, discarded ones as VL 15.
func (l *lanes) vlsOf(field uint64, t *route.VLTable) uint16 {
	set := uint16(0)
	for i, sl := range l.sls {
		if field>>i&1 == 1 {
			set |= 1 << t[sl]
		}
	}
	return set
}
