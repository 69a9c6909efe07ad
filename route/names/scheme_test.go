package names

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/route"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
)

// destNode is the destination of paths that are drawn; the others are below.
const destNode = 6

// drawRouting draws loopless paths over a few nodes; links between two nodes may be
// double.
func drawRouting(t *rapid.T) *Routing {
	const nodes = destNode
	var r Routing
	for range rapid.IntRange(0, 12).Draw(t, "paths") {
		order := rapid.Permutation(iota32(nodes)).Draw(t, "order")
		order = order[:rapid.IntRange(0, nodes).Draw(t, "length")]
		var hops []Hop
		for i, n := range order {
			next := int32(destNode)
			if i+1 < len(order) {
				next = order[i+1]
			}
			hops = append(hops, Hop{n, 2*next + rapid.Int32Range(0, 1).Draw(t, "link")})
		}
		for range rapid.IntRange(1, 2).Draw(t, "times") {
			r.Add(hops...)
		}
	}
	return &r
}

func iota32(n int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// TestSchemes: every scheme gives a minimal configuration set in the bounds of the
// brute-force optimum; a heuristic, the exact one and the programme agree with
// paper procedures written out plainly.
func TestSchemes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRouting(t)
		g := plainSplitGraph(r)
		c := must(newClasses(r))(t)
		ofClasses := splitGraph(c)
		for u := range r.Len() {
			for v := range u {
				if a, b := int(c.of[u]), int(c.of[v]); g.HasEdge(u, v) != ofClasses.HasEdge(a, b) {
					t.Fatalf("paths %d and %d: the split graph of classes says %v", u, v, !g.HasEdge(u, v))
				}
			}
		}
		best := chromatic(g)
		for _, s := range Schemes() {
			for _, goal := range []Goal{LIDs, Colours} {
				colour, b, err := s.Solve(context.Background(), r, Options{Goal: goal, Solve: brute})
				if err != nil {
					t.Fatal(s.Name, err)
				}
				if p, q, found := findSplit(r, colour); found {
					t.Fatalf("%s: paths %d and %d split and have one colour", s.Name, p, q)
				}
				if k := colouring.NumColours(colour); k != int(b.Upper) || int(b.Lower) > best || int(b.Upper) < best {
					t.Fatalf("%s: %d colours, bounds %v, best %d", s.Name, k, b, best)
				}
				if s.Name != "exact" && s.Name != "ilp" {
					if !minimal(r, colour) {
						t.Fatalf("%s: %v is no minimal configuration set", s.Name, colour)
					}
					continue
				}
				if !goal.reached(int(b.Lower), int(b.Upper)) {
					t.Fatalf("%s: bounds %v prove nothing", s.Name, b)
				}
			}
		}
		compare(t, r, "greedy", plainGreedy(r))
		compare(t, r, "renaming", plainRenaming(r))
		for _, degree := range degreeOption.OneOf {
			compare(t, r, "color-l", plainColor(g, true, degree == shrinking), degreeOption.Name, degree)
			compare(t, r, "color-s", plainColor(g, false, degree == shrinking), degreeOption.Name, degree)
		}
		for _, merge := range mergeOption.OneOf {
			compare(t, r, "split-merge-l", plainSplitMerge(r, true, merge == fewestFirst), mergeOption.Name, merge)
			compare(t, r, "split-merge-s", plainSplitMerge(r, false, merge == fewestFirst), mergeOption.Name, merge)
		}
	})
}

// compare compares a scheme, with the value of an option if any, with a colouring.
func compare(t *rapid.T, r *Routing, name string, want []int32, option ...string) {
	opt := Options{}
	if len(option) > 0 {
		opt.Values = route.Options{option[0]: option[1]}
	}
	got, _, err := scheme(t, name).Solve(context.Background(), r, opt)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s %v: %v %v, want %v", name, option, got, err, want)
	}
}

// TestConfigurationIsATree: following the links of any set of paths without a split
// leads to the destination from every node, so that no loop can arise.
func TestConfigurationIsATree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRouting(t)
		colour := plainGreedy(r)
		for c := range int32(colouring.NumColours(colour)) {
			out := map[int32]int32{}
			for p, pc := range colour {
				if pc == c {
					for _, h := range r.Path(p) {
						out[h.Node] = h.Out / 2 // the next node
					}
				}
			}
			for at := range out {
				for steps := 0; at != destNode; steps++ {
					next, on := out[at]
					if !on || steps > len(out) {
						t.Fatalf("colour %d: node %d leads astray", c, at)
					}
					at = next
				}
			}
		}
	})
}

