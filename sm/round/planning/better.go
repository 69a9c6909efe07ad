package planning

import (
	"context"
	"errors"
	"fmt"

	"weft/planner"
	"weft/route"
	"weft/sm/terms"
)

// fewRuns is the number of bisections that compare a better Plan, after its repair, with the one in
// force.
const fewRuns = 20

// useBetter repairs the Plan that was made beside the loop, for the present subnet, and puts it
// into the event. It returns an error if the Plan cannot be used. A fault in weft is such an error:
// it must not stop the repair of the Plan in force.
func useBetter(ctx context.Context, req planner.Request, q *terms.RouteRequest, ev *terms.Event) error {
	var r *planner.Result
	var way *planner.Transition
	err := caught(func() (err error) {
		if q.Better.ForJobs && !q.Better.Kept.IsOn(q.Graph) {
			return ErrChanged
		}
		if r, err = repairBetter(ctx, &req, q); err != nil {
			return err
		}
		from := q.Found
		if from == nil {
			from = q.Kept
		}
		if way, err = from.Transition(ctx, q.Graph, r.Plan, req.Workers); err == nil && q.Better.ForJobs {
			err = way.Disturbs()
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Choice = q.Better.Choice
	ev.Result, ev.Way = r, way
	ev.Less = append(ev.Less, fewerLIDs(q.Graph, &req, r.Plan)...)
	return nil
}

// ErrChanged says that a Plan with entries moved for jobs came too late: no repair waits for such a
// Plan.
var ErrChanged = errors.New("the subnet has changed meanwhile")

// repairBetter repairs the better Plan. It refuses one that is not proven, that gives a port
// another LID than the Plan in force does, or that delivers less than that.
func repairBetter(ctx context.Context, req *planner.Request, q *terms.RouteRequest) (*planner.Result, error) {
	g, better := q.Graph, q.Better
	req.Chain, req.Kinds, req.Kept, req.Afresh, req.Moves = nil, nil, better.Kept, false, 0
	if err := better.Kept.Hold(g, req); err != nil {
		return nil, err
	}
	addStored(req.LIDs.Held, g, q.Stored)
	addAbsent(req.LIDs.Held, q.Absent)
	req.LIDs.Kept = true
	r, err := guarded(ctx, g, req)
	switch {
	case r.NotRepaired != nil:
		return nil, r.NotRepaired
	case err != nil:
		return nil, err
	case !r.Report.OK && !q.Unproven:
		return nil, errors.New("it is not proven on the subnet as it is now")
	}
	if err := keepsLIDs(req, q, r.Plan); err != nil {
		return nil, err
	}
	if r.Repaired.Moved > 0 && !better.Asked && !better.ForJobs {
		err = staysBetter(ctx, req, q, r)
	}
	return r, err
}

// keepsLIDs returns an error if a better Plan gives a port another LID than the Plan in force does:
// while it was made, ports may have come, gone, and got LIDs of others.
func keepsLIDs(req *planner.Request, q *terms.RouteRequest, plan *route.Plan) error {
	held := *req
	if err := q.Kept.Hold(q.Graph, &held); err != nil {
		return err
	}
	for end, lid := range held.LIDs.Held.Ends.Base {
		if is := plan.Ends.Base[end]; lid != 0 && is != lid {
			return fmt.Errorf("%s has LID %d meanwhile, and would get %d", route.EndName(q.Graph, int32(end)), lid, is)
		}
	}
	return nil
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
