package sm

import (
	"context"
	"errors"

	"weft/fabric"
	"weft/route"
	"weft/route/check"
	"weft/route/quality"
	"weft/route/recipe"
)

// Planner computes and judges Plans: the chain of engines to ask, in order.
type Planner struct {
	Chain   []*recipe.Request
	Workers int // of the judge, at least 1
}

// Plan asks the engines in order until one does not refuse, and judges its Plan. LIDs
// in use are kept. An engine that is to use a switch that was not found is passed over
// too: a dead root must not stop a fabric. The answer is a Planned event; all that went
// wrong is in it.
func (p *Planner) Plan(ctx context.Context, g *fabric.Graph, held *route.Held) *Event {
	ev := &Event{Kind: Planned}
	for _, asked := range p.Chain {
		req := *asked
		req.Names.Held = held
		plan, err := recipe.Run(ctx, g, &req, func(string) {})
		if err == nil {
			ev.Plan, ev.Engine = plan, req.Engine.Name
			break
		}
		ev.Refused = append(ev.Refused, err.Error())
		ev.Err = errors.Join(ev.Err, err)
		_, refused := errors.AsType[*route.Refusal](err)
		if _, dead := errors.AsType[*route.NoSwitch](err); !refused && !dead {
			break
		}
	}
	if ev.Plan == nil {
		return ev
	}
	ev.Check, ev.Err = quality.Judge(ctx, g, ev.Plan, check.Options{Workers: max(1, p.Workers)})
	if ev.Err != nil {
		ev.Plan = nil
	}
	return ev
}
