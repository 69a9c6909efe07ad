package multicast

import (
	"cmp"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// pathVLs returns the set of VLs of some SLs on all switches of a Plan, including links to hosts.
func pathVLs(plan *route.Plan, sls uint16) (vls uint16) {
	if plan.SL2VL == nil {
		return 1
	}
	seen := make([]bool, len(plan.SL2VL.Pool))
	for s := range plan.SL2VL.Switch {
		for _, i := range plan.SL2VL.Switch[s].Index {
			if seen[i] {
				continue
			}
			seen[i] = true
			for m := sls; m != 0; m &= m - 1 {
				vls |= 1 << plan.SL2VL.Pool[i][bits.TrailingZeros16(m)]
			}
		}
	}
	return vls
}

// usedVLs counts the VLs in use by the paths of a Plan, without copies for jobs; 1 without lane
// tables.
func usedVLs(plan *route.Plan) int {
	paths := uint16(0)
	for m := plan.SLsInUse(); m != 0; m &= m - 1 {
		sl, _ := plan.UncopySL(uint8(bits.TrailingZeros16(m)))
		paths |= 1 << sl
	}
	return bits.OnesCount16(pathVLs(plan, paths))
}

// unicastOrder returns an order of channels with the dependencies of all table entries, nil if
// these have a cycle.
func unicastOrder(x *cdg.Index, plan *route.Plan) *cdg.Order {
	g := x.Graph
	set := make([]uint64, x.Size/64+1)
	for s := range int32(g.NumSwitches) {
		for b := range plan.Tables.NumBlocks() {
			for i, port := range plan.Tables.Block(s, b) {
				if port == 0 || port == route.NoPort {
					continue
				}
				c, _ := g.At(s, port)
				if c < 0 {
					continue
				}
				next := plan.Tables.Block(g.To[c], b)[i]
				if next == 0 || next == route.NoPort {
					continue
				}
				if d, _ := g.At(g.To[c], next); d >= 0 {
					n := x.Number(c, d)
					set[n/64] |= 1 << (n % 64)
				}
			}
		}
	}
	return cdg.NewOrderOf(x, set, cdg.MoveFewer)
}

// ownLane finds a VL and an SL that no path uses, and maps one to the other in all tables.
func ownLane(g *fabric.Graph, plan *route.Plan, maxVLs int) (sl uint8, err error) {
	used := plan.SLsInUse()
	vls := pathVLs(plan, used)
	if sl, ok := existingLane(plan, used, vls); ok {
		return sl, nil
	}
	most := cmp.Or(g.LeastVLs(), route.UsualVLs)
	if maxVLs > 0 {
		most = min(most, maxVLs)
	}
	vl, sl := bits.TrailingZeros16(^vls), uint8(bits.TrailingZeros16(^used))
	if vl >= most || sl >= route.NumSLs || plan.SL2VL == nil {
		return 0, route.Refuse("multicast", "give the engine one lane less (--vls)",
			"the paths use all %d VLs of the links: no lane is left for deadlock-free multicast trees", most)
	}
	m := *plan.SL2VL
	m.Pool = slices.Clone(m.Pool)
	for i := range m.Pool {
		m.Pool[i][sl] = uint8(vl)
	}
	m.Host, m.Switch = slices.Clone(m.Host), slices.Clone(m.Switch)
	plan.SL2VL, plan.VLs = &m, max(plan.VLs, vl+1)
	m.FitHosts(g, plan.VLs)
	addEntry(g, plan, uint8(vl))
	return sl, nil
}

// existingLane finds an SL without paths that every switch maps to one VL without paths: the lane
// of the previous pool.
func existingLane(plan *route.Plan, sls, vls uint16) (sl uint8, ok bool) {
	if plan.SL2VL == nil {
		return 0, false
	}
	for free := ^sls; free != 0; free &= free - 1 {
		sl := bits.TrailingZeros16(free)
		at := pathVLs(plan, 1<<sl)
		if bits.OnesCount16(at) == 1 && at&vls == 0 && bits.TrailingZeros16(at) < plan.VLs {
			return uint8(sl), true
		}
	}
	return 0, false
}

// addEntry gives a VL a turn at every port that gives it none.
func addEntry(g *fabric.Graph, plan *route.Plan, vl uint8) {
	if plan.Arbitration == nil {
		return
	}
	if len(plan.Levels) > 0 {
		plan.Arbitration = plan.LevelArbitration(g)
		return
	}
	a := *plan.Arbitration
	a.Pool = slices.Clone(a.Pool)
	for i := range a.Pool {
		if a.Pool[i].Weight(vl) > 0 {
			continue // its turn is among those of the paths
		}
		a.Pool[i].Low = append(slices.Clone(a.Pool[i].Low), route.ArbEntry{VL: vl, Weight: route.UsualWeight})
	}
	plan.Arbitration = &a
	for h := range int32(g.NumHosts) { // links with fewer VLs have the usual turns
		at := int(g.PortStart[g.EndSwitch[h]]) + int(g.EndPort[h])
		if v := g.PortVLs[at]; v > 0 && v <= vl {
			plan.Arbitration = route.EqualArbitration(g, plan.VLs)
			return
		}
	}
}
