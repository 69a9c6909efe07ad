package dfsssp

import (
	"context"

	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/lanes"
)

// Name is the engine's name.
const Name = "dfsssp"

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "paths of sssp on as many lanes as freedom from deadlock takes",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithms 1 and 2",
		Cost:    "time that of sssp, and for each lane its channels, edges and the paths moved; memory 4 bytes an edge place and lane",
		Lanes:   "offline",
		Options: []route.Option{
			{
				Name: "heuristic", Default: string(lanes.Weakest), Doc: "edge of a cycle whose paths are moved",
				OneOf: []string{string(lanes.Weakest), string(lanes.Strongest), string(lanes.First), string(lanes.Random)},
			},
			{Name: "classes", Default: "end", Doc: "what has an SL of its own: each end port, or the hosts of a switch together", OneOf: []string{"end", "switch"}},
			{Name: "balance", Default: false, Doc: "spread the pairs over all lanes that are allowed"},
		},
		New: func(o route.Options) (route.Engine, error) {
			return &engine{
				heuristic: lanes.Heuristic(o.String("heuristic")),
				bySwitch:  o.String("classes") == "switch", balance: o.Bool("balance"),
			}, nil
		},
	}
}

type engine struct {
	heuristic         lanes.Heuristic
	bySwitch, balance bool
}

// Route implements route.Engine. It refuses a network that needs more lanes than
// there are.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := sssp.Build(ctx, in)
	if err != nil {
		return nil, err
	}
	classes := lanes.ByEnd
	if e.bySwitch {
		classes = lanes.BySwitch
	}
	found, err := e.layer(ctx, classes(in, tables), in)
	if err != nil {
		return nil, err
	}
	if e.balance {
		found.Balance(in.MaxVLs)
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(Name, in.Graph, in.MaxVLs, plan)
}

// layer does as the paper, and again with refilled lanes where that takes too many;
// not where it takes more than there are SLs: refilling would take long, and fail.
func (e *engine) layer(ctx context.Context, paths *lanes.Paths, in *route.Input) (*lanes.Lanes, error) {
	opt := lanes.Options{Heuristic: e.heuristic, Seed: in.Seed, Most: lanes.MaxLanes}
	found, err := lanes.Offline(ctx, paths, opt)
	if err != nil || found.Need <= in.MaxVLs || found.Need > lanes.MaxLanes {
		return found, err
	}
	opt.Refill, opt.Most = true, in.MaxVLs
	again, err := lanes.Offline(ctx, paths, opt)
	if err != nil || again.Need <= in.MaxVLs {
		return again, err
	}
	return found, nil
}
