package forest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric/gen"
)

// TestLeastFirst compares with looking at every load every time.
func TestLeastFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 9).Draw(t, "load")
		plain := slices.Clone(load)
		turn := leastFirst{load: load}
		for _, f := range rapid.SliceOf(rapid.Int64Range(1, 5)).Draw(t, "flows") {
			want := slices.Index(plain, slices.Min(plain))
			plain[want] += f
			if got := turn.take(f); got != want {
				t.Fatalf("took %d, the least is %d", got, want)
			}
		}
	})
}

// TestDestinations: every switch once, and the leaves of one pod after each other.
func TestDestinations(t *testing.T) {
	f, err := gen.Parse("rlft(8,3)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	order := destinations(NewNet(g))
	seen := make([]bool, g.NumSwitches)
	for _, s := range order {
		if seen[s] {
			t.Fatalf("switch %d twice", s)
		}
		seen[s] = true
	}
	if len(order) != g.NumSwitches {
		t.Fatalf("%d of %d switches", len(order), g.NumSwitches)
	}
	search := g.NewSearch(nil)
	for i := range 32 { // 8 pods of 4 leaves
		search.From(order[i/4*4])
		if search.Hops[order[i]] > 2 {
			t.Errorf("number %d, switch %d, is in another pod than number %d", i, order[i], i/4*4)
		}
	}
}

// TestUnmark: no channel is marked when a bundle begins, also when the numbers of
// bundles come again.
func TestUnmark(t *testing.T) {
	for _, b := range []bundle{
		{mark: []int32{0, 0}},
		{mark: []int32{0, 6, 7}, stamp: 7},
		{mark: []int32{0, 1, -1}, stamp: -1},
	} {
		was := b.stamp
		if b.unmark(); slices.Contains(b.mark, b.stamp) {
			t.Errorf("after number %d: marks %v, number %d", was, b.mark, b.stamp)
		}
	}
}
