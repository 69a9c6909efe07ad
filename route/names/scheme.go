package names

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/route"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
)

// Scheme is a LID assignment, selected by --names.
type Scheme struct {
	Name    string
	Summary string // one line
	Paper   string
	Cost    string // for a destination, with n paths of h hops and k LIDs
	Proves  bool   // it computes a lower bound too
	Options []route.Option
	// run colours the classes, and returns a lower bound of the least number of colours. A
	// heuristic proves nothing and returns at most 1.
	run func(ctx context.Context, c *classes, opt *Options) (colour []int32, lower int, err error)
}

// Options are the options of Assign.
type Options struct {
	Workers int           // goroutines, at least 1
	Goal    Goal          // of exact and ilp
	Budget  int64         // of exact: search branches for each number of colours; DefaultBudget if 0
	Proven  bool          // Assign returns an *Unproven for the first port whose bounds differ
	Solve   ilp.Solve     // of ilp
	Values  route.Options // of the scheme's options; missing ones have their defaults
}

// ILP is the name of the scheme that needs Options.Solve.
const ILP = "ilp"

// DefaultBudget is about a second of searching for a colouring.
const DefaultBudget = 4_000_000

// Goal says when exact and ilp have proven enough.
type Goal uint8

const (
	// LIDs asks for the least number of LIDs, 2^ceil(lg k): k may be 5 or 8.
	LIDs Goal = iota
	// Colours asks for the least k itself, the chromatic number.
	Colours
)

// reached reports whether bounds of the least number of colours prove enough.
func (goal Goal) reached(lower, upper int) bool {
	return lower >= upper || goal == LIDs && LMC(lower) == LMC(upper)
}

// next returns the number of colours to try when upper are enough.
func (goal Goal) next(upper int) int {
	if goal == LIDs {
		return 1 << LMC(upper) / 2
	}
	return upper - 1
}

const paper000 = "Nienaber, Yuan, Duan: LID Assignment in InfiniBand Networks, IEEE TPDS 20(4), 2009"

var schemes = []*Scheme{
	{
		Name: "greedy", Summary: "each path under the first LID where it splits from no other",
		Paper: paper000, Cost: "O(n h k)",
		run: heuristic(func(c *classes, _ *Options) []int32 { return greedy(c) }),
	},
	{
		Name: "split-merge-s", Summary: "divide the paths at every node, the least used first, and merge greedily",
		Paper: paper000, Cost: "O(n h k)",
		Options: []route.Option{mergeOption},
		run: heuristic(func(c *classes, opt *Options) []int32 {
			return splitMerge(c, false, opt.word(mergeOption) == fewestFirst)
		}),
	},
	{
		Name: "split-merge-l", Summary: "divide the paths at every node, the most used first, and merge greedily",
		Paper: paper000, Cost: "O(n h k)",
		Options: []route.Option{mergeOption},
		run: heuristic(func(c *classes, opt *Options) []int32 {
			return splitMerge(c, true, opt.word(mergeOption) == fewestFirst)
		}),
	},
	{
		Name: "color-s", Summary: "colour the split graph, the path with fewest splits first (which splits count is ours; the paper's letter is option degree=shrinking)",
		Paper: paper000, Cost: "O(n^2 k)",
		Options: []route.Option{degreeOption},
		run:     heuristic(func(c *classes, opt *Options) []int32 { return colourByDegree(c, opt, false) }),
	},
	{
		Name: "color-l", Summary: "colour the split graph, the path with most splits first: nearly as few LIDs as can be (which splits count is ours; the paper's letter is option degree=shrinking)",
		Paper: paper000, Cost: "O(n^2 k)",
		Options: []route.Option{degreeOption},
		run:     heuristic(func(c *classes, opt *Options) []int32 { return colourByDegree(c, opt, true) }),
	},
	{
		Name: "renaming", Summary: "destination renaming: the first valid identifier, path by path",
		Paper: "Lopez, Flich, Duato: Deadlock-free Routing in InfiniBand through Destination Renaming, ICPP 2001",
		Cost:  "O(n h k)",
		run:   heuristic(func(c *classes, _ *Options) []int32 { return greedy(c) }),
	},
	{
		Name: "exact", Summary: "the fewest LIDs, proven; bounds if the search takes too long",
		Paper: paper000 + " (the problem); Brelaz: New Methods to Color the Vertices of a Graph, CACM 1979",
		Cost:  "exponential at worst", Proves: true,
		Options: []route.Option{goalOption},
		run:     exact,
	},
	{
		Name: ILP, Summary: "the 0-1 linear programme, by an installed solver with a time limit",
		Paper: paper000, Cost: "the solver's", Proves: true,
		Options: []route.Option{goalOption},
		run:     byProgramme,
	},
}

