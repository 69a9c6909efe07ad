// Package pathset makes an engine of a path computation (route/paths) and a LID assignment
// (route/names): the two stages separated by paper 000 (Nienaber, Yuan and Duan, "LID Assignment in
// InfiniBand Networks"). Such an engine is called PATHS+NAMES, as in path-selection+color-l. It
// assigns the LIDs itself, after the paths, and gives each port the LMC that its paths need.
//
// Paths are computed between hosts. Switches without a path, and LIDs of port 0, get entries that
// add no cycle of dependencies (names.Assignment.Realise). There is one lane; the judge decides
// whether a path computation is free of deadlock.
package pathset

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/names"
	"weft/route/names/ilp"
	"weft/route/paths"
)

// recipes are names of combinations from paper 000, section VI-D. The defaults of their options are
// ours: separate by the paper's letter has remove=drawn and degree=shrinking.
var recipes = map[string]string{
	"separate": "path-selection+color-l",
	"renaming": "updn-shortest+renaming",
}

// Parse finds the engine PATHS+NAMES, or a recipe; ok is false for another kind of name. If PATHS
// is an engine, package engine finds it.
func Parse(name string) (spec *route.Spec, ok bool, err error) {
	full := name
	if r, is := recipes[name]; is {
		full = r
	}
	first, second, ok := strings.Cut(full, "+")
	if !ok {
		return nil, false, nil
	}
	if first == FromFile {
		spec, err = GivenByFile(second, nil)
		return spec, true, err
	}
	e := &engine{name: name, root: random}
	if e.a, err = paths.Find(first); err != nil {
		return nil, true, err
	}
	if e.n, err = names.ByName(second); err != nil {
		return nil, true, err
	}
	return e.spec(), true, nil
}

// NeedsSolver reports whether an engine with these options needs a solver of linear programmes.
func NeedsSolver(spec *route.Spec, options map[string]string) bool {
	return strings.HasSuffix(spec.Name, "+"+names.ILP) || options["balance"] == paths.ByProgramme
}

// WithSolver returns such an engine with its solver.
func WithSolver(spec *route.Spec, solve ilp.Solve, linear ilp.SolveLinear) *route.Spec {
	solved := *spec
	solved.New = func(o route.Options) (route.Engine, error) {
		made, err := spec.New(o)
		if e, ok := made.(*engine); ok {
			e.solve, e.linear = solve, linear
		}
		return made, err
	}
	return &solved
}

// random stands for a root drawn from the seed.
const random = "random"

type engine struct {
	name   string
	a      *paths.Algorithm
	n      *names.Scheme
	from   Source          // of given paths
	solve  ilp.Solve       // of ilp
	linear ilp.SolveLinear // of smart with balance=programme
	root   string
	set    route.Options // of both stages
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
		Options:  slices.Concat(Options(e.a), e.n.Options),
		New: func(o route.Options) (route.Engine, error) {
			made := *e
			made.set = o
			if !e.a.Rootless {
				made.root = o.String("root")
			}
			return &made, nil
		},
	}
}

// Options lists the options of a path computation; computations without a tree have no root.
func Options(a *paths.Algorithm) []route.Option {
	if a.Rootless {
		return a.Options
	}
	return append([]route.Option{{
		Name: "root", Default: random, Switches: true,
		Doc: "switch at the root of the up*/down* tree, by GUID or description, or " + random,
	}}, a.Options...)
}

