// Package engine lists the routing engines. Each is a package below this one with one constructor.
// A new engine joins the list here, and the conformance suite (judge/conformance) then runs it on
// every fabric.
//
// chain.go reads lists of engines with options. auto.go lists the engines that auto tries; package
// planner tries them.
package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/internal/spelling"
	"weft/route"
	"weft/route/engine/dfsssp"
	"weft/route/engine/dfsssp/plain"
	"weft/route/engine/dor"
	"weft/route/engine/ftree"
	"weft/route/engine/hyperx"
	"weft/route/engine/lash"
	"weft/route/engine/minhop"
	"weft/route/engine/nue"
	"weft/route/engine/pathset"
	"weft/route/engine/sssp"
	"weft/route/engine/torus"
	"weft/route/engine/updn"
	"weft/route/engine/valiant"
	"weft/route/paths"
	"weft/route/recipe"
)

// All lists the engines in the order of printing.
func All() []*route.Spec {
	return []*route.Spec{minhop.Spec(), updn.Spec(), dor.Spec(), sssp.Spec(), dfsssp.Spec(), plain.OnlineSpec(), lash.Spec(), nue.Spec(), ftree.Spec(), torus.Spec(), hyperx.Spec(), valiant.Spec()}
}

// Find finds an engine by name, either in the list or as PATHS+NAMES (route/engine/pathset), where
// PATHS may be an engine of the list too.
func Find(name string) (*route.Spec, error) {
	first, assignment, pair := strings.Cut(name, "+")
	var names []string
	for _, s := range All() {
		switch {
		case s.Name == name:
			return s, nil
		case pair && s.Name == first && !isComputation(first):
			return pathset.Given(s, assignment, pathsOf(s))
		}
		names = append(names, s.Name)
	}
	if pair {
		if err := CheckPaths(first); err != nil {
			return nil, err
		}
	}
	if spec, ok, err := pathset.Parse(name); ok {
		return spec, err
	}
	return nil, fmt.Errorf("engine: no engine is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// CheckPaths returns an error unless a name is valid as PATHS of PATHS+NAMES: a path computation or
// an engine.
func CheckPaths(name string) error {
	var computations, engines []string
	for _, a := range paths.All() {
		computations = append(computations, a.Name)
	}
	for _, s := range All() {
		if !isComputation(s.Name) {
			engines = append(engines, s.Name)
		}
	}
	all := slices.Concat(computations, engines, []string{pathset.FromFile})
	if slices.Contains(all, name) {
		return nil
	}
	return fmt.Errorf("no path computation is called %q%s (there are: %s; and the engines %s)", name, spelling.Hint(name, all), strings.Join(computations, ", "), strings.Join(engines, ", "))
}

// isComputation reports whether a path computation has this name too: dor, by paper 000.
func isComputation(name string) bool {
	_, err := paths.Find(name)
	return err == nil
}

// pathsOf returns an engine's paths with one LID a port, including those from and to switches.
func pathsOf(s *route.Spec) pathset.Source {
	return func(ctx context.Context, in *route.Input, options route.Options) (*paths.Set, *route.Plan, error) {
		given := *s
		given.Options, given.New = nil, func(route.Options) (route.Engine, error) { return s.New(options) }
		plan, err := recipe.Run(ctx, in.Graph, &recipe.Request{Engine: &given, MaxVLs: in.MaxVLs, Workers: in.Workers, Seed: in.Seed}, in.Stage)
		if err != nil {
			return nil, nil, err
		}
		set, err := paths.FromPlan(ctx, in.Graph, plan, in.Graph.NumEnds, in.Workers)
		return set, plan, err
	}
}
