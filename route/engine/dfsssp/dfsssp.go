package dfsssp

import (
	"context"
	"errors"

	"weft/internal/par"
	"weft/route"
	"weft/route/engine/dfsssp/plain"
	"weft/route/engine/internal/sample"
	"weft/route/engine/sssp"
	"weft/route/lanes"
	"weft/route/lanes/offline"
)

// Name is the engine's name.
const Name = "dfsssp"

// passes is the option of package sssp; with paths=sssp the default is the paper's.
var passes = func() route.Option {
	o := sssp.UsualPasses
	o.Doc += "; with paths=sssp one"
	return o
}()

// Spec describes the engine.
func Spec() *route.Spec {
	return &route.Spec{
		Name:    Name,
		Summary: "shortest paths, balanced like sssp, deadlock-free on few lanes",
		Paper:   "Domke, Hoefler and Nagel 2011 (paper 003), algorithms 1 and 2; choice of paths that take few lanes",
		Cost:    "time of sssp, and for each lane its channels and the paths that change it; memory 3 bits an edge place and lane",
		Lanes:   "offline",
		Options: []route.Option{
			{
				Name: "paths", Default: "legal", Doc: "legal: paths that are possible on the first lanes; sssp: the paths of sssp, layered by algorithm 2",
				OneOf: []string{"legal", "sssp"},
			},
			{
				Name: "replies", Default: "auto", Doc: "answers use the SL of the request (same), or each direction has its own (own); auto: same if that fits",
				OneOf: []string{"auto", "same", "own"},
			},
			{
				Name: "heuristic", Default: string(offline.Weakest), Doc: "with paths=sssp, the edge of a cycle to move paths from",
				OneOf: []string{string(offline.Weakest), string(offline.Strongest), string(offline.First), string(offline.Random)},
			},
			{Name: "switches", Default: true, Doc: "with paths=sssp, layer the packets from and to switches too; without it, they may deadlock"},
			passes,
			{
				Name: plain.Classes.Name, Default: plain.Classes.Default, OneOf: plain.Classes.OneOf,
				Doc: "with paths=sssp, " + plain.Classes.Doc,
			},
			{Name: "balance", Default: false, Doc: "spread the pairs over all allowed lanes"},
			route.Relief,
		},
		New: func(o route.Options) (route.Engine, error) {
			e := &engine{
				replies: o.String("replies"),
				balance: o.Bool("balance"), passes: o.Int(passes.Name),
			}
			if o.String("paths") == "sssp" {
				e.plain = &plain.Offline{
					Heuristic: offline.Heuristic(o.String("heuristic")), Switches: o.Bool("switches"),
					Classes: o.String(plain.Classes.Name), Passes: max(1, e.passes),
				}
			}
			return e, nil
		},
	}
}

type engine struct {
	replies string
	balance bool
	passes  int
	plain   *plain.Offline // the paper's form instead, or nil
}

// Route implements route.Engine. It refuses a network that needs too many lanes.
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

// plainLanes takes the paths of sssp and assigns lanes as the paper does.
func (e *engine) plainLanes(ctx context.Context, in *route.Input) (*route.Tables, *lanes.Lanes, error) {
	tables, paths, err := e.plain.Tables(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	found, err := e.layer(in, func(oneWay bool) (*lanes.Lanes, error) { return e.plain.Layer(ctx, in, paths, oneWay) })
	return tables, found, err
}

// fewLanes chooses balanced paths on few lanes. It finds the form for the base LIDs as if there
// were no others. If the other LIDs do not fit beside them, these take the path to the base LID.
func (e *engine) fewLanes(ctx context.Context, in *route.Input) (*route.Tables, *lanes.Lanes, error) {
	u, err := chooseUpDown(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	base := *in
	base.Ends.LMC = make([]uint8, len(in.Ends.LMC))
	best := &result{found: &lanes.Lanes{Need: lanes.MaxLanes + 1}}
	for _, group := range formsFor(&base, e.passes) {
		results, err := e.tryAll(ctx, &base, u, group)
		if err != nil {
			return nil, nil, err
		}
		var fit []*result
		for _, r := range results {
			if r.found.Need <= in.MaxVLs {
				fit = append(fit, r)
			} else if r.found.Need < best.found.Need {
				best = r
			}
		}
		if len(fit) > 0 {
			best = chooseResult(&base, fit)
			break
		}
	}
	if in.Ends.MaxLMC() == 0 || best.found.Need > in.MaxVLs {
		return best.tables, best.found, nil
	}
	list, least := best.form.withOthers(), sample.AsGood*sample.Bandwidth(&base, best.tables, false)
	for i, f := range list {
		if best, err = e.try(ctx, in, u, f); err != nil {
			break
		}
		last := i == len(list)-1
		if best.found.Need <= in.MaxVLs && (last || sample.Bandwidth(in, best.tables, true) >= least) {
			break
		}
	}
	return best.tables, best.found, err
}

// tryAll tries the forms of a group in parallel, but the first one alone: if that takes one lane,
// it tries no other.
func (e *engine) tryAll(ctx context.Context, in *route.Input, u *upDown, group []form) ([]*result, error) {
	first, err := e.try(ctx, in, u, group[0])
	if err != nil || first.found.Need == 1 {
		return []*result{first}, err
	}
	results := make([]*result, len(group))
	results[0] = first
	alone := *in
	alone.Workers = 1
	err = par.For(ctx, in.Workers, len(group)-1, func(_, i int) (err error) {
		results[i+1], err = e.try(ctx, &alone, u, group[i+1])
		return err
	})
	return results, err
}

// try chooses paths in one form and finds their lanes.
func (e *engine) try(ctx context.Context, in *route.Input, u *upDown, f form) (*result, error) {
	r := &result{form: f, found: &lanes.Lanes{Need: lanes.MaxLanes + 1}}
	tables, acyclic, err := f.build(ctx, in, u)
	if errors.Is(err, errLanes) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.tables = tables
	if acyclic.Lanes() == 1 && !e.balance {
		r.found = &lanes.Lanes{Need: 1}
		return r, nil
	}
	r.found, err = e.layer(in, func(oneWay bool) (*lanes.Lanes, error) {
		paths := lanes.BySwitch(in, tables)
		if oneWay {
			return acyclic.LayerOneWay(ctx, in, paths)
		}
		if e.replies == "auto" && acyclic.Lanes() > in.MaxVLs/2 { // more than twice as many never fitted
			return &lanes.Lanes{Need: lanes.MaxLanes + 1}, nil
		}
		return acyclic.Layer(ctx, paths, in.MaxVLs)
	})
	return r, err
}

// layer assigns lanes to paths, to both directions of a pair together or to each separately.
func (e *engine) layer(in *route.Input, do func(oneWay bool) (*lanes.Lanes, error)) (*lanes.Lanes, error) {
	found, err := do(e.replies == "own")
	if err == nil && found.Need > in.MaxVLs && e.replies == "auto" {
		return do(true)
	}
	return found, err
}
