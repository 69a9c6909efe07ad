package planner

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"weft/fabric"
	"weft/route"
	"weft/route/relief"
)

// wantsRelief reports whether the option relief asks for paths to be moved once the Plan is
// complete.
func wantsRelief(s route.Step) bool {
	yes, err := strconv.ParseBool(s.Options[route.Relief.Name])
	return err == nil && yes
}

// relieve moves the paths of a complete Plan, as the option relief of its engine asks for.
func (r *Result) relieve(ctx context.Context, g *fabric.Graph, req *Request) error {
	const advice = "route without the option relief"
	if len(r.Plan.Recipe.Kinds) > 0 {
		return route.Refuse(r.Engine.Name, advice, "kinds of hosts are balanced apart, which moved paths would not be")
	}
	watch := stopwatch{now: req.now()}
	watch.stage("relief")
	plan, err := relief.Run(ctx, g, r.Plan)
	watch.stage("")
	if no, ok := errors.AsType[*relief.Impossible](err); ok {
		return route.Refuse(r.Engine.Name, advice, "its paths cannot be moved: %s", no.Reason)
	}
	if err != nil {
		return err
	}
	r.Plan, r.Report = plan, nil
	r.Plan.Intended = nil // paths were moved
	r.Stages, r.Seconds = append(r.Stages, watch.stages...), r.Seconds+watch.total()
	return nil
}

// withRelief returns the Result of the same engine and options with the option relief added.
func (r *Result) withRelief(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	out := &Result{Plan: r.Plan, Engine: r.Engine, Stages: append([]Stage(nil), r.Stages...), Seconds: r.Seconds}
	if err := out.relieve(ctx, g, req); err != nil {
		return nil, err
	}
	options := maps.Clone(r.Plan.Recipe.Options)
	if options == nil {
		options = map[string]string{}
	}
	options[route.Relief.Name] = "true"
	out.Plan.Recipe.Options = options
	return out, nil
}
