package transition

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Order returns the intermediate tables between an old Plan's and a new one's, in the order of
// writing; none if all may be written at once. Of the old Graph it needs only the switches. A new
// switch gets its last table at once.
func Order(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan) (between []*route.Tables) {
	var later [][]entry // by the number of changed switches behind it, less one: the old entries of looping LIDs
	d := newDifference(old, before, g, after)
	d.each(func(lid fabric.LID) {
		if !d.loops() {
			return
		}
		for s, behind := range d.changedBehind() {
			if behind == 0 || !d.differs(int32(s)) {
				continue
			}
			for len(later) < int(behind) {
				later = append(later, nil)
			}
			later[behind-1] = append(later[behind-1], entry{int32(s), lid, d.ports[s][0]})
		}
	})
	tables := after.Tables
	between = make([]*route.Tables, len(later))
	for k := len(later) - 1; k >= 0; k-- {
		tables = tables.Clone()
		for _, e := range later[k] {
			tables.Set(e.s, e.lid, e.port)
		}
		between[k] = tables
	}
	return between
}

// Drop returns the tables of a new Plan without the entries that differ from an old one's.
func Drop(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan) *route.Tables {
	tables := after.Tables.Clone()
	d := newDifference(old, before, g, after)
	d.each(func(lid fabric.LID) {
		for s := range int32(g.NumSwitches) {
			if d.differs(s) {
				tables.Set(s, lid, route.NoPort)
			}
		}
	})
	return tables
}

// DropLanes returns the SL2VL tables of a new Plan with VL 15 for each SL whose VL differs from an
// old Plan's. It returns nil if the tables are unknown.
func DropLanes(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan) *route.SL2VL {
	was, now := before.SL2VL, after.SL2VL
	if was == nil || now == nil {
		return nil
	}
	m := &route.SL2VL{Pool: slices.Clone(now.Pool), Host: slices.Clone(now.Host), Switch: slices.Clone(now.Switch)}
	switches, ends := fabric.Match(old, g)
	common := func(a, b *route.VLTable) uint16 {
		t := *b
		for sl := range t {
			if a[sl] != b[sl] {
				t[sl] = route.DropVL
			}
		}
		return m.Intern(t)
	}
	for h, o := range ends[:g.NumHosts] {
		if o >= 0 {
			m.Host[h] = common(was.HostTable(o), now.HostTable(int32(h)))
		}
	}
	for s, o := range switches {
		if o < 0 || old.SwitchPorts[o] != g.SwitchPorts[s] {
			continue
		}
		by := max(was.Switch[o].By, now.Switch[s].By)
		ins, outs := 1, 1
		if by != route.ByNothing {
			outs = int(g.SwitchPorts[s]) + 1
		}
		if by == route.ByInOut {
			ins = outs
		}
		m.Switch[s] = route.SwitchSL2VL{By: by}
		for in := range ins {
			for out := range outs {
				m.Switch[s].Index = append(m.Switch[s].Index,
					common(was.Table(old, o, uint8(in), uint8(out)), now.Table(g, int32(s), uint8(in), uint8(out))))
			}
		}
	}
	return m
}

// entry is an entry of a switch's table.
type entry struct {
	s    int32
	lid  fabric.LID
	port uint8
}

// difference compares the entries of two Plans, LID by LID.
type difference struct {
	g        *fabric.Graph
	was, now *route.Tables
	before   []int32 // by switch: its number in the old Graph, -1 for a new one

	// Of the current LID, by switch.
	ports [][2]uint8 // its old and its new entry
	next  [][2]int32 // the next switches of these, -1 for none

	waits  []int32 // memory of loops and changedBehind
	behind []int32
	list   []int32
}

func newDifference(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan) *difference {
	switches, _ := fabric.Match(old, g)
	n := g.NumSwitches
	return &difference{
		g: g, was: before.Tables, now: after.Tables, before: switches,
		ports: make([][2]uint8, n), next: make([][2]int32, n), waits: make([]int32, n), behind: make([]int32, n),
	}
}

// each visits the LIDs with a differing entry.
func (d *difference) each(visit func(lid fabric.LID)) {
	for b := range d.now.NumBlocks() {
		for lids := d.changed(b); lids != 0; lids &= lids - 1 {
			lid := fabric.LID(b*route.BlockSize + bits.TrailingZeros64(lids))
			d.read(lid)
			visit(lid)
		}
	}
}

// changed returns the LIDs of a block, by bit, whose entry changes on some switch.
func (d *difference) changed(b int) (lids uint64) {
	for s, o := range d.before {
		was, now := d.was.BlockOrEmpty(o, b), d.now.Block(int32(s), b)
		if o < 0 || was == now || *was == *now {
			continue
		}
		for k := range now {
			if was[k] != now[k] {
				lids |= 1 << k
			}
		}
	}
	return lids
}

// read looks up the entries of a LID.
func (d *difference) read(lid fabric.LID) {
	for s, o := range d.before {
		now := d.now.Port(int32(s), lid)
		was := now
		if o >= 0 {
			was = d.was.Port(o, lid)
		}
		d.ports[s] = [2]uint8{was, now}
		d.next[s] = [2]int32{d.leadsTo(int32(s), was), d.leadsTo(int32(s), now)}
	}
}

// leadsTo returns the switch at a port, -1 for none.
func (d *difference) leadsTo(s int32, port uint8) int32 {
	if port == route.NoPort {
		return -1
	}
	if c, _ := d.g.At(s, port); c >= 0 {
		return d.g.To[c]
	}
	return -1
}

func (d *difference) differs(s int32) bool { return d.ports[s][0] != d.ports[s][1] }

// loops reports whether the old and the new entries of the LID together have a loop. It removes
// switches without an entry into them, again and again; switches that remain are on a loop or
// behind one.
func (d *difference) loops() bool {
	clear(d.waits)
	for _, next := range d.next {
		for _, t := range next {
			if t >= 0 {
				d.waits[t]++
			}
		}
	}
	d.list = d.list[:0]
	for s, n := range d.waits {
		if n == 0 {
			d.list = append(d.list, int32(s))
		}
	}
	for i := 0; i < len(d.list); i++ {
		for _, t := range d.next[d.list[i]] {
			if t < 0 {
				continue
			}
			if d.waits[t]--; d.waits[t] == 0 {
				d.list = append(d.list, t)
			}
		}
	}
	return len(d.list) < len(d.next)
}

// changedBehind counts, by switch, the later switches on its new path with differing entries.
func (d *difference) changedBehind() []int32 {
	const unknown = -1
	for s := range d.behind {
		d.behind[s] = unknown
	}
	for s := range int32(len(d.next)) {
		d.list = d.list[:0]
		at := s
		for at >= 0 && d.behind[at] == unknown && len(d.list) < len(d.next) {
			d.list = append(d.list, at)
			at = d.next[at][1]
		}
		for i := len(d.list) - 1; i >= 0; i-- {
			x, t := d.list[i], d.next[d.list[i]][1]
			n := int32(0)
			if t >= 0 {
				if n = max(0, d.behind[t]); d.differs(t) {
					n++
				}
			}
			d.behind[x] = n
		}
	}
	return d.behind
}
