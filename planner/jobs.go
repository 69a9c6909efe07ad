package planner

import (
	"context"
	"errors"

	"weft/fabric"
	"weft/route"
	"weft/route/joblanes"
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

// giveJobLanes gives jobs lanes of their own. If no lane is left, they share the lanes of the
// paths.
func (r *Result) giveJobLanes(ctx context.Context, g *fabric.Graph, req *Request) error {
	watch := stopwatch{now: req.now()}
	watch.stage("lanes for jobs")
	plan, lanes, err := joblanes.Give(ctx, g, r.Plan, req.JobLanes)
	watch.stage("")
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		r.NoJobLanes = no
		return nil
	}
	if err != nil {
		return err
	}
	r.Plan, r.JobLanes, r.Report = plan, lanes, nil
	r.Stages, r.Seconds = append(r.Stages, watch.stages...), r.Seconds+watch.total()
	return nil
}
