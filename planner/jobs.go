package planner

import (
	"context"
	"errors"

	"weft/fabric"
	"weft/route/relief"
)

// moveForJobs moves paths for the jobs of a request. A Plan whose paths cannot move stays.
func (r *Result) moveForJobs(ctx context.Context, g *fabric.Graph, req *Request) error {
	watch := stopwatch{now: req.now()}
	watch.stage("jobs")
	plan, moves, err := relief.ForJobs(ctx, g, r.Plan, &relief.Jobs{Hosts: req.Jobs})
	watch.stage("")
	if no, ok := errors.AsType[*relief.Impossible](err); ok {
		r.NotForJobs = no
		return nil
	}
	if err != nil {
		return err
	}
	if r.ForJobs = moves; moves.Entries > 0 {
		r.Plan, r.Report = plan, nil
	}
	r.Stages, r.Seconds = append(r.Stages, watch.stages...), r.Seconds+watch.total()
	return nil
}
