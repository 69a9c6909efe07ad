package joblanes

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// copyLanes adds copies of the lanes to a Plan.
func copyLanes(g *fabric.Graph, p *route.Plan, req *Request) error {
	if len(p.Levels) > 0 {
		return route.Refuse(stage, "choose levels of service or lanes for jobs", "the Plan has levels of service, and copies of the lanes would change their shares")
	}
	paths := p.SLsInUse()
	others := req.Held
	if p.Multicast != nil {
		others |= 1 << p.Multicast.SL
	}
	pool := allTables(p.SL2VL)
	lanes := bits.Len16(p.SL2VL.VLs(pool, paths))
	first := max(lanes, bits.Len16(p.SL2VL.VLs(pool, others))) // VL of the first copy
	free := ^(paths | others)
	vls := linkVLs(g, p, req.MaxVLs)
	n := min(max(0, vls-first)/lanes, bits.OnesCount16(free)/bits.OnesCount16(paths))
	if req.Copies > 0 {
		n = min(n, req.Copies-1)
	}
	switch {
	case n > 0:
	case vls-first < lanes:
		return route.Refuse(stage, "take an engine that needs fewer VLs, or give it fewer (--vls)",
			"no lane is left: the proof of the paths needs %d of %d VLs, and a copy needs %d more", first, vls, lanes)
	default:
		return route.Refuse(stage, "take an engine that needs fewer SLs", "no SL is left: %d are in use, and a copy needs %d", bits.OnesCount16(^free), bits.OnesCount16(paths))
	}
	for range n {
		var c route.LaneCopy
		for sl := range c {
			c[sl] = uint8(sl)
		}
		for set := paths; set != 0; set &= set - 1 {
			c[bits.TrailingZeros16(set)] = uint8(bits.TrailingZeros16(free))
			free &= free - 1
		}
		p.JobLanes = append(p.JobLanes, c)
	}
	p.VLs = max(p.VLs, first+n*lanes)
	writeTables(g, p, paths, first, lanes)
	return nil
}

// writeTables gives the copies VLs in all SL2VL tables, and turns at all ports.
func writeTables(g *fabric.Graph, p *route.Plan, paths uint16, first, lanes int) {
	m := *p.SL2VL
	m.Pool, m.Host, m.Switch = slices.Clone(m.Pool), slices.Clone(m.Host), slices.Clone(m.Switch)
	for i := range m.Pool {
		t := &m.Pool[i]
		for n := range p.JobLanes {
			for set := paths; set != 0; set &= set - 1 {
				sl := bits.TrailingZeros16(set)
				if t[p.JobLanes[n][sl]] = t[sl]; t[sl] != route.DropVL {
					t[p.JobLanes[n][sl]] += uint8(first + n*lanes)
				}
			}
		}
	}
	m.FitHosts(g, p.VLs)
	p.SL2VL, p.Arbitration = &m, route.EqualArbitration(g, p.VLs)
}

// linkVLs returns the number of data VLs that every link between switches has, and that may be
// used.
func linkVLs(g *fabric.Graph, p *route.Plan, most int) int {
	vls := cmp.Or(g.LeastVLs(), most, route.UsualVLs)
	if most > 0 {
		vls = min(vls, most)
	}
	if p.Ports == nil {
		return vls
	}
	told := math.MaxInt
	for c := range g.NumChannels {
		if n := p.Ports.OfSwitch(g, g.From[c], g.FromPort[c]).VLs; n > 0 {
			told = min(told, int(n))
		}
	}
	return min(vls, told)
}

// allTables lists the numbers of all tables of a pool.
func allTables(m *route.SL2VL) []uint16 {
	list := make([]uint16, len(m.Pool))
	for i := range list {
		list[i] = uint16(i)
	}
	return list
}
