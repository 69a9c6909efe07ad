package dfsssp

import (
	"context"
	"errors"
	"slices"

	"weft/route"
	"weft/route/engine/dfsssp/plain"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// Name is the engine's name.
const Name = "dfsssp"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "shortest paths, balanced as by sssp, on as many lanes as freedom from deadlock takes, and few",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithms 1 and 2; choice of paths that take few lanes",
		Cost:    "time that of sssp, and for each lane its channels and the paths that change it; memory 3 bits an edge place and lane",
		Lanes:   "offline",
		Options: []route.Option{
			{
				Name: "paths", Default: "legal", Doc: "legal: paths that the first lanes can have; sssp: those of sssp, layered by algorithm 2",
				OneOf: []string{"legal", "sssp"},
			},
			{
				Name: "replies", Default: "auto", Doc: "answers are on the SL of the request (same), or each direction has its own (own); auto: same if that fits",
				OneOf: []string{"auto", "same", "own"},
			},
			{
				Name: "heuristic", Default: string(offline.Weakest), Doc: "with paths=sssp, edge of a cycle whose paths are moved",
				OneOf: []string{string(offline.Weakest), string(offline.Strongest), string(offline.First), string(offline.Random)},
			},
			{Name: "switches", Default: true, Doc: "with paths=sssp, layer the packets from and to switches too; without, those may deadlock"},
			sssp.Passes,
			plain.Classes,
			{Name: "balance", Default: false, Doc: "spread the pairs over all lanes that are allowed"},
		},
		New: func(o route.Options) (route.Engine, error) {
			e := &engine{
				replies: o.String("replies"), classes: o.String(plain.Classes.Name),
				balance: o.Bool("balance"), passes: o.Int(sssp.Passes.Name),
			}
			if o.String("paths") == "sssp" {
				e.plain = &plain.Offline{
					Heuristic: offline.Heuristic(o.String("heuristic")), Switches: o.Bool("switches"),
					Classes: e.classes, Passes: e.passes,
				}
			}
			return e, nil
		},
	}
}

type engine struct {
	replies, classes string
	balance          bool
	passes           int
	plain            *plain.Offline // the paper's form instead, or nil
}

// Route implements route.Engine. It refuses a network that needs more lanes than
// there are.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	build := e.fewLanes
	if e.plain != nil {
		build = e.plainLanes
	}
	tables, found, err := build(ctx, in)
	if err != nil {
		return nil, err
	}
	if e.balance {
		found.Balance(in.MaxVLs)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(Name, in.Graph, in.MaxVLs, plan)
}

// plainLanes takes the paths of sssp and layers them as the paper does.
func (e *engine) plainLanes(ctx context.Context, in *route.Input) (*route.Tables, *lanes.Lanes, error) {
	tables, paths, err := e.plain.Tables(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	found, err := e.layer(in, func(oneWay bool) (*lanes.Lanes, error) { return e.plain.Layer(ctx, in, paths, oneWay) })
	return tables, found, err
}

// slacks are tried in this order until the paths fit (see type slack). The last is as good
// as any.
var slacks = []int{3, 8, 1 << 16}

// fewLanes chooses paths that take few lanes, the fewer the more slack and the fewer passes
// they have. What base LIDs need is found as if there were no others. The others then get
// at least as much slack; where they do not fit they take the path to the base LID.
func (e *engine) fewLanes(ctx context.Context, in *route.Input) (tables *route.Tables, found *lanes.Lanes, err error) {
	base := *in
	base.Ends.LMC = make([]uint8, len(in.Ends.LMC))
	for passes := e.passes; passes > 0; passes-- {
		for i, k := range slacks {
			tables, found, err = e.choose(ctx, &base, slack{base: k}, passes)
			if err != nil || found.Need > in.MaxVLs {
				if err != nil {
					return nil, nil, err
				}
				continue
			}
			if in.Ends.MaxLMC() == 0 {
				return tables, found, nil
			}
			return e.otherLIDs(ctx, in, k, slacks[i:], passes)
		}
	}
	return tables, found, err
}

// otherLIDs routes all LIDs, base LIDs with one slack, the others with the first of several
// with which they fit.
func (e *engine) otherLIDs(ctx context.Context, in *route.Input, base int, others []int, passes int) (tables *route.Tables, found *lanes.Lanes, err error) {
	for _, k := range append(slices.Clip(others), sameAsBase) {
		tables, found, err = e.choose(ctx, in, slack{base, k}, passes)
		if err != nil || found.Need <= in.MaxVLs {
			break
		}
	}
	return tables, found, err
}

// choose chooses paths and lanes with so much slack.
func (e *engine) choose(ctx context.Context, in *route.Input, slack slack, passes int) (*route.Tables, *lanes.Lanes, error) {
	tables, acyclic, err := buildFewLanes(ctx, in, slack, passes)
	if errors.Is(err, errLanes) {
		return nil, &lanes.Lanes{Need: lanes.MaxLanes + 1}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if acyclic.Lanes() == 1 && !e.balance {
		return tables, &lanes.Lanes{Need: 1}, nil
	}
	found, err := e.layer(in, func(oneWay bool) (*lanes.Lanes, error) {
		if oneWay {
			return acyclic.LayerOneWay(ctx, in, lanes.BySwitch(in, tables))
		}
		return acyclic.Layer(ctx, plain.Paths(e.classes, in, tables), in.MaxVLs)
	})
	return tables, found, err
}

// layer puts paths on lanes, both directions of a pair as one or each for itself.
func (e *engine) layer(in *route.Input, do func(oneWay bool) (*lanes.Lanes, error)) (*lanes.Lanes, error) {
	found, err := do(e.replies == "own")
	if err == nil && found.Need > in.MaxVLs && e.replies == "auto" {
		return do(true)
	}
	return found, err
}
