// Package pathset makes an engine of a path computation (route/paths) and a LID
// assignment (route/names): the two stages that paper 000 (Nienaber, Yuan and Duan,
// "LID Assignment in InfiniBand Networks") keeps apart. Such an engine is called
// PATHS+NAMES, as in path-selection+color-l. It gives the LIDs itself, after the
// paths, each port the LMC that its paths need.
//
// Paths are computed between hosts. Switches that no path passes, and LIDs of port 0,
// get entries that add no cycle of dependencies (names.Assignment.Realise). There is
// one lane; a path computation that is not free of deadlock is judged as what it is.
package pathset

import (
	"context"
	"errors"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/names"
	"weft/route/names/ilp"
	"weft/route/paths"
)

// Recipes are names of combinations, after paper 000, section VI-D.
var Recipes = map[string]string{
	"separate": "path-selection+color-l",
	"renaming": "updn-shortest+renaming",
}

// Parse finds the engine PATHS+NAMES, or a recipe; ok is false for another kind of
// name.
func Parse(name string) (spec *route.Spec, ok bool, err error) {
	e, ok, err := parse(name)
	if !ok || err != nil {
		return nil, ok, err
	}
	return e.spec(), true, nil
}

func parse(name string) (e *engine, ok bool, err error) {
	full := name
	if r, is := Recipes[name]; is {
		full = r
	}
	first, second, ok := strings.Cut(full, "+")
	if !ok {
		return nil, false, nil
	}
	e = &engine{name: name, root: random}
	if e.a, err = paths.Find(first); err != nil {
		return nil, true, err
	}
	e.n, err = names.ByName(second)
	return e, true, err
}

// NeedsSolver reports whether an engine must be given a solver of linear programmes.
func NeedsSolver(spec *route.Spec) bool {
	e, ok, err := parse(spec.Name)
	return ok && err == nil && e.n.Name == ilpScheme
}

// WithSolver is such an engine that has its solver.
func WithSolver(spec *route.Spec, solve ilp.Solve) *route.Spec {
	e, _, err := parse(spec.Name)
	if err != nil {
		return spec
	}
	e.solve = solve
	return e.spec()
}

// ilpScheme is the assignment that needs a solver.
const ilpScheme = "ilp"

// random is the root that is drawn from the seed.
const random = "random"

type engine struct {
	name  string
	a     *paths.Algorithm
	n     *names.Scheme
	solve ilp.Solve // of ilp
	root  string
}

// spec describes the engine of two stages.
func (e *engine) spec() *route.Spec {
	return &route.Spec{
		Name:     e.name,
		Summary:  e.a.Summary + "; LIDs: " + e.n.Summary,
		Paper:    e.a.Paper + "; " + e.n.Paper,
		Cost:     "paths " + e.a.Cost + "; LIDs of a destination " + e.n.Cost,
		Lanes:    "none",
		OwnNames: true,
		Options:  Options(e.a),
		New: func(o route.Options) (route.Engine, error) {
			made := *e
			if !e.a.Rootless {
				made.root = o.String("root")
			}
			return &made, nil
		},
	}
}

// Options lists the options of a path computation: none where there is no tree.
func Options(a *paths.Algorithm) []route.Option {
	if a.Rootless {
		return nil
	}
	return []route.Option{{
		Name: "root", Default: random, Switches: true,
		Doc: "switch at the root of the up*/down* tree, by GUID or description, or " + random,
	}}
}

// Route implements route.Engine.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	if g.NumHosts > paths.MostHosts {
		return nil, route.Refuse(e.name, "use an engine that computes trees", "%d hosts have too many pairs to hold a path each (at most %d hosts)", g.NumHosts, paths.MostHosts)
	}
	if e.n.Name == ilpScheme && e.solve == nil {
		return nil, route.Refuse(e.name, "use exact", "LIDs by ilp need a solver of linear programmes, which only weft route starts")
	}
	root, err := e.findRoot(g)
	if err != nil {
		return nil, err
	}
	set, err := e.a.Compute(ctx, &paths.Input{Graph: g, Seed: in.Seed, Workers: in.Workers, Root: root})
	if err != nil {
		return nil, e.refusal(err)
	}
	in.Stage("names")
	assigned, ends, err := names.Stable(ctx, set, e.n, names.Options{Workers: in.Workers, Solve: e.solve}, in.Held)
	if err != nil {
		return nil, e.refusal(err)
	}
	plan, _, err := assigned.Realise(ctx, ends)
	if err != nil {
		return nil, err
	}
	plan.Intended = assigned.Intended(ends)
	plan.Recipe = route.Recipe{Paths: e.a.Name, Names: e.n.Name}
	if e.n.Proves {
		plan.LeastLIDs = assigned.LeastLIDs() + g.NumSwitches
	}
	return plan, nil
}

// refusal returns the refusal of a stage in the name of the engine.
func (e *engine) refusal(err error) error {
	if r, ok := errors.AsType[*route.Refusal](err); ok {
		return route.Refuse(e.name, r.Advice, "%s", r.Reason)
	}
	_, port := errors.AsType[*names.PortExhausted](err)
	_, subnet := errors.AsType[*lids.Exhausted](err)
	if port || subnet {
		_, reason, _ := strings.Cut(err.Error(), ": ") // without the package
		return route.Refuse(e.name, "", "%s", reason)
	}
	return err
}

// findRoot is the switch that the option names, -1 for a random one.
func (e *engine) findRoot(g *fabric.Graph) (int32, error) {
	if e.root == random {
		return -1, nil
	}
	found, err := route.NamedSwitches(g, e.name, "root", []string{e.root})
	if err != nil {
		return -1, err
	}
	return found[0], nil
}