// Route implements route.Engine.
func (e *engine) Route(ctx context.Context, in *route.Input) (*route.Plan, error) {
	g := in.Graph
	if g.NumHosts > paths.MostHosts {
		return nil, route.Refuse(e.name, "use an engine that computes trees", "%d hosts have too many pairs to hold a path each (at most %d hosts)", g.NumHosts, paths.MostHosts)
	}
	if e.n.Name == names.ILP && e.solve == nil {
		return nil, route.Refuse(e.name, "use exact", "LIDs by ilp need a solver of linear programmes, which only weft route starts")
	}
	root, err := e.findRoot(g)
	if err != nil {
		return nil, err
	}
	m, err := e.make(ctx, in, root)
	if err != nil {
		return nil, err
	}
	if m, err = e.completed(ctx, in, m); err != nil {
		return nil, err
	}
	plan, old, assigned := m.plan, m.old, m.assigned
	notes := m.notes
	lanes := old != nil && old.SL != nil // foreign tables may lack them
	if e.a.Name == FromFile && !lanes && assigned.Cyclic() {
		notes = append(notes, lanesMissing)
	}
	plan.Notes = notes
	if lanes {
		keepLanes(plan, old)
	}
	plan.Intended = assigned.Intended(m.ends)
	plan.Recipe = route.Recipe{Paths: e.a.Name, Names: e.n.Name}
	plan.Used = assigned.Used(e.n.Proves)
	if e.n.Proves {
		plan.LeastLIDs = assigned.LeastLIDs() + g.NumSwitches
	}
	return plan, nil
}

// made is the outcome of both stages.
type made struct {
	plan     *route.Plan
	missing  int         // entries for switches and LIDs
	old      *route.Plan // of given paths
	assigned *names.Assignment
	ends     route.Ends
	notes    []string
}

// make runs both stages.
func (e *engine) make(ctx context.Context, in *route.Input, root int32) (*made, error) {
	set, old, err := e.compute(ctx, in, root)
	if err != nil {
		return nil, e.refusal(err)
	}
	m := &made{old: old}
	if e.a.Name == FromFile {
		if m.notes, err = e.notesOnGaps(set); err != nil {
			return nil, e.refusal(err)
		}
	}
	in.Stage("names")
	m.assigned, m.ends, err = names.AssignStable(ctx, set, e.n, names.Options{Workers: in.Workers, Solve: e.solve, Values: e.set}, in.Held)
	if err != nil {
		return nil, e.refusal(err)
	}
	m.plan, m.missing, err = m.assigned.Realise(ctx, m.ends)
	return m, err
}

// otherRoots is the number of roots that are tried if some switches cannot join the tree of a LID.
const otherRoots = 24

// completed makes paths from other roots, drawn from the seed, until every switch has an entry for
// every LID. Only up*/down* is sure to leave each switch such an entry, which closes no cycle; a
// switch needs it to reach the further LIDs of a host. A root that the user names stays.
func (e *engine) completed(ctx context.Context, in *route.Input, m *made) (*made, error) {
	if m.missing == 0 || e.from != nil || e.a.Rootless || e.root != random {
		return m, nil
	}
	if _, parts := in.Graph.Components(); parts > 1 {
		return m, nil
	}
	roots := rand.New(rand.NewPCG(in.Seed, 0x2007)).Perm(in.Graph.NumSwitches)
	for _, root := range roots[:min(len(roots), otherRoots)] {
		next, err := e.make(ctx, in, int32(root))
		if err != nil {
			return nil, err
		}
		if next.missing < m.missing {
			m = next
		}
		if m.missing == 0 {
			break
		}
	}
	return m, nil
}

// refusal returns the refusal of a stage under the engine's name.
func (e *engine) refusal(err error) error {
	if r, ok := errors.AsType[*route.Refusal](err); ok {
		return route.Refuse(e.name, r.Advice, "%s", r.Reason)
	}
	_, port := errors.AsType[*names.PortExhausted](err)
	_, subnet := errors.AsType[*lids.Exhausted](err)
	if port || subnet {
		_, reason, _ := strings.Cut(err.Error(), ": ") // without the package name
		return route.Refuse(e.name, "", "%s", reason)
	}
	return err
}

// findRoot returns the switch named by the option, -1 for a random one or none.
func (e *engine) findRoot(g *fabric.Graph) (int32, error) {
	if e.from != nil || e.root == random || e.root == "" { // the last without a tree
		return -1, nil
	}
	found, err := route.NamedSwitches(g, e.name, "root", []string{e.root})
	if err != nil {
		return -1, err
	}
	return found[0], nil
}
