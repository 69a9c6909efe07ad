package repair

import (
	"weft/fabric"
	"weft/route"
)

// AsIs binds an unchanged Plan to a changed Graph: the tables that switches hold until somebody
// writes new ones. New ports and switches have no LIDs and no entries. AsIs fails with *Impossible
// if the lanes of new ones are unknown.
func AsIs(g *fabric.Graph, old *fabric.Graph, plan *route.Plan) (*route.Plan, error) {
	held := route.Hold(old, plan, g)
	b := bind(g, &Request{Old: old, Plan: plan, Held: held}, held.Ends)
	p, err := b.newPlan(held)
	if err != nil {
		return nil, err
	}
	p.Unclear = plan.Unclear
	rows := make([][]*route.Block, g.NumSwitches)
	for s, o := range b.switchWas {
		for i := range plan.Tables.NumBlocks() {
			rows[s] = append(rows[s], plan.Tables.BlockOrEmpty(o, i))
		}
	}
	p.Tables = route.TablesOf(plan.Tables.NumBlocks(), rows)
	return p, nil
}
