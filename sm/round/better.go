package round

import (
	"context"
	"errors"
	"fmt"

	"weft/planner"
	"weft/sm/terms"
)

// fewRuns is the number of bisections that compare a better Plan, after its repair, with the one in
// force.
const fewRuns = 20

// useBetter repairs the Plan that was made beside the loop, for the subnet as it is now. It returns
// the Plan in the event, or else why it is not used.
func useBetter(ctx context.Context, req planner.Request, q *terms.RouteRequest) (*terms.Event, error) {
	g, better := q.Graph, q.Better
	req.Chain, req.Kinds, req.Kept, req.Afresh, req.Moves = nil, nil, better.Kept, false, 0
	if err := better.Kept.Hold(g, &req); err != nil {
		return nil, err
	}
	addStored(req.LIDs.Held, g, q.Stored)
	addAbsent(req.LIDs.Held, q.Absent)
	req.LIDs.Kept = true
	r, err := guarded(ctx, g, &req)
	switch {
	case r.NotRepaired != nil:
		return nil, r.NotRepaired
	case err != nil:
		return nil, err
	case !r.Report.OK:
		return nil, errors.New("it is not proven on the subnet as it is now")
	}
	if f := r.Repaired; f.Moved > 0 && !better.Asked {
		if err := staysBetter(ctx, &req, q, r); err != nil {
			return nil, err
		}
	}
	from := q.Found
	if from == nil {
		from = q.Kept
	}
	ev := &terms.Event{Kind: terms.Planned, Result: r}
	r.Choice = better.Choice
	ev.Way, err = from.Transition(ctx, g, r.Plan, req.Workers)
	return ev, err
}

// staysBetter returns an error if a better Plan delivers less than the Plan in force, after repairs
// of both.
func staysBetter(ctx context.Context, req *planner.Request, q *terms.RouteRequest, r *planner.Result) error {
	held := *req
	held.Kept = q.Kept
	if err := q.Kept.Hold(q.Graph, &held); err != nil {
		return err
	}
	addStored(held.LIDs.Held, q.Graph, q.Stored)
	other, err := planner.Route(ctx, q.Graph, &held)
	if err != nil || other.Repaired == nil {
		return nil //nolint:nilerr // the Plan in force is not better, since it cannot be repaired
	}
	ours, err := planner.Bisection(ctx, q.Graph, r.Plan, req, fewRuns)
	if err != nil {
		return err
	}
	theirs, err := planner.Bisection(ctx, q.Graph, other.Plan, req, fewRuns)
	if err == nil && ours < theirs {
		err = fmt.Errorf("since the subnet has changed it delivers %.3f of the full bandwidth, and the Plan in force %.3f", ours, theirs)
	}
	return err
}
