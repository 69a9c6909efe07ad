// Package plain has the forms of DFSSSP that paper 003 describes and compares: the paths of
// algorithm 1 (package sssp), put on lanes by algorithm 2 or one after the other. Nothing in
// them is chosen for few lanes. They are there for the paper's figures and for comparison:
// the engine dfsssp with paths=sssp, and the engine dfsssp-online.
package plain

import (
	"context"

	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// Classes is the option of the engines that give classes of end ports SLs.
var Classes = route.Option{
	Name: "classes", Default: "end", Doc: "what has an SL of its own: each end port, or the hosts of a switch together",
	OneOf: []string{"end", "switch"},
}

// Paths returns the paths of tables with the classes of the option.
func Paths(classes string, in *route.Input, tables *route.Tables) *lanes.Paths {
	if classes == "switch" {
		return lanes.BySwitch(in, tables)
	}
	return lanes.ByEnd(in, tables)
}

// Offline says how algorithm 2 is applied.
type Offline struct {
	Heuristic offline.Heuristic
	Switches  bool // layer the packets from and to switches too
	Classes   string
	Passes    int
}

// Tables returns the paths of algorithm 1, and what is layered of them.
func (o *Offline) Tables(ctx context.Context, in *route.Input) (*route.Tables, *lanes.Paths, error) {
	tables, err := sssp.Build(ctx, in, o.Passes)
	if err != nil {
		return nil, nil, err
	}
	paths := Paths(o.Classes, in, tables)
	if !o.Switches {
		paths = paths.WithoutSwitches()
	}
	return tables, paths, nil
}

// Layer puts paths on lanes by algorithm 2, each direction of a pair for itself (oneWay) or
// both as one. Where the latter takes too many lanes it is done again with refilled lanes, but
// not where it takes more than there are SLs: refilling would take long, and fail.
func (o *Offline) Layer(ctx context.Context, in *route.Input, paths *lanes.Paths, oneWay bool) (*lanes.Lanes, error) {
	opt := offline.Options{Heuristic: o.Heuristic, Seed: in.Seed, OneWay: oneWay, Most: lanes.MaxLanes}
	found, err := offline.Layer(ctx, paths, opt)
	if err != nil || oneWay || found.Need <= in.MaxVLs || found.Need > lanes.MaxLanes {
		return found, err
	}
	opt.Refill, opt.Most = true, in.MaxVLs
	again, err := offline.Layer(ctx, paths, opt)
	if err != nil || again.Need <= in.MaxVLs {
		return again, err
	}
	return found, nil
}

// onlineName is the name of the engine with online layering.
const onlineName = "dfsssp-online"

// OnlineSpec describes the engine that layers path by path.
func OnlineSpec() *route.Spec {
	return &route.Spec{
		Name:    onlineName,
		Summary: "paths of sssp, each pair on the first lane that has room",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithm 1; section IV, online layering",
		Cost:    "time that of sssp, and a search for a cycle for each pair; memory 3 bits an edge place and lane",
		Lanes:   "online", PaperOnly: true,
		Options: []route.Option{sssp.Passes, Classes},
		New: func(o route.Options) (route.Engine, error) {
			return &online{classes: o.String(Classes.Name), passes: o.Int(sssp.Passes.Name)}, nil
		},
	}
}

type online struct {
	classes string
	passes  int
}

// Route implements route.Engine.
func (e *online) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	tables, err := sssp.Build(ctx, in, e.passes)
	if err != nil {
		return nil, err
	}
	found, err := lanes.Online(ctx, Paths(e.classes, in, tables), in.MaxVLs)
	if err != nil {
		return nil, err
	}
	plan := &route.Plan{Ends: in.Ends, Tables: tables}
	return plan, found.Fill(onlineName, in.Graph, in.MaxVLs, plan)
}
