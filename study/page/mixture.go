package page

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/planner"
)

// Transition asks what can happen while a manager replaces one routing by another.
type Transition struct {
	Routing
	After Routing `json:"after"` // the new one
}

// Check returns errors that hold on any fabric.
func (q *Transition) Check() error {
	if err := q.Routing.Check(); err != nil {
		return err
	}
	if err := q.After.Check(); err != nil {
		return fmt.Errorf("after: %w", err)
	}
	return nil
}

// needs returns the role for the question, which routes.
func (*Transition) needs() endpoints.Role { return endpoints.MayCompute }

// Mixture says what packets can meet while switches hold entries of two routings.
type Mixture struct {
	Verdict string         `json:"verdict"` // in sentences
	Old     string         `json:"old"`     // engine
	New     string         `json:"new"`
	Any     *check.Mixture `json:"any_order"` // if switches got the new entries in any order
	Cycle   []Step         `json:"cycle"`     // of Any
	Steps   int            `json:"steps"`     // of the way that the manager takes
	Drops   bool           `json:"drops"`     // on this way some packets are dropped for a moment
	Ordered *check.Mixture `json:"ordered"`   // on this way
}

// mixture returns the endpoint for the mixture of two routings.
func (p *Page) mixture() endpoints.Endpoint {
	return question(p, fabricPath+"/mixture", "What can happen while switches hold entries of two routings, and the order in which weft sm writes the new one.", "ask about a smaller fabric",
		func(ctx context.Context, h *Held, q *Transition) (*Mixture, error) {
			old, err := p.routedBy(ctx, h, &q.Routing)
			if err != nil {
				return nil, err
			}
			kept := planner.Keep(old.Plan, h.graph)
			after, err := p.routed.get(h, q.Routing.key()+"\x00after\x00"+q.After.key(), func() (*fabric.Graph, *planner.Result, error) {
				req := p.request()
				if err := kept.Hold(h.graph, req); err != nil { // hosts keep their LIDs
					return nil, nil, err
				}
				var err error
				if req.Chain, err = q.After.chain(); err != nil {
					return nil, nil, err
				}
				r, err := planner.Run(ctx, h.graph, req)
				return h.graph, r, err
			})
			if err != nil {
				return nil, err
			}
			out := &Mixture{Old: old.Engine.Name, New: after.result.Engine.Name}
			if out.Any, err = kept.Mixture(ctx, h.graph, after.result.Plan, p.opt.Workers); err != nil {
				return nil, err
			}
			way, err := kept.Transition(ctx, h.graph, after.result.Plan, p.opt.Workers)
			if err != nil {
				return nil, err
			}
			out.Cycle, out.Steps, out.Drops, out.Ordered = stepsOf(&out.Any.Deadlock), len(way.Between)+1, way.Pauses(), way.Mixture
			out.Verdict = out.say(old.Report.OK, after.result.Report.OK)
			return out, nil
		})
}

// say returns the verdict in sentences.
func (m *Mixture) say(oldOK, newOK bool) string {
	if m.Any.LIDs == 0 {
		return "Both routings have the same entries: nothing has to be written."
	}
	text := fmt.Sprintf("The entries of %s differ.", fold.Count(m.Any.LIDs, "LID", "LIDs"))
	switch {
	case m.Any.OK:
		text += " Switches may get the new ones in any order: old and new entries together let no packet go in circles, and no packets wait for each other in a ring."
	default:
		if m.Any.LoopLIDs > 0 {
			text += fmt.Sprintf(" In some order of writing, packets to %d of them can go in circles.", m.Any.LoopLIDs)
		}
		switch m.Any.Deadlock.DeadlockFree {
		case check.No:
			text += fmt.Sprintf(" Packets on old and new entries together can wait for each other in a ring of %d (deadlock).", len(m.Any.Deadlock.Cycle))
		case check.Unknown:
			text += " The lanes are not known, and on one lane packets could wait for each other in a ring (deadlock)."
		case check.Yes:
		}
		text += " weft sm writes in " + fold.Count(m.Steps, "step", "steps")
		if m.Drops {
			text += ", and drops the packets to differing entries until those under way have left"
		}
		if m.Ordered.OK {
			text += ": on this way neither can happen."
		} else {
			text += ", but no way is proven."
		}
	}
	if !oldOK {
		text += " The old routing is not proven by itself."
	}
	if !newOK {
		text += " The new routing is not proven by itself: weft sm does not write it, unless told to (unproven)."
	}
	return text
}