// The options of the schemes: open or ambiguous points of the paper.
var (
	mergeOption = route.Option{
		Name: "merge", Default: inOrder, OneOf: []string{inOrder, fewestFirst},
		Doc: "sets that split-merge merges first: the first divided ones, or those with the fewest different paths",
	}
	goalOption = route.Option{
		Name: "goal", Default: goalLIDs, OneOf: []string{goalLIDs, goalK},
		Doc: "what is proven: the least LIDs of a port, a power of 2, or the least k of them that paths use",
	}
	degreeOption = route.Option{
		Name: "degree", Default: frozen, OneOf: []string{frozen, shrinking},
		Doc: "the splits of a path that count: frozen, from all paths without a LID when the current one was begun, is ours, and was searched for with the numbers of paper 000; by the letter of its Fig. 9 it is shrinking, from those that can still have it",
	}
)

// The values of these options.
const (
	goalLIDs    = "lids"
	goalK       = "k"
	inOrder     = "order"
	fewestFirst = "fewest"
	frozen      = "frozen"
	shrinking   = "shrinking"
)

// word returns the value of a string option.
func (opt *Options) word(o route.Option) string {
	if v, ok := opt.Values[o.Name]; ok {
		return v.(string)
	}
	return o.Default.(string)
}

// colourByDegree runs color/L or color/S.
func colourByDegree(c *classes, opt *Options, largest bool) []int32 {
	if opt.word(degreeOption) == shrinking {
		return colouring.ByShrinkingDegree(splitGraph(c), c.weight, largest)
	}
	return colouring.ByDegree(splitGraph(c), c.weight, largest)
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

// Bounds are bounds of the least number of LIDs, before LMC. Upper is an assignment's number.
type Bounds struct{ Lower, Upper int32 }

// Solve assigns LIDs to the paths to one destination: a colour a path, so that the paths of a
// colour are a configuration.
func (s *Scheme) Solve(ctx context.Context, r *Routing, opt Options) (colour []int32, b Bounds, err error) {
	if opt.word(goalOption) == goalK {
		opt.Goal = Colours
	}
	c, err := newClasses(r)
	if err != nil {
		return nil, Bounds{}, err
	}
	ofClass, lower, err := s.run(ctx, c, &opt)
	if err != nil {
		return nil, Bounds{}, err
	}
	colour = make([]int32, r.Len())
	for p, class := range c.of {
		colour[p] = ofClass[class]
	}
	return colour, Bounds{int32(lower), int32(colouring.NumColours(colour))}, nil
}

// heuristic is the run of a scheme that proves nothing.
func heuristic(assign func(c *classes, opt *Options) []int32) func(context.Context, *classes, *Options) ([]int32, int, error) {
	return func(_ context.Context, c *classes, opt *Options) ([]int32, int, error) {
		colour := assign(c, opt)
		return colour, min(1, len(colour)), nil
	}
}

// exact searches for fewer colours than color/L found, from the size of a clique on.
func exact(_ context.Context, c *classes, opt *Options) ([]int32, int, error) {
	g := splitGraph(c)
	budget := opt.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	return improve(colouring.ByDegree(g, c.weight, true), len(colouring.Clique(g, colouring.CliqueSteps)), opt.Goal,
		func(k int) ([]int32, colouring.Answer, error) {
			colour, answer := colouring.Search(g, k, budget)
			return colour, answer, nil
		})
}

// byProgramme asks a solver for fewer colours than color/L found (section IV of paper
// 000). Equal paths are one vertex.
func byProgramme(ctx context.Context, c *classes, opt *Options) ([]int32, int, error) {
	if opt.Solve == nil {
		return nil, 0, errors.New("names: ilp needs a solver")
	}
	g := splitGraph(c)
	colour := colouring.ByDegree(g, c.weight, true)
	lower := min(2, colouring.NumColours(colour)) // color/L has two colours only if two paths split
	return improve(colour, lower, opt.Goal, func(k int) ([]int32, colouring.Answer, error) {
		p := ilp.Programme{Graph: g, K: k, To: c.routing.To}
		answer, ones, err := opt.Solve(ctx, p)
		if err != nil || answer != colouring.Yes {
			return nil, answer, err
		}
		colour, err := p.Colouring(ones)
		return colour, answer, err
	})
}

// improve asks for fewer colours than a colouring has until it reaches the goal or gets no answer.
// It returns the best colouring and a lower bound.
func improve(colour []int32, lower int, goal Goal, ask func(k int) ([]int32, colouring.Answer, error)) ([]int32, int, error) {
	for upper := colouring.NumColours(colour); !goal.reached(lower, upper); {
		k := goal.next(upper)
		better, answer, err := ask(k)
		if err != nil {
			return nil, 0, err
		}
		switch answer {
		case colouring.Yes:
			colour, upper = better, colouring.NumColours(better)
		case colouring.No:
			lower = k + 1
		case colouring.Unknown:
			return colour, lower, nil
		}
	}
	return colour, lower, nil
}
