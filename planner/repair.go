package planner

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/judge/check"
	"weft/route"
	"weft/route/lids"
	"weft/route/multicast"
	"weft/route/repair"
)

// repair changes the kept Plan as little as the Graph demands. If that is impossible, it notes the
// reason and returns false, so that an engine routes afresh.
func (req *Request) repair(ctx context.Context, g *fabric.Graph, r *Result) (done bool, err error) {
	k := req.Kept
	if !k.sameKinds(req.Kinds) {
		r.NotRepaired = &repair.Impossible{Reason: "the kinds of hosts are not those that the plan was made for"}
		return false, nil
	}
	watch := stopwatch{now: req.now()}
	watch.stage("repair")
	plan, figures, err := repair.Run(ctx, g, &repair.Request{Old: k.old, Plan: k.Plan, Held: req.LIDs.Held, Workers: max(1, req.Workers)})
	watch.stage("")
	if _, no := errors.AsType[*repair.Impossible](err); no {
		r.NotRepaired = err
		return false, nil
	}
	if _, no := errors.AsType[*lids.Exhausted](err); no {
		r.NotRepaired = err
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !req.Levels.Has(plan) {
		if err := req.Levels.Give(g, plan, req.MaxVLs); err != nil {
			r.NotRepaired = fmt.Errorf("levels of service: %w", err)
			return false, nil
		}
	}
	r.Plan, r.Repaired, r.Stages, r.Seconds = plan, figures, watch.stages, watch.total()
	if figures.Unordered && plan.VLs > 1 {
		// Engines with lanes make Plans without cycles, but moved paths, or sources with their
		// classes, may close one.
		if err := r.Judge(ctx, g, req); err != nil {
			return false, err
		}
		if !r.Report.OK {
			*r = Result{Refused: r.Refused, NotRepaired: errors.New("the repaired Plan could deadlock: the lanes do not fit what moved")}
			return false, nil
		}
	}
	r.Engine = &route.Spec{Name: k.Plan.Recipe.Engine()}
	if k.Plan.Recipe.Names == route.AsSeen { // tables of another subnet manager
		r.Engine.Name = k.Plan.Recipe.Paths
	}
	return true, nil
}

// spread moves entries of a repaired Plan to less loaded links and proves it, beside the trees that
// it keeps. It returns false, and leaves the Plan as it was, if that is impossible or not proven.
func (r *Result) spread(ctx context.Context, g *fabric.Graph, req *Request) (done bool, err error) {
	base, stay := *r.Plan, true
	if req.Multicast && req.Kept.Plan.Multicast != nil {
		opt := req.trees()
		stay = multicast.Keep(g, &base, &opt)
	}
	plan, figures, err := repair.Spread(ctx, g, &base, req.Stay, req.Moves, max(1, req.Workers))
	if no, is := errors.AsType[*repair.Impossible](err); is {
		r.NotSpread = no
		return false, nil
	}
	if err != nil || figures.Moved == 0 {
		return false, err
	}
	if !stay {
		r.NotSpread = errors.New("trees of multicast groups could not stay")
		return false, nil
	}
	moved := *r
	moved.Plan, moved.Report, moved.Spread = plan, nil, figures
	if err := moved.Judge(ctx, g, req); err != nil {
		return false, err
	}
	if !moved.Report.OK {
		r.NotSpread = unprovenMoves(moved.Report)
		return false, nil
	}
	*r = moved
	return true, nil
}

// Mixture judges the mixed states while switches hold entries of the kept Plan and a new one.
func (k *Kept) Mixture(ctx context.Context, g *fabric.Graph, plan *route.Plan, workers int) (*check.Mixture, error) {
	return check.Mix(ctx, k.old, k.Plan, g, plan, check.Options{Workers: max(1, workers)}, check.Writing{})
}
