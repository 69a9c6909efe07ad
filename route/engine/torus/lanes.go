package torus

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/datelines"
)

// lanes returns the number of lanes without and with turns against the order.
func (m *torus) lanes() (ordered, all int) {
	ordered = min(2, 1+len(m.Datelines()))
	all = ordered
	if m.turns {
		all *= 2
	}
	return ordered, all
}

// addLanes fills in SL and SL2VL if any part needs more than one lane. The class of
// a source and of a LID is its switch.
func addLanes(ctx context.Context, in *route.Input, tori []*torus, plan *route.Plan) error {
	g := in.Graph
	most := 1
	for _, m := range tori {
		ordered, all := m.lanes()
		if all > in.MaxVLs {
			return route.Refuse(Name, "allow as many",
				"needs %d lanes, %d allowed: the torus of %s takes %d, and twice that to avoid a failed switch",
				all, in.MaxVLs, fabric.SwitchName(g, m.Switches[0]), ordered)
		}
		most = max(most, all)
	}
	if most == 1 {
		return nil
	}
	plan.VLs = most
	plan.SL = route.NewSLs(g.EndSwitch, in.Ends.SwitchByLID(g), g.NumSwitches, g.NumSwitches)
	plan.SL2VL = route.UniformVL(g, route.VLTable{})
	for _, m := range tori {
		bits := m.Datelines()
		if err := datelines.FillSLs(ctx, m.Grid, in.Workers, bits, plan.SL); err != nil {
			return err
		}
		ordered, all := m.lanes()
		datelines.FillVLs(m.Grid, bits, uint8(all-ordered), plan.SL2VL)
	}
	return nil
}
