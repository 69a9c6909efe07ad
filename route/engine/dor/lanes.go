package dor

import (
	"context"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/route"
	"weft/route/engine/internal/datelines"
)

// fitLanes refuses networks that need more lanes or SL bits than there are.
func fitLanes(grids []grid, maxVLs int) error {
	for _, m := range grids {
		name := fabric.SwitchName(m.G, m.Switches[0])
		if err := datelines.FitSL(m.Grid, Name, name); err != nil {
			return err
		}
		if len(m.Datelines()) > 0 && maxVLs < 2 {
			return route.Refuse(Name, "allow 2 VLs",
				"needs 2 lanes, %d allowed: the torus of %s has a ring of length %d or more", maxVLs, name, coords.DatelineFrom)
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
		bits[k] = m.Datelines()
		used += len(bits[k])
		if len(bits[k]) > 0 {
			datelines.FillVLs(m.Grid, bits[k], 0, lanes)
		}
	}
	if used == 0 {
		return nil
	}
	sl := route.NewSLs(g.EndSwitch, in.Ends.SwitchByLID(g), g.NumSwitches, g.NumSwitches)
	for k, m := range grids {
		if err := datelines.FillSLs(ctx, m.Grid, in.Workers, bits[k], sl); err != nil {
			return err
		}
	}
	plan.SL, plan.SL2VL, plan.VLs = sl, lanes, 2
	return nil
}
