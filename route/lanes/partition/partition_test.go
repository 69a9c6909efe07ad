package partition

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/draws"
)

// acyclic takes away dependencies to which none leads, as long as there are any.
func acyclic(paths [][]int32) bool {
	edges := map[[2]int32]bool{}
	for _, path := range paths {
		for i := 1; i < len(path); i++ {
			edges[[2]int32{path[i-1], path[i]}] = true
		}
	}
	for {
		led := map[int32]bool{}
		for e := range edges {
			led[e[1]] = true
		}
		before := len(edges)
		for e := range edges {
			if !led[e[0]] {
				delete(edges, e)
			}
		}
		if len(edges) == before {
			return before == 0
		}
	}
}

// fewest tries all partitions of items, each a set of paths.
func fewest(items [][][]int32) int {
	best := len(items)
	var classes [][][]int32
	var place func(i int)
	place = func(i int) {
		if len(classes) > best {
			return
		}
		if i == len(items) {
			best = len(classes)
			return
		}
		for c := range classes {
			before := classes[c]
			if with := append(slices.Clone(before), items[i]...); acyclic(with) {
				classes[c] = with
				place(i + 1)
				classes[c] = before
			}
		}
		classes = append(classes, items[i])
		place(i + 1)
		classes = classes[:len(classes)-1]
	}
	place(0)
	return best
}

// verify checks that a result is a cover by acyclic classes, none of them empty.
func verify(t rapid.TB, items [][][]int32, r *Result) {
	t.Helper()
	classes := make([][][]int32, r.Upper)
	for i, c := range r.Class {
		classes[c] = append(classes[c], items[i]...)
	}
	if len(r.Class) != len(items) || r.Lower > r.Upper {
		t.Fatalf("%d items, classes of %d, from %d to %d", len(items), len(r.Class), r.Lower, r.Upper)
	}
	for c, paths := range classes {
		if len(paths) == 0 {
			t.Fatalf("class %d is empty", c)
		}
		if !acyclic(paths) {
			t.Fatalf("class %d has a cycle", c)
		}
	}
}

