package repair

import (
	"weft/fabric"
	"weft/route"
)

// AsIs binds a Plan to a Graph that has changed and changes nothing: the tables that switches
// hold until somebody writes others. What is new has no LIDs and no entries. It fails with
// *Impossible where nobody knows the lanes of what is new.
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
