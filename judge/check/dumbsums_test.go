package check

import (
	"fmt"
	"sort"

	"weft/route"
)

// lanes checks VLs, SL classes and choices.
func (d *dumb) lanes(r *dumbReport, used map[portVL]bool, fault func(Kind, int64, int64)) {
	g := d.g
	if d.known() {
		vls := map[uint8]bool{}
		r.ChannelVLs = make([]uint16, g.NumChannels)
		for u := range used {
			has := g.PortVLs[g.PortStart[u.s]+int32(u.p)]
			if u.vl == 15 {
				fault(DiscardVL, 1, 0)
				continue
			}
			vls[u.vl] = true
			if c, _ := g.At(u.s, u.p); u.out && c >= 0 {
				r.ChannelVLs[c] |= 1 << u.vl
			}
			turns, told := d.told(u)
			if told > 0 && (has == 0 || told < has) {
				has = told
			}
			switch {
			case has > 0 && u.vl >= has:
				fault(VLBeyondPort, 1, 0)
			case turns != nil && turns.Weight(u.vl) == 0:
				fault(NoWeight, 1, 0)
			case turns != nil && turns.Limit == 255:
				isHigh := func(vl uint8) bool { return (&route.ArbTable{High: turns.High}).Weight(vl) > 0 }
				for other := range used {
					if other.s == u.s && other.p == u.p && other.out == u.out && isHigh(other.vl) && !isHigh(u.vl) {
						fault(Starved, 1, 0)
						break
					}
				}
			}
		}
		r.VLs = len(vls)
		if d.p.VLs > 0 && r.VLs > d.p.VLs {
			fault(VLBeyondPlan, 1, 0)
		}
	}
	if m := d.p.SL; m != nil {
		for e := range int32(g.NumEnds) {
			if len(d.lids[e]) > 0 && (m.Src[e] < 0 || int(m.Src[e]) >= m.NumSrc) {
				fault(NoSL, 1, 0)
			}
		}
		for lid := range d.owner {
			if int(lid) >= len(m.Dst) || m.Dst[lid] < 0 || int(m.Dst[lid]) >= m.NumDst {
				fault(NoSL, 1, 0)
			}
		}
	}
	if c := d.p.Choice; c.By == route.ListedLIDs {
		for i, t := range c.Target {
			if t < 0 || int(t) >= g.NumEnds || int(c.Offset[i]) >= len(d.lids[t]) {
				fault(BadChoice, 1, 0)
			}
		}
	}
	for e := range int32(g.NumEnds) {
		if len(d.lids[e]) == 0 {
			fault(NoLID, 1, 0)
		}
	}
	if d.p.Ends.Validate(g) != nil {
		fault(Names, 1, 0)
	}
}

// told is what the port that sends is told of turns, and the least VLs that an end of its link is
// told.
func (d *dumb) told(u portVL) (turns *route.ArbTable, vls uint8) {
	_, host := d.g.At(u.s, u.p)
	slot := d.g.PortStart[u.s] + int32(u.p)
	if a := d.p.Arbitration; a != nil {
		turns = &a.Pool[a.Switch[slot]]
		if !u.out {
			turns = &a.Pool[a.Host[host]]
		}
	}
	if p := d.p.Ports; p != nil {
		ends := []uint8{p.Pool[p.Switch[slot]].VLs}
		if host >= 0 {
			ends = append(ends, p.Pool[p.Host[host]].VLs)
		} else if c, _ := d.g.At(u.s, u.p); c >= 0 {
			ends = append(ends, p.Pool[p.Switch[d.g.PortStart[d.g.To[c]]+int32(d.g.ToPort[c])]].VLs)
		}
		for _, n := range ends {
			if n > 0 && (vls == 0 || n < vls) {
				vls = n
			}
		}
	}
	return turns, vls
}

// ringOf names the loop at the end of an endless path by its channels.
func ringOf(path []int32) string {
	ring := map[int32]bool{}
	for i := len(path) - 1; i >= 0 && !ring[path[i]]; i-- {
		ring[path[i]] = true
	}
	var list []int
	for c := range ring {
		list = append(list, int(c))
	}
	sort.Ints(list)
	return fmt.Sprint(list)
}

// dumbCycle is the length of a shortest cycle, 0 when there is none.
func dumbCycle(deps map[dumbDep]bool) int {
	next := map[dumbNode][]dumbNode{}
	for d := range deps {
		next[d.from] = append(next[d.from], d.to)
	}
	best := 0
	for start := range next {
		seen := map[dumbNode]bool{}
		front := []dumbNode{start}
		for n := 1; len(front) > 0 && (best == 0 || n < best); n++ {
			var ahead []dumbNode
			for _, u := range front {
				for _, v := range next[u] {
					if v == start {
						best = n
					}
					if !seen[v] {
						seen[v] = true
						ahead = append(ahead, v)
					}
				}
			}
			front = ahead
		}
	}
	return best
}