func TestLoopIsRefused(t *testing.T) {
	var r Routing
	r.Add(Hop{1, 0})
	r.Add(Hop{0, 0}, Hop{1, 1}, Hop{0, 2})
	for _, s := range Schemes() {
		_, _, err := s.Solve(context.Background(), &r, Options{})
		if loop, ok := err.(*LoopError); !ok || *loop != (LoopError{1, 0}) { //nolint:errorlint // the very error
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestByName(t *testing.T) {
	for _, s := range Schemes() {
		if got, err := ByName(s.Name); err != nil || got != s {
			t.Error(got, err)
		}
		if s.Summary == "" || s.Paper == "" || s.Cost == "" {
			t.Error(s.Name, "is not described")
		}
	}
	if _, err := ByName("best"); err == nil {
		t.Error("a scheme that there is not")
	}
}

func TestLMC(t *testing.T) {
	for k, want := range map[int]uint8{0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 128: 7, 129: 8} {
		if LMC(k) != want {
			t.Errorf("LMC(%d) = %d, want %d", k, LMC(k), want)
		}
	}
}

// chromatic is the chromatic number by trying.
func chromatic(g *colouring.Graph) int {
	for k := 0; ; k++ {
		if dumbColours(g, k, make([]int, 0, g.Len())) != nil {
			return k
		}
	}
}

func dumbColours(g *colouring.Graph, k int, done []int) []int {
	v := len(done)
	if v == g.Len() {
		return done
	}
	for c := range k {
		ok := true
		for u, cu := range done {
			ok = ok && (cu != c || !g.HasEdge(u, v))
		}
		if ok {
			if all := dumbColours(g, k, append(done, c)); all != nil {
				return all
			}
		}
		if !slices.Contains(done, c) {
			break // colours that nobody has are all alike
		}
	}
	return nil
}

// brute is a solver that tries.
func brute(_ context.Context, p ilp.Programme) (colouring.Answer, []int32, error) {
	colours := dumbColours(p.Graph, p.K, make([]int, 0, p.Graph.Len()))
	if colours == nil {
		return colouring.No, nil, nil
	}
	ones := []int32{}
	for v, c := range colours {
		ones = append(ones, int32(v*p.K+c))
	}
	return colouring.Yes, ones, nil
}

func TestIlpChecksItsSolver(t *testing.T) {
	var r Routing
	for i := range int32(3) {
		r.Add(Hop{0, i}, Hop{i + 1, 0})
	}
	r.Add(Hop{0, 0}, Hop{1, 1})
	for _, wrong := range [][]int32{{0, 3, 6, 8}, {0, 1, 4, 7}, {0, 4}, {0, 4, 8, 99}, {-1, 0, 4, 8}} {
		says := func(context.Context, ilp.Programme) (colouring.Answer, []int32, error) {
			return colouring.Yes, wrong, nil
		}
		_, _, err := scheme(t, "ilp").Solve(context.Background(), &r, Options{Goal: Colours, Solve: says})
		if err == nil {
			t.Errorf("%v was believed", wrong)
		}
	}
	late := func(context.Context, ilp.Programme) (colouring.Answer, []int32, error) {
		return colouring.Unknown, nil, nil
	}
	_, b, err := scheme(t, "ilp").Solve(context.Background(), &r, Options{Goal: Colours, Solve: late})
	if err != nil || b != (Bounds{2, 4}) {
		t.Error("time over:", b, err)
	}
	if _, _, err := scheme(t, "ilp").Solve(context.Background(), &r, Options{}); err == nil {
		t.Error("without a solver")
	}
}

// TestGoalLIDs: five paths that split in a ring need three LIDs, though no three split from each
// other: as many as four for the LMC, which exact proves for either goal.
func TestGoalLIDs(t *testing.T) {
	r := &Routing{}
	for at := range int32(5) {
		r.Add(Hop{at, 0}, Hop{(at + 1) % 5, 1}) // a node for each two neighbours
	}
	for _, goal := range []Goal{LIDs, Colours} {
		_, b, err := scheme(t, "exact").Solve(context.Background(), r, Options{Goal: goal})
		if err != nil || b != (Bounds{3, 3}) {
			t.Errorf("goal %d: %v, %v", goal, b, err)
		}
	}
}
