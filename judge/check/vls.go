package check

import (
	"fmt"
	"math"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// vlTables are the SL2VL tables of a Plan.
type vlTables struct {
	sl2vl    *route.SL2VL // nil when the lanes are unknown
	vls      []uint8      // VLs that the SLs in use may get, ascending
	vlIndex  [route.NumSLs]uint8
	pool     []vlIndices // of the tables of sl2vl.Pool
	distinct []bool      // of each: no two SLs share a VL
}

// vlIndices is an SL2VL table by indices: of the SL, then of the VL, or dropped.
type vlIndices [route.NumSLs]uint8

const dropped = 255

// oneVL is the table for unknown lanes.
var oneVL vlIndices

// discarding holds, as masks, the SLs that tables map to VL 15.
type discarding struct {
	drop     []uint64 // by port slot; nil when there are none, or byInput
	hostDrop []uint64 // by host, of its own table; nil when there are none
}

// readVLs lists the VLs in use and, by port, the SLs that are discarded.
func (l *lanes) readVLs(g *fabric.Graph) {
	set := l.vlSet
	if l.sl2vl == nil {
		set |= 1
	} else {
		for i := range l.sl2vl.Pool {
			for _, sl := range l.sls {
				set |= 1 << l.sl2vl.Pool[i][sl]
			}
		}
		for s := range l.sl2vl.Switch {
			l.byInput = l.byInput || l.sl2vl.Switch[s].By == route.ByInOut
		}
	}
	l.vlSet = set
	for vl := range route.DropVL {
		if set>>vl&1 == 1 {
			l.vlIndex[vl] = uint8(len(l.vls))
			l.vls = append(l.vls, vl)
		}
	}
	if l.sl2vl != nil {
		l.pool, l.distinct = make([]vlIndices, len(l.sl2vl.Pool)), make([]bool, len(l.sl2vl.Pool))
		for i := range l.pool {
			l.pool[i], l.distinct[i] = l.indicesOf(&l.sl2vl.Pool[i])
		}
	}
	if set>>route.DropVL == 1 && l.sl2vl != nil {
		l.readDiscards(g)
	}
}

func (l *lanes) indicesOf(t *route.VLTable) (v vlIndices, distinct bool) {
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

func (l *lanes) readDiscards(g *fabric.Graph) {
	l.hostDrop = make([]uint64, g.NumHosts)
	for h := range l.hostDrop {
		l.hostDrop[h] = l.discarded(l.sl2vl.HostTable(int32(h)))
	}
	if l.byInput {
		return
	}
	l.drop = make([]uint64, len(g.Attached))
	for s := range int32(g.NumSwitches) {
		for p := range g.SwitchPorts[s] + 1 {
			l.drop[g.PortStart[s]+p] = l.discarded(l.sl2vl.Table(g, s, 0, uint8(p)))
		}
	}
}

// discarded returns the mask of the SLs that a table maps to VL 15.
func (l *lanes) discarded(t *route.VLTable) uint64 {
	m := uint64(0)
	for i, sl := range l.sls {
		if t[sl] == route.DropVL {
			m |= l.inAll[i]
		}
	}
	return m
}

// vlsOf converts SLs (a field) to VLs by a table; discarded SLs become VL 15.
func (l *lanes) vlsOf(field uint64, t *route.VLTable) uint16 {
	set := uint16(0)
	for i, sl := range l.sls {
		if field>>i&1 == 1 {
			set |= 1 << t[sl]
		}
	}
	return set
}

// vl returns the VL of packets with an SL through a switch.
func (v *vlTables) vl(g *fabric.Graph, s int32, in, out, sl uint8) uint8 {
	if v.sl2vl == nil {
		return 0
	}
	return v.sl2vl.Table(g, s, in, out)[sl]
}

// indices returns the table for packets through a switch.
func (v *vlTables) indices(g *fabric.Graph, s int32, in, out uint8) *vlIndices {
	if v.sl2vl == nil {
		return &oneVL
	}
	return &v.pool[v.sl2vl.Index(g, s, in, out)]
}

// checkVLs checks the VLs of assigned traffic and of the trees at each port.
func (j *judge) checkVLs(r *Report) {
	l, g := j.lanes, j.Graph
	known := l.sl != nil
	if !known && (j.copies == nil || j.Plan.SL2VL == nil) {
		return
	}
	c := vlCheck{
		g: g, p: j.Plan, known: known, copies: j.copies,
		beyond: Finding{Kind: VLBeyondPort}, discards: Finding{Kind: DiscardVL}, silent: Finding{Kind: NoWeight}, starved: Finding{Kind: Starved},
	}
	for h := range int32(g.NumHosts) {
		s, p := g.EndSwitch[h], g.EndPort[h]
		sent, delivered := uint16(0), uint16(0)
		if known {
			sent, delivered = l.vlsOf(j.sentBy(h), l.sl2vl.HostTable(h)), j.vlsSent(s, p, uint16(j.arriving(h)))
		}
		c.hostPort(h, sent)
		c.switchPort(s, p, delivered)
	}
	if known {
		r.ChannelVLs = make([]uint16, g.NumChannels)
	}
	for ch, set := range j.found.sls {
		s, p := g.From[ch], g.FromPort[ch]
		vls := uint16(0)
		if known {
			vls = j.vlsSent(s, p, set)
			r.ChannelVLs[ch] = vls &^ (1 << route.DropVL)
		}
		c.switchPort(s, p, vls)
	}
	r.VLs = bits.OnesCount16(c.all &^ (1 << route.DropVL))
	r.fault(c.beyond)
	r.fault(c.discards)
	r.fault(c.silent)
	r.fault(c.starved)
	if n := bits.OnesCount16((c.all | c.ofTrees) &^ (1 << route.DropVL)); j.Plan.VLs > 0 && n > j.Plan.VLs {
		r.warn(Finding{Kind: VLBeyondPlan, Count: 1, Examples: []route.Remark{
			remark(fmt.Sprintf("the plan says that it uses %d VLs, but traffic uses %d", j.Plan.VLs, n)),
		}})
	}
}

// arriving returns the set of SLs that arrive at a host, or of VLs if the tables are by input port.
func (j *judge) arriving(h int32) uint64 {
	got := uint64(0)
	for k := range j.LIDs.Count[h] {
		if lid := int(j.Plan.Ends.Base[h]) + k; j.LIDs.Owner[lid] == h {
			got |= j.found.arriving[lid]
		}
	}
	return got
}

// vlsSent returns the set of VLs (15 for discarded) that a switch sends by a port. The set it gets
// holds SLs, or VLs if the tables are by input port.
func (j *judge) vlsSent(s int32, p uint8, set uint16) uint16 {
	if j.lanes.byInput {
		return set
	}
	return j.lanes.vlsOf(uint64(set), j.lanes.sl2vl.Table(j.Graph, s, 0, p))
}

// vlCheck collects the VLs in use, and VLs that ports lack, discard or never send.
type vlCheck struct {
	g                        *fabric.Graph
	p                        *route.Plan
	known                    bool    // the VLs of assigned traffic are known
	copies                   *copies // packets of the trees; nil if there are no trees
	all, ofTrees             uint16  // VLs of assigned traffic, and of the trees
	beyond, discards, silent Finding
	starved                  Finding
}

// sender is a sending port with its arbitration table, nil when unknown.
type sender struct {
	name   func() fabric.PortName
	vls    uint8  // data VLs of its link, 0 when unknown
	copies uint16 // VLs of packets of the trees
	turns  *route.ArbTable
}

// hostPort checks the VLs that a host sends on.
func (c *vlCheck) hostPort(h int32, vls uint16) {
	from := sender{name: func() fabric.PortName { return c.g.EndName(h) }, vls: c.linkVLs(c.g.EndSwitch[h], c.g.EndPort[h])}
	if c.p.Arbitration != nil {
		from.turns = c.p.Arbitration.OfHost(h)
	}
	if c.copies != nil {
		from.copies = c.copies.hosts[h]
	}
	c.port(&from, vls)
}

// switchPort checks the VLs that a switch sends on by a port.
func (c *vlCheck) switchPort(s int32, p uint8, vls uint16) {
	from := sender{name: func() fabric.PortName { return c.g.SwitchPort(s, p) }, vls: c.linkVLs(s, p)}
	if c.p.Arbitration != nil {
		from.turns = c.p.Arbitration.OfSwitch(c.g, s, p)
	}
	if c.copies != nil {
		from.copies = c.copies.ports[c.g.PortStart[s]+int32(p)]
	}
	c.port(&from, vls)
}

// linkVLs returns the number of data VLs of a switch port's link, 0 when unknown: the least that
// the link has and that the Plan sets at either end.
func (c *vlCheck) linkVLs(s int32, p uint8) uint8 {
	least := c.g.PortVLs[c.g.PortStart[s]+int32(p)]
	if c.p.Ports == nil {
		return least
	}
	other := c.p.Ports.OfSwitch(c.g, s, p)
	if ch, h := c.g.At(s, p); ch >= 0 {
		other = c.p.Ports.OfSwitch(c.g, c.g.To[ch], c.g.ToPort[ch])
	} else if h >= 0 {
		other = c.p.Ports.OfHost(h)
	}
	for _, told := range [2]uint8{c.p.Ports.OfSwitch(c.g, s, p).VLs, other.VLs} {
		if told > 0 && (least == 0 || told < least) {
			least = told
		}
	}
	return least
}

// port checks the VLs that a port sends on.
func (c *vlCheck) port(from *sender, vls uint16) {
	c.all |= vls
	c.ofTrees |= from.copies
	all := vls | from.copies
	starved := uint16(0)
	switch {
	case from.turns == nil:
	case c.known:
		starved = mayStarve(from.turns, all)
	default: // other packets may be on any VL
		starved = mayStarve(from.turns, math.MaxUint16)
	}
	for left := all; left != 0; left &= left - 1 {
		vl := uint8(bits.TrailingZeros16(left))
		of := ""
		if vls>>vl&1 == 0 {
			of = " of multicast groups"
		}
		switch {
		case vl == route.DropVL:
			c.discards.add(func() route.Remark {
				return remark(fmt.Sprintf("discards packets%s: their SL is mapped to VL 15", of), from.name())
			})
		case from.vls > 0 && vl >= from.vls:
			c.beyond.add(func() route.Remark {
				return remark(fmt.Sprintf("sends packets%s on VL %d, but the link has %d VLs", of, vl, from.vls), from.name())
			})
		case from.turns != nil && from.turns.Weight(vl) == 0:
			c.silent.add(func() route.Remark {
				return remark(fmt.Sprintf("has traffic%s for VL %d, but no weight for it in VL arbitration", of, vl), from.name())
			})
		case starved>>vl&1 != 0:
			c.starved.add(func() route.Remark {
				return remark(fmt.Sprintf("has traffic%s for VL %d, which VL arbitration starves while VLs of high priority have packets", of, vl), from.name())
			})
		}
	}
}

// mayStarve returns the VLs that can wait forever: they have low priority only, other VLs of the
// set have high priority, and high priority has no limit.
func mayStarve(t *route.ArbTable, vls uint16) uint16 {
	if t.Limit < noLimit {
		return 0
	}
	high := uint16(0)
	for _, e := range t.High {
		if e.Weight > 0 {
			high |= 1 << e.VL
		}
	}
	if high&vls == 0 {
		return 0
	}
	return vls &^ high
}

// noLimit is the value of the limit of high priority for "unlimited".
const noLimit = 255