// minimum solves a problem with a limit of steps alone.
func minimum(t rapid.TB, p *Problem, steps int) *Result {
	t.Helper()
	r, err := p.Minimum(context.Background(), Limits{Conflicts: math.MaxInt, Cycles: math.MaxInt, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Bound returns a lower bound on the number of classes: see the package comment.
func (p *Problem) Bound() int {
	ctx := context.Background()
	conflict, _ := p.conflicts(ctx) // fails only if the context ends
	n, _ := p.bound(ctx, p.clique(conflict), math.MaxInt)
	return n
}

// together makes a problem whose items are sets of paths that share a class. It fails with OwnCycle
// if the paths of an item close a cycle.
func together(items [][][]int32) (*Problem, error) {
	edges := make([][][2]int32, len(items))
	for i, paths := range items {
		for _, path := range paths {
			for k := 1; k < len(path); k++ {
				edges[i] = append(edges[i], [2]int32{path[k-1], path[k]})
			}
		}
	}
	return newProblem(edges)
}

// ofPaths makes the problem of the paper: every path is an item.
func ofPaths(paths [][]int32) (*Problem, error) { return together(single(paths)) }

func single(paths [][]int32) [][][]int32 {
	var items [][][]int32
	for _, p := range paths {
		items = append(items, [][]int32{p})
	}
	return items
}

func problem(t rapid.TB, paths [][]int32) *Problem {
	t.Helper()
	p, err := ofPaths(paths)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// word makes a path of letters.
func word(s string) []int32 {
	var p []int32
	for _, c := range s {
		p = append(p, c)
	}
	return p
}

// TestPaperExample is Fig. 3: bc and abc share a class, cdab needs another.
func TestPaperExample(t *testing.T) {
	paths := [][]int32{word("bc"), word("abc"), word("cdab")}
	r := minimum(t, problem(t, paths), 1000)
	verify(t, single(paths), r)
	if r.Lower != 2 || r.Upper != 2 || r.Class[0] != r.Class[1] || r.Class[1] == r.Class[2] {
		t.Errorf("got %+v", r)
	}
}

func TestSmall(t *testing.T) {
	for _, c := range []struct {
		paths        string
		bound, exact int
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{"abc cde", 1, 1},
		{"ab ba", 2, 2},
		{"ab bc ca", 2, 2},             // no two conflict
		{"abc bca cab", 3, 3},          // all conflict
		{"abc bcd cde dea eab", 2, 2},  // any four fit
		{"ab ab ab ba", 2, 2},          // equal paths
		{"abcd bcda cdab dabc", 4, 4},  // any two close the ring
		{"ab ba cd dc abcd", 2, 2},     // two rings, one path through both
		{"xab bay xy", 2, 2},           // what is on no cycle does not matter
		{"abcde bcdea cdeab ab", 3, 3}, // the last is part of the first
	} {
		var paths [][]int32
		for w := range strings.FieldsSeq(c.paths) {
			paths = append(paths, word(w))
		}
		p := problem(t, paths)
		r := minimum(t, p, 1000)
		verify(t, single(paths), r)
		if b := p.Bound(); b != c.bound || r.Upper != c.exact || !r.Exact() {
			t.Errorf("%q: bound %d, %+v, want %d and %d", c.paths, b, r, c.bound, c.exact)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, path := range []string{"aba", "aa", "xabcay"} {
		if _, err := ofPaths([][]int32{word("ab"), word(path)}); err == nil || err.Error() != "partition: item 1 has a cycle of its own" {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := together([][][]int32{{word("ab"), word("ba")}}); err == nil {
		t.Error("two paths that close a cycle share a class")
	}
}

// drawItems draws paths on few channels, alone or two together, or those of a graph
// to be coloured.
func drawItems(t *rapid.T) [][][]int32 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	if rng.IntN(3) == 0 {
		return single(Colouring(drawGraph(rng)))
	}
	channels := rapid.IntRange(2, 7).Draw(t, "channels")
	longest := rapid.IntRange(2, 7).Draw(t, "longest")
	together := rapid.IntRange(1, 2).Draw(t, "together")
	ring := rapid.Bool().Draw(t, "ring")
	var items [][][]int32
	for range rng.IntN(10) {
		var item [][]int32
		for range together {
			path := make([]int32, 0, channels)
			at := rng.IntN(channels)
			for k, c := range rng.Perm(channels) {
				if ring {
					c = (at + k) % channels
				}
				path = append(path, int32(c))
			}
			path = path[:1+rng.IntN(min(channels, longest))]
			if acyclic(append(item, path)) {
				item = append(item, path)
			}
		}
		items = append(items, item)
	}
	return items
}

// TestMinimumIsTheDefinition compares with all partitions; without a limit the
// search is exact, with one it says no more than it knows.
func TestMinimumIsTheDefinition(t *testing.T) {
	minima := map[int]int{}
	tight, all, open := 0, 0, 0
	draws.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		p, err := together(items)
		if err != nil {
			t.Fatal(err)
		}
		want := fewest(items)
		r := minimum(t, p, 1<<20)
		verify(t, items, r)
		bound := p.Bound()
		if !r.Exact() || r.Upper != want || bound > want {
			t.Fatalf("bound %d, %+v, want %d", bound, r, want)
		}
		cut := minimum(t, p, rapid.IntRange(0, 12).Draw(t, "limit"))
		verify(t, items, cut)
		if cut.Lower > want || cut.Upper < want {
			t.Fatalf("with a limit from %d to %d, want %d", cut.Lower, cut.Upper, want)
		}
		if !cut.Exact() {
			open++
		}
		minima[want]++
		all++
		if bound == want {
			tight++
		}
	}, func() string {
		if minima[2]+minima[3]+minima[4] < all/10 {
			return "too few instances need several classes"
		}
		return ""
	})
	t.Logf("minima %v; the bound is the minimum in %d of %d, %d left open at a limit", minima, tight, all, open)
}

// TestLimitLeavesBounds: a search that is cut short answers bounds that differ.
func TestLimitLeavesBounds(t *testing.T) {
	vertices, edges := mycielski(4)
	p := problem(t, Colouring(vertices, edges))
	r := minimum(t, p, 1)
	if r.Exact() || r.Lower != 2 || r.Upper < 5 {
		t.Errorf("after one step: %d to %d", r.Lower, r.Upper)
	}
}
