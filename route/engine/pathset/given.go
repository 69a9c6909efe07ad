package pathset

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/names"
	"weft/route/paths"
)

// FromFile is the name of path computation of an engine whose paths came from a file.
const FromFile = "given"

// Source gives explicit paths, and the Plan that they are of, whose lanes they keep; no Plan stands for one lane.
type Source func(ctx context.Context, in *route.Input, options route.Options) (*paths.Set, *route.Plan, error)

// Given is the engine PATHS+NAMES for paths that come from elsewhere: another engine, or a file.
func Given(from *route.Spec, scheme string, source Source) (*route.Spec, error) {
	n, err := names.ByName(scheme)
	if err != nil {
		return nil, err
	}
	e := &engine{
		name: from.Name + "+" + n.Name, n: n, from: source,
		a: &paths.Algorithm{Name: from.Name, Summary: from.Summary, Paper: from.Paper, Cost: from.Cost, Options: from.Options, Rootless: true},
	}
	spec := e.spec()
	spec.Lanes = from.Lanes
	return spec, nil
}

// fileSpec describes paths from a file to people.
var fileSpec = route.Spec{Name: FromFile, Summary: "paths that a file gives", Paper: "beyond paper 000", Cost: "that of reading", Lanes: "those of the file, none for a table of paths"}

// GivenByFile is Given for the paths of a file; without a source it can only say that the file is needed.
func GivenByFile(scheme string, source Source) (*route.Spec, error) {
	if source == nil {
		source = func(context.Context, *route.Input, route.Options) (*paths.Set, *route.Plan, error) {
			return nil, nil, route.Refuse(FromFile, "give it again with --paths", "the paths came from a file")
		}
	}
	return Given(&fileSpec, scheme, source)
}

// compute computes the paths, or takes those given.
func (e *engine) compute(ctx context.Context, in *route.Input) (*paths.Set, *route.Plan, error) {
	if e.from != nil {
		return e.from(ctx, in, e.set)
	}
	root, err := e.findRoot(in.Graph)
	if err != nil {
		return nil, nil, err
	}
	set, err := e.a.Compute(ctx, &paths.Input{Graph: in.Graph, Seed: in.Seed, Workers: in.Workers, Root: root, Options: e.set, SolveLinear: e.linear})
	return set, nil, err
}

// keepLanes gives a Plan the lanes of another one with the same end ports: an end port has, under all its LIDs, the
// service levels that it had under its base LID.
func keepLanes(plan, old *route.Plan) {
	class := make([]int32, int(plan.Ends.Top())+1)
	for lid := range class {
		class[lid] = -1
	}
	for end, base := range plan.Ends.Base {
		for l := range plan.Ends.Count(int32(end)) {
			if was := old.Ends.Base[end]; was != 0 {
				class[base+fabric.LID(l)] = old.SL.Dst[was]
			} else {
				class[base+fabric.LID(l)] = 0
			}
		}
	}
	lanes := *old.SL
	lanes.Dst = class
	plan.SL, plan.SL2VL, plan.VLs, plan.Service = &lanes, old.SL2VL, old.VLs, old.Service
}
