package names

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/route/names/ilp"
)

// routing makes a Routing of paths given as node names; the number of the next node
// is the link.
func routing(t testing.TB, paths ...[]string) *Routing {
	t.Helper()
	number := map[string]int32{}
	id := func(name string) int32 {
		if _, ok := number[name]; !ok {
			number[name] = int32(len(number))
		}
		return number[name]
	}
	var r Routing
	for _, path := range paths {
		var hops []Hop
		for i := range len(path) - 1 {
			hops = append(hops, Hop{id(path[i]), id(path[i+1])})
		}
		r.Add(hops...)
	}
	return &r
}

// fig5 are the four paths of Fig. 5 of paper 000.
func fig5(t testing.TB) *Routing {
	var paths [][]string
	for _, row := range table(t, "testdata/lid_example_fig5.tsv") {
		paths = append(paths, strings.Fields(row["nodes"]))
	}
	return routing(t, paths...)
}

// TestFig5 is the worked example of paper 000: splits, greedy, ILP and color/L.
func TestFig5(t *testing.T) {
	r := fig5(t)
	g := splitGraph(must(newClasses(r))(t)) // no two paths are equal
	for u := range 4 {
		for v := range u {
			want := [3][2]int{{1, 0}, {3, 1}, {3, 2}}
			if g.HasEdge(u, v) != slices.Contains(want[:], [2]int{u, v}) {
				t.Errorf("split of p%d and p%d: %v", v+1, u+1, g.HasEdge(u, v))
			}
		}
	}
	for _, want := range []struct {
		scheme string
		colour []int32
		bounds Bounds
	}{
		{"greedy", []int32{0, 1, 0, 2}, Bounds{1, 3}},
		{"renaming", []int32{0, 1, 0, 2}, Bounds{1, 3}},
		{"color-l", []int32{1, 0, 0, 1}, Bounds{1, 2}},
		{"exact", []int32{1, 0, 0, 1}, Bounds{2, 2}},
	} {
		colour, b, err := scheme(t, want.scheme).Solve(context.Background(), r, Options{Goal: Colours})
		if err != nil || !slices.Equal(colour, want.colour) || b != want.bounds {
			t.Errorf("%s: %v %v %v, want %v %v", want.scheme, colour, b, err, want.colour, want.bounds)
		}
		if !minimal(r, colour) {
			t.Errorf("%s: no minimal configuration set", want.scheme)
		}
	}
}

// TestFig5Programme counts what paper 000 writes out: 8 variables, 4 equations, 6
// inequalities.
func TestFig5Programme(t *testing.T) {
	p := ilp.Programme{Graph: splitGraph(must(newClasses(fig5(t)))(t)), K: 2}
	text := string(p.Text(ilp.CPLEX))
	for what, want := range map[string]int{" one_": 4, " split_": 6, "\n x_": 8} {
		if n := strings.Count(text, what); n != want {
			t.Errorf("%d of %q, want %d", n, what, want)
		}
	}
}
