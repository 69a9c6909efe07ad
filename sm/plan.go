package sm

import (
	"context"
	"errors"
	"fmt"

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

// notTold lists what hosts learn from path records alone: which LID of a target to use, and
// the SL of a path where it is not the one of clients that never ask.
func notTold(p *route.Plan, r *quality.Report) (lines []string) {
	if p.Ends.MaxLMC() > 0 && p.Choice.By != route.AnyLID && p.Choice.By != route.BaseLID {
		lines = append(lines, fmt.Sprintf("which LID of a target to send to (%s): without path records they use base LIDs", p.Choice.By))
	}
	if p.SL != nil && slDiffers(p.SL, p.Service.Default) {
		free := "not known"
		if r != nil {
			free = r.NoPathRecord.DeadlockFree.String()
		}
		lines = append(lines, fmt.Sprintf("the SL of each path: without path records they use SL %d; deadlock-free then: %s", p.Service.Default, free))
	}
	return lines
}

// slDiffers reports whether some pair of classes has another SL than sl.
func slDiffers(m *route.SLs, sl uint8) bool {
	for dst := range int32(m.NumDst) {
		for src := range int32(m.NumSrc) {
			if m.Class(src, dst) != sl {
				return true
			}
		}
	}
	return false
}
