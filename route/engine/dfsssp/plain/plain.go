// Package plain has the forms of DFSSSP described and compared in paper 003: the paths of algorithm
// 1 (package sssp), assigned to lanes by algorithm 2 or one after another. They do not try to use
// few lanes. They serve the paper's figures and comparison, as engine dfsssp with paths=sssp and as
// engine dfsssp-online.
package plain

import (
	"context"

	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// Classes is the option for the classes of end ports that share SLs.
var Classes = route.Option{
	Name: "classes", Default: "end", Doc: "give an SL to each end port, or to the hosts of a switch together",
	OneOf: []string{"end", "switch"},
}

// Paths returns the paths of tables, with the option's classes.
func Paths(classes string, in *route.Input, tables *route.Tables) *lanes.Paths {
	if classes == "switch" {
		return lanes.BySwitch(in, tables)
	}
	return lanes.ByEnd(in, tables)
}

// Offline holds the settings of algorithm 2.
type Offline struct {
	Heuristic offline.Heuristic
	Switches  bool // layer the packets from and to switches too
	Classes   string
	Passes    int
}

// Tables returns the paths of algorithm 1, and the ones to be layered.
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

// Layer assigns lanes to paths by algorithm 2, to each direction of a pair separately (oneWay) or
// to both together. If both together need too many lanes, it tries again with refilled lanes. It
// does not if they need more than there are SLs: refilling would take long, and fail.
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
		Cost:    "time of sssp, and a search for a cycle for each pair; memory 3 bits an edge place and lane",
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
