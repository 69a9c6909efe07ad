package pathset

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/route/names"
	"weft/route/paths"
)

// FromFile is the PATHS name of an engine with paths from a file.
const FromFile = "given"

// Source gives explicit paths, and the Plan whose lanes they keep; a nil Plan means one lane.
type Source func(ctx context.Context, in *route.Input, options route.Options) (*paths.Set, *route.Plan, error)

// Given returns the engine PATHS+NAMES for paths from another engine or a file.
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

// fileSpec describes paths from a file.
var fileSpec = route.Spec{
	Name: FromFile, Summary: "paths from a file", Paper: "beyond paper 000", Cost: "that of reading", Lanes: "lanes of the file, none for a table of paths",
	Options: []route.Option{gapsOption},
}

// FileOptions lists the options of paths from a file.
func FileOptions() []route.Option { return fileSpec.Options }

// gapsOption decides about pairs of hosts without a path in a file.
var gapsOption = route.Option{
	Name: "gaps", Default: refuseGaps, OneOf: []string{refuseGaps, fillGaps},
	Doc: "pairs of hosts without a path in the file: refuse the file, or compute paths for them",
}

// The values of this option.
const (
	refuseGaps = "refuse"
	fillGaps   = "fill"
)

// GivenByFile is Given for the paths of a file; without a source the engine only refuses and asks
// for the file.
func GivenByFile(scheme string, source Source) (*route.Spec, error) {
	if source == nil {
		source = func(context.Context, *route.Input, route.Options) (*paths.Set, *route.Plan, error) {
			return nil, nil, route.Refuse(FromFile, "give it again with --paths", "the paths came from a file")
		}
	}
	return Given(&fileSpec, scheme, source)
}

// compute computes the paths, or takes the given ones.
func (e *engine) compute(ctx context.Context, in *route.Input, root int32) (*paths.Set, *route.Plan, error) {
	if e.from != nil {
		return e.from(ctx, in, e.set)
	}
	set, err := e.a.Compute(ctx, &paths.Input{Graph: in.Graph, Seed: in.Seed, Workers: in.Workers, Root: root, Options: e.set, SolveLinear: e.linear})
	return set, nil, err
}

// lanesMissing says that the paths need lanes, and which file would keep them.
const lanesMissing = "the paths of the file have a cycle of dependencies on one lane, and the file holds no lanes: a Plan by weft route -o keeps lanes with its paths, and --paths reads it"

// notesOnGaps refuses gaps in the paths of a file, or describes their treatment.
func (e *engine) notesOnGaps(set *paths.Set) (notes []string, err error) {
	g := set.Graph()
	gaps, pairs, first := countGaps(set)
	if gaps > 0 && e.set.String(gapsOption.Name) == refuseGaps {
		return nil, route.Refuse(FromFile, "-O gaps=fill computes paths for these pairs",
			"%d of %d pairs of hosts have no path in the file, the first is from %s to %s", gaps, pairs, route.EndName(g, first[0]), route.EndName(g, first[1]))
	}
	if gaps > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d pairs of hosts have no path in the file: they got computed paths, which are in the Plan and its tables but not in --write-paths and --write-splits", gaps, pairs))
	}
	return notes, nil
}

// countGaps counts the pairs of hosts and the gaps among them, and returns the first gap. Hosts
// without a connection are no pair.
func countGaps(set *paths.Set) (gaps, pairs int, first [2]int32) {
	g := set.Graph()
	part, _ := g.Components()
	hasPath := make([]int32, g.NumEnds) // by source: 1 + the last target with a path
	for dst := range int32(g.NumHosts) {
		from, to := set.To(dst)
		for p := from; p < to; p++ {
			hasPath[set.Source(p)] = dst + 1
		}
		for src := range int32(g.NumHosts) {
			if src == dst || !g.IsHost(src) || !g.IsHost(dst) || part[g.EndSwitch[src]] != part[g.EndSwitch[dst]] {
				continue
			}
			pairs++
			if hasPath[src] != dst+1 {
				if gaps++; gaps == 1 {
					first = [2]int32{src, dst}
				}
			}
		}
	}
	return gaps, pairs, first
}

// keepLanes gives a Plan the lanes of another one with the same end ports: an end port has under
// all its LIDs the service levels of its base LID.
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
