package dor

import (
	"context"

	"weft/internal/par"
	"weft/route"
	"weft/route/coords"
)

// fitLanes refuses what needs more lanes or SL bits than there are.
func fitLanes(grids []grid, maxVLs int) error {
	for _, m := range grids {
		name := route.SwitchName(m.G, m.Switches[0])
		if err := m.FitsSL(Name, useUpdn, name, datelineFrom); err != nil {
			return err
		}
		if len(m.Datelines(datelineFrom)) > 0 && maxVLs < 2 {
			return route.Refuse(Name, "allow 2 VLs, or use updn",
				"needs 2 lanes, %d allowed: the torus of %s has a ring of length %d or more", maxVLs, name, datelineFrom)
		}
	}
	return nil
}

// addLanes fills in SL and SL2VL if any part has a dateline. The class of a source
// and of a LID is its switch.
func addLanes(ctx context.Context, in *route.Input, grids []grid, plan *route.Plan) error {
	g := in.Graph
	bits := make([][]int, len(grids))
	lanes := route.UniformVL(g, route.VLTable{})
	used := 0
	for k, m := range grids {
		bits[k] = m.Datelines(datelineFrom)
		used += len(bits[k])
		m.fillVLs(lanes, bits[k])
	}
	if used == 0 {
		return nil
	}
	sl := route.NewSLs(g.EndSwitch, in.Ends.SwitchByLID(g), g.NumSwitches, g.NumSwitches)
	for k, m := range grids {
		err := par.For(ctx, in.Workers, len(m.Switches), func(_, d int) error {
			m.fillSLs(sl, bits[k], int32(d))
			return nil
		})
		if err != nil {
			return err
		}
	}
	plan.SL, plan.SL2VL, plan.VLs = sl, lanes, 2
	return nil
}

// fillVLs makes the ports of each dateline dimension choose the VL by its SL bit.
func (m grid) fillVLs(lanes *route.SL2VL, bits []int) {
	if len(bits) == 0 {
		return
	}
	tables := make([]uint16, len(bits))
	for b := range bits {
		var t route.VLTable
		for sl := range t {
			t[sl] = uint8(sl>>b) & 1
		}
		tables[b] = lanes.Intern(t)
	}
	for s, sw := range m.Switches {
		index := make([]uint16, m.G.SwitchPorts[sw]+1)
		for b, dim := range bits {
			for _, dir := range [2]int{coords.Up, coords.Down} {
				for _, c := range m.Links(m.Place(int32(s), dim, dir)) {
					index[m.G.FromPort[c]] = tables[b]
				}
			}
		}
		lanes.Switch[sw] = route.SwitchSL2VL{By: route.ByOut, Index: index}
	}
}

// fillSLs enters the SLs of all switches of the part towards switch d.
func (m grid) fillSLs(sl *route.SLs, bits []int, d int32) {
	y := m.Coords(d)
	for s := range m.Switches {
		x := m.Coords(int32(s))
		level := uint8(0)
		for b, dim := range bits {
			if m.Crosses(dim, x[dim], y[dim], m.Parity(int32(s), d, dim)) {
				level |= 1 << b
			}
		}
		sl.Set(m.Switches[s], m.Switches[d], level)
	}
}
