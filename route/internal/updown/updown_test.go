package updown_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/conformance"
	"weft/route/internal/updown"
)

func graph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// TestFromRoots: on a ring of five the ranks are the distances, and the order of two switches of
// one rank is that of their numbers.
func TestFromRoots(t *testing.T) {
	g := graph(t, "torus(5,hosts=1)")
	o, search := updown.FromRoots(g, 2)
	if want := (updown.Order{2, 1, 0, 1, 2}); !slices.Equal(o, want) {
		t.Fatalf("ranks %v, want %v", o, want)
	}
	if search.Order[0] != 2 || search.Via[2] != fabric.Nothing || g.From[search.Via[4]] != 3 {
		t.Errorf("found %v by %v", search.Order, search.Via)
	}
	if !o.Above(1, 3) || o.Above(3, 1) || o.Above(1, 1) || !o.Above(3, 0) {
		t.Error("of equals the lower number is above, and no switch above itself")
	}
	if got := updown.FromList(4, []int32{3, 1}); !slices.Equal(got, updown.Order{updown.Bottom, 1, updown.Bottom, 0}) {
		t.Errorf("one by one: %v", got)
	}
}

// TestDrained: a drained switch is at the bottom, is no root, and no way leads past it.
func TestDrained(t *testing.T) {
	g := *graph(t, "mesh(5,hosts=1)")
	g.Drained = []bool{false, true, false, false, false}
	o, _ := updown.FromRoots(&g, 1, 3)
	if want := (updown.Order{0, updown.Bottom, 1, 0, 1}); !slices.Equal(o, want) {
		t.Errorf("ranks %v, want %v", o, want)
	}
}

// order draws an order whose drained switches are at the bottom.
func order(t *rapid.T, g *fabric.Graph) updown.Order {
	o := updown.New(g.NumSwitches)
	for s := range o {
		if !g.Drained[s] {
			o[s] = int32(rapid.IntRange(0, 3).Draw(t, "rank"))
		}
	}
	return o
}

// TestSortChannels: a turn is allowed exactly when it leads forwards in the order of channels, and
// the channels are the same ones.
func TestSortChannels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		o := order(t, g)
		list := slices.Clone(g.Out)
		o.SortChannels(g, list)
		place := make([]int, g.NumChannels)
		for i, c := range list {
			place[c] = i
		}
		if sorted := slices.Sorted(slices.Values(list)); !slices.Equal(sorted, slices.Sorted(slices.Values(g.Out))) {
			t.Fatalf("channels %v became %v", g.Out, list)
		}
		for c := range int32(g.NumChannels) {
			for _, d := range g.OutOf(g.To[c]) {
				loop := g.From[c] == g.To[c] || g.From[d] == g.To[d]
				if back := g.To[d] == g.From[c]; !loop && !back && o.Allows(g, c, d) != (place[c] < place[d]) {
					t.Fatalf("turn from %d-%d to %d: allowed %v, places %d and %d",
						g.From[c], g.To[c], g.To[d], o.Allows(g, c, d), place[c], place[d])
				}
			}
		}
	})
}

// TestParts: every switch that is not drained is in one part, with all its neighbours.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		of := make([]int, g.NumSwitches)
		for i, part := range updown.Parts(g) {
			for _, s := range part {
				if of[s] != 0 || g.Drained[s] {
					t.Fatalf("switch %d is in part %d, was in %d, drained %v", s, i+1, of[s], g.Drained[s])
				}
				of[s] = i + 1
			}
		}
		for s, n := range of {
			if (n == 0) != g.Drained[s] {
				t.Fatalf("switch %d is in part %d, drained %v", s, n, g.Drained[s])
			}
			for _, c := range g.OutOf(int32(s)) {
				if v := g.To[c]; n != 0 && !g.Drained[v] && of[v] != n {
					t.Fatalf("neighbours %d and %d are in parts %d and %d", s, v, n, of[v])
				}
			}
		}
	})
}

// TestJoinPeaks: of all the peaks of a connected part one is left, and what is not raised above
// all keeps its rank. No drained switch is raised.
func TestJoinPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		o := order(t, g)
		before := slices.Clone(o)
		for _, part := range updown.Parts(g) {
			o.JoinPeaks(g, part)
			if peaks := o.Peaks(g, part); len(peaks) != 1 {
				t.Fatalf("peaks %v in a part of %d switches", peaks, len(part))
			}
			for _, s := range part {
				if o[s] >= 0 && o[s] != before[s] {
					t.Fatalf("switch %d had rank %d and has %d", s, before[s], o[s])
				}
			}
		}
		for s, drained := range g.Drained {
			if drained && o[s] != updown.Bottom {
				t.Fatalf("switch %d is drained, and has rank %d", s, o[s])
			}
		}
	})
}

// TestJoinPeaksAvoidsHosts: of two leaves below both roots, the one with fewer hosts is raised.
func TestJoinPeaksAvoidsHosts(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("two roots")}
	roots := []fabric.NodeID{b.Switch(), b.Switch()}
	for hosts := 3; hosts > 0; hosts-- {
		leaf := b.Switch()
		for _, r := range roots {
			b.Link(leaf, r)
		}
		for range hosts {
			b.Link(b.Node(fabric.CA, 1), leaf)
		}
	}
	g := b.F.Compile()
	o, _ := updown.FromRoots(g, 0, 1)
	o.JoinPeaks(g, []int32{0, 1})
	if want := []bool{true, true, false, false, true}; !slices.EqualFunc(o, want, func(rank int32, raised bool) bool { return (rank < 0) == raised }) {
		t.Errorf("ranks %v, raised should be %v", o, want)
	}
	if o.Above(1, 4) || !o.Above(0, 4) {
		t.Errorf("ranks %v: the first root is the peak, the leaf is between", o)
	}
}
