package dfsssp

import (
	"context"
	"errors"

	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/lanes"
)

// Name is the engine's name, OnlineName that of the one with online layering.
const (
	Name       = "dfsssp"
	OnlineName = "dfsssp-online"
)

const paper = "Domke, Hoefler and Nagel 2011 (paper 003), "

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "shortest paths, balanced as by sssp, on as many lanes as freedom from deadlock takes, and few",
		Paper:   paper + "algorithms 1 and 2; choice of paths that take few lanes",
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
				Name: "heuristic", Default: string(lanes.Weakest), Doc: "with paths=sssp, edge of a cycle whose paths are moved",
				OneOf: []string{string(lanes.Weakest), string(lanes.Strongest), string(lanes.First), string(lanes.Random)},
			},
			{Name: "switches", Default: true, Doc: "with paths=sssp, layer the packets from and to switches too; without, those may deadlock"},
			sssp.Passes,
			classes,
			{Name: "balance", Default: false, Doc: "spread the pairs over all lanes that are allowed"},
		},
		New: func(o route.Options) (route.Engine, error) {
			return &engine{
				legal: o.String("paths") == "legal", replies: o.String("replies"),
				heuristic: lanes.Heuristic(o.String("heuristic")), switches: o.Bool("switches"),
				bySwitch: o.String("classes") == "switch", balance: o.Bool("balance"), passes: o.Int(sssp.Passes.Name),
			}, nil
		},
	}
}

var classes = route.Option{
	Name: "classes", Default: "end", Doc: "what has an SL of its own: each end port, or the hosts of a switch together",
	OneOf: []string{"end", "switch"},
}

// OnlineSpec describes the engine that layers path by path.
func OnlineSpec() *route.Spec {
	return &route.Spec{
		Name:    OnlineName,
		Summary: "paths of sssp, each pair on the first lane that has room",
		Paper:   paper + "algorithm 1; section IV, online layering",
		Cost:    "time that of sssp, and a search for a cycle for each pair; memory 3 bits an edge place and lane",
		Lanes:   "online",
		Options: []route.Option{sssp.Passes, classes},
		New: func(o route.Options) (route.Engine, error) {
			return &online{bySwitch: o.String("classes") == "switch", passes: o.Int(sssp.Passes.Name)}, nil
		},
	}
}

type engine struct {
	legal, switches, bySwitch, balance bool
	replies                            string
	heuristic                          lanes.Heuristic
	passes                             int
}

// Route implements route.Engine. It refuses a network that needs more lanes than
// there are.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	build := e.few
	if !e.legal {
		build = e.plain
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

// slacks are tried in this order, in sixteenths: what a path may have more than the
// least load for the sake of its lane. The last is as good as any.
var slacks = []int{3, 8, 1 << 16}

// few chooses paths that take few lanes, the fewer the more slack and the fewer passes
// they have.
func (e *engine) few(ctx context.Context, in *route.Input) (tables *route.Tables, found *lanes.Lanes, err error) {
	for passes := e.passes; passes > 0; passes-- {
		tables, found, err = e.choose(ctx, in, passes)
		if err != nil || found.Need <= in.MaxVLs {
			break
		}
	}
	return tables, found, err
}

// choose chooses paths with as much slack as it takes for them to fit.
func (e *engine) choose(ctx context.Context, in *route.Input, passes int) (tables *route.Tables, found *lanes.Lanes, err error) {
	for _, slack := range slacks {
		var acyclic *lanes.Acyclic
		tables, acyclic, err = sssp.BuildLegal(ctx, in, slack, passes)
		if errors.Is(err, sssp.ErrLanes) {
			found, err = &lanes.Lanes{Need: lanes.MaxLanes + 1}, nil
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if acyclic.Lanes() == 1 && !e.balance {
			return tables, &lanes.Lanes{Need: 1}, nil
		}
		found, err = e.layer(in, func(oneWay bool) (*lanes.Lanes, error) {
			if oneWay {
				return acyclic.LayerOneWay(ctx, in, lanes.BySwitch(in, tables))
			}
			return acyclic.Layer(ctx, e.paths(in, tables), in.MaxVLs)
		})
		if err != nil || found.Need <= in.MaxVLs {
			break
		}
	}
	return tables, found, err
}

// layer puts the paths on lanes, both directions of a pair as one or each for itself.
func (e *engine) layer(in *route.Input, do func(oneWay bool) (*lanes.Lanes, error)) (*lanes.Lanes, error) {
	found, err := do(e.replies == "own")
	if err == nil && found.Need > in.MaxVLs && e.replies == "auto" {
		return do(true)
	}
	return found, err
}

// plain takes the paths of sssp and layers them as the paper does; both directions as
// one again with refilled lanes where that takes too many, but not where it takes more
// than there are SLs: refilling would take long, and fail.
func (e *engine) plain(ctx context.Context, in *route.Input) (*route.Tables, *lanes.Lanes, error) {
	tables, err := sssp.Build(ctx, in, e.passes)
	if err != nil {
		return nil, nil, err
	}
	paths := e.paths(in, tables)
	if !e.switches {
		paths = paths.WithoutSwitches()
	}
	found, err := e.layer(in, func(oneWay bool) (*lanes.Lanes, error) {
		opt := lanes.Options{Heuristic: e.heuristic, Seed: in.Seed, OneWay: oneWay, Most: lanes.MaxLanes}
		found, err := lanes.Offline(ctx, paths, opt)
		if err != nil || oneWay || found.Need <= in.MaxVLs || found.Need > lanes.MaxLanes {
			return found, err
		}
		opt.Refill, opt.Most = true, in.MaxVLs
		again, err := lanes.Offline(ctx, paths, opt)
		if err != nil || again.Need <= in.MaxVLs {
			return again, err
		}
		return found, nil
	})
	return tables, found, err
}

func (e *engine) paths(in *route.Input, tables *route.Tables) *lanes.Paths {
	return pathsBy(e.bySwitch, in, tables)
}

func pathsBy(bySwitch bool, in *route.Input, tables *route.Tables) *lanes.Paths {
	if bySwitch {
		return lanes.BySwitch(in, tables)
	}
	return lanes.ByEnd(in, tables)
}

type online struct {
	bySwitch bool
	passes   int
}

// Route implements route.Engine.
func (e *online) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := sssp.Build(ctx, in, e.passes)
	if err != nil {
		return nil, err
	}
	found, err := lanes.Online(ctx, pathsBy(e.bySwitch, in, tables), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(OnlineName, in.Graph, in.MaxVLs, plan)
}
