package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/joblanes"
	"weft/route/relief"
)

// MoveForJobs moves entries of a Plan in force for jobs, and proves the new Plan and the way to it.
// NotForJobs of the Result says why nothing moves; then it has no Plan.
func (k *Kept) MoveForJobs(ctx context.Context, jobs *relief.Jobs, workers int) (*Result, error) {
	r := &Result{}
	plan, moves, err := relief.ForJobs(ctx, k.old, k.Plan, jobs)
	if no, ok := errors.AsType[*relief.Impossible](err); ok {
		r.NotForJobs = no
		return r, nil
	}
	if r.ForJobs = moves; err != nil || moves.Entries == 0 {
		return r, err
	}
	if r.Report, err = quality.Judge(ctx, k.old, plan, check.Options{Workers: max(1, workers)}); err != nil {
		return r, err
	}
	if !r.Report.OK {
		r.NotForJobs = unprovenMoves(r.Report)
		return r, nil
	}
	t, err := k.Transition(ctx, k.old, plan, workers)
	if err != nil {
		return r, err
	}
	if r.NotForJobs = t.Disturbs(); r.NotForJobs == nil {
		r.Plan = plan
	}
	return r, nil
}

// unprovenMoves returns an error with the reason why the judge does not prove a Plan with moved
// entries: its first fault, or a warning that prevents a proof.
func unprovenMoves(r *quality.Report) error {
	var why string
	findings := slices.Clip(r.Faults)
	for _, k := range []check.Kind{check.NoLID, check.Unclear} { // warnings that prevent a proof
		if f := r.Find(k); f != nil {
			findings = append(findings, *f)
		}
	}
	switch {
	case len(findings) > 0:
		f := &findings[0]
		if why = inWords(f); len(f.Examples) > 0 {
			why += ", such as " + f.Examples[0].String()
		}
	case r.DeadlockFree == check.No:
		why = fmt.Sprintf("a cycle of %d channels", len(r.Cycle))
	case r.DeadlockFree != check.Yes:
		why = "whether packets can deadlock is unknown"
	default:
		why = "packets of multicast groups could deadlock"
	}
	return fmt.Errorf("the Plan with moved entries is not proven: %s", why)
}

// inWords says how often the judge met a fault that moved entries can have.
func inWords(f *check.Finding) string {
	words, known := map[check.Kind][2]string{
		check.NoEntry: {"missing table entry", "missing table entries"}, check.DeadPort: {"entry for a port that is not in use", "entries for ports that are not in use"},
		check.WrongEnd: {"entry that leads to another port", "entries that lead to other ports"}, check.Loop: {"entry on a loop", "entries on loops"},
		check.OneWayPair: {"pair without a way back", "pairs without a way back"}, check.NoLID: {"port without a LID", "ports without a LID"},
	}[f.Kind]
	if !known {
		words = [2]string{"fault " + string(f.Kind), "faults " + string(f.Kind)}
	}
	return fold.Count(int(f.Count), words[0], words[1])
}

// Disturbs returns why a Transition is too much for a Plan that nothing has failed for: it drops
// packets, or some mixture of tables is not proven. nil: it is not.
func (t *Transition) Disturbs() error {
	switch {
	case t.Pauses():
		return errors.New("old and new entries together could close a cycle: they would have to be dropped first")
	case !t.Mixture.OK || t.Asked != nil && !t.Asked.OK:
		return errors.New("the mixtures of old and new entries are not proven")
	}
	return nil
}

// moveForJobs moves paths for the jobs of a request. A Plan whose paths cannot move stays.
func (r *Result) moveForJobs(ctx context.Context, g *fabric.Graph, req *Request) (err error) {
	var plan *route.Plan
	var moves *relief.Moves
	r.timed(req, "jobs", func() { plan, moves, err = relief.ForJobs(ctx, g, r.Plan, &relief.Jobs{Hosts: req.Jobs}) })
	if no, ok := errors.AsType[*relief.Impossible](err); ok {
		r.NotForJobs = no
		return nil
	}
	if r.ForJobs = moves; err == nil && moves.Entries > 0 {
		r.Plan, r.Report = plan, nil
	}
	return err
}

// giveJobLanes gives jobs lanes of their own. If no lane is left, they share the lanes of the
// paths. JobLanes.InUse counts only for a Plan that was repaired.
func (r *Result) giveJobLanes(ctx context.Context, g *fabric.Graph, req *Request) (err error) {
	wanted := *req.JobLanes
	wanted.InUse = wanted.InUse && r.Repaired != nil
	var plan *route.Plan
	var lanes *joblanes.Lanes
	r.timed(req, "lanes for jobs", func() { plan, lanes, err = joblanes.Give(ctx, g, r.Plan, &wanted) })
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		if r.NoJobLanes = no; !wanted.InUse {
			r.Plan.Recipe.Copies = wanted.Copies
		}
		return nil
	}
	if err != nil {
		return err
	}
	if r.JobLanes = lanes; !wanted.InUse {
		plan.Recipe.Copies = wanted.Copies
		r.Plan, r.Report = plan, nil
	}
	return nil
}

// timed runs a stage after the routing, and adds its time.
func (r *Result) timed(req *Request, stage string, do func()) {
	watch := stopwatch{now: req.now()}
	watch.stage(stage)
	do()
	watch.stage("")
	r.Stages, r.Seconds = append(r.Stages, watch.stages...), r.Seconds+watch.total()
}
