package names

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Scheme is a way to assign LIDs.
type Scheme struct {
	Name    string
	Summary string // one line
	Paper   string
	Cost    string // a destination, with n paths of h hops and k LIDs
	Proves  bool   // it looks for a lower bound too
	// run colours the classes and returns bounds of the least number of colours, the
	// upper one being what it used; a heuristic proves no lower bound above 1.
	run func(ctx context.Context, s *solver, opt *Options) (lower, upper int32, err error)
}

// Options are the options of Assign.
type Options struct {
	Workers int   // goroutines, at least 1
	Goal    Goal  // of exact and ilp
	Budget  int64 // of exact: steps for a question; DefaultBudget if 0
	Solve   Solve // of ilp
}

const paper000 = "Nienaber, Yuan, Duan: LID Assignment in InfiniBand Networks, IEEE TPDS 20(4), 2009"

var schemes = []*Scheme{
	{
		Name: "greedy", Summary: "each path under the first LID where it splits from none",
		Paper: paper000, Cost: "O(n h k)",
		run: heuristic(func(s *solver) int32 { return s.greedy() }),
	},
	{
		Name: "split-merge-s", Summary: "part the paths at every node, the least used first, and merge greedily",
		Paper: paper000, Cost: "O(n h k)",
		run: heuristic(func(s *solver) int32 { return s.splitMerge(false) }),
	},
	{
		Name: "split-merge-l", Summary: "part the paths at every node, the most used first, and merge greedily",
		Paper: paper000, Cost: "O(n h k)",
		run: heuristic(func(s *solver) int32 { return s.splitMerge(true) }),
	},
	{
		Name: "color-s", Summary: "colour the split graph, the path with fewest splits first",
		Paper: paper000, Cost: "O(n^2 k)",
		run: heuristic(func(s *solver) int32 { return s.color(false) }),
	},
	{
		Name: "color-l", Summary: "colour the split graph, the path with most splits first: nearly as few LIDs as can be",
		Paper: paper000, Cost: "O(n^2 k)",
		run: heuristic(func(s *solver) int32 { return s.color(true) }),
	},
	{
		Name: "renaming", Summary: "destination renaming: the first valid identifier, path by path",
		Paper: "Lopez, Flich, Duato: Deadlock-free Routing in InfiniBand through Destination Renaming, ICPP 2001",
		Cost:  "O(n h k)",
		run:   heuristic(func(s *solver) int32 { return s.greedy() }),
	},
	{
		Name: "exact", Summary: "as few LIDs as can be, proven; bounds where the search is too long",
		Paper: paper000 + " (the problem); Brelaz: New Methods to Color the Vertices of a Graph, CACM 1979",
		Cost:  "exponential at worst", Proves: true,
		run: func(_ context.Context, s *solver, opt *Options) (int32, int32, error) {
			budget := opt.Budget
			if budget == 0 {
				budget = DefaultBudget
			}
			lower, upper := s.exact(&s.split.g, s.color(true), opt.Goal, budget)
			return lower, upper, nil
		},
	},
	{
		Name: "ilp", Summary: "the 0-1 linear programme, by an installed solver with a time limit",
		Paper: paper000, Cost: "the solver's", Proves: true,
		run: func(ctx context.Context, s *solver, opt *Options) (int32, int32, error) {
			return s.ilp(ctx, s.color(true), opt)
		},
	},
}

func heuristic(run func(s *solver) int32) func(context.Context, *solver, *Options) (int32, int32, error) {
	return func(_ context.Context, s *solver, _ *Options) (int32, int32, error) {
		upper := run(s)
		return min(1, upper), upper, nil
	}
}

// Schemes lists the schemes.
func Schemes() []*Scheme { return slices.Clone(schemes) }

// ByName finds a scheme.
func ByName(name string) (*Scheme, error) {
	all := make([]string, len(schemes))
	for i, s := range schemes {
		if s.Name == name {
			return s, nil
		}
		all[i] = s.Name
	}
	return nil, fmt.Errorf("names: no scheme %q (there are %s)", name, strings.Join(all, ", "))
}

// Solve assigns LIDs to the paths to one destination: a colour a path, each a
// configuration, and bounds of the least number of colours.
func (s *Scheme) Solve(ctx context.Context, r *Routing, opt Options) (colour []int32, b Bounds, err error) {
	var w solver
	if b, err = w.solve(ctx, s, r, &opt); err != nil {
		return nil, Bounds{}, err
	}
	colour = make([]int32, r.Len())
	for p := range colour {
		colour[p] = w.colour[w.c.class[p]]
	}
	return colour, b, nil
}

// Bounds are bounds of the least number of LIDs, before LMC. Upper is what an
// assignment uses.
type Bounds struct{ Lower, Upper int32 }

// solver is the memory of one worker.
type solver struct {
	c      condensed
	split  splitter
	fit    fitter
	paint  painter
	decide decider

	part parter

	to      string  // the destination, for ilp
	colour  []int32 // by class: the answer
	trial   []int32
	sets    [][]int32
	singles []int32
}

// solve colours the classes of r.
func (w *solver) solve(ctx context.Context, s *Scheme, r *Routing, opt *Options) (Bounds, error) {
	if err := w.c.condense(r); err != nil {
		return Bounds{}, err
	}
	w.colour = resize(w.colour, w.c.size())
	lower, upper, err := s.run(ctx, w, opt)
	return Bounds{lower, upper}, err
}
