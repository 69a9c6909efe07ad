package nue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/conformance"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

// drawEscape draws a network and a spanning tree of it.
func drawEscape(t *rapid.T) (*fabric.Graph, *escape) {
	g := conformance.Draw(t).Compile()
	var roots []int32
	for _, part := range newParts(g).list {
		roots = append(roots, rapid.SampledFrom(part).Draw(t, "root"))
	}
	return g, newEscape(g, roots)
}

// ascends checks that edges lead to later places, and that no two channels share one.
func ascends(t *rapid.T, o *order) {
	g := o.turns.Graph
	var places []int32
	for c := range int32(g.NumChannels) {
		if o.free(c) {
			places = append(places, o.place[c])
		}
		for _, d := range g.OutOf(g.To[c]) {
			if o.fixed[o.turns.Number(c, d)] && o.place[c] >= o.place[d] {
				t.Fatalf("the edge from channel %d to %d does not ascend", c, d)
			}
		}
	}
	slices.Sort(places)
	if len(slices.Compact(places)) != len(places) {
		t.Fatal("two channels have one place")
	}
}

// TestSift: sifting never lets more weight be against the order, and keeps the turns of
// the tree.
func TestSift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, e := drawEscape(t)
		o := newOrder(cdg.NewIndex(g), e.channels())
		e.fix(o)
		weight := make([]int64, o.turns.Size)
		for i := range weight {
			weight[i] = rapid.Int64Range(0, 9).Draw(t, "weight")
		}
		for c := range int32(g.NumChannels) {
			for _, d := range g.OutOf(g.To[c]) {
				if !o.free(c) || !o.free(d) || d == c {
					weight[o.turns.Number(c, d)] = 0
				}
			}
		}
		before := o.forbiddenWeight(weight)
		o.sift(weight)
		ascends(t, o)
		if after := o.forbiddenWeight(weight); after > before {
			t.Fatalf("%d was against the order, now %d is", before, after)
		}
	})
}

// TestDemand: every pair of hosts on different switches makes one turn less than its
// shortest path has hops.
func TestDemand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		turns := cdg.NewIndex(g)
		var all []int32
		for s := range int32(g.NumSwitches) {
			all = append(all, s)
		}
		one, err := demand(t.Context(), turns, 1, all)
		if err != nil {
			t.Fatal(err)
		}
		three, err := demand(t.Context(), turns, 3, all)
		if err != nil || !slices.Equal(one, three) {
			t.Fatalf("1 and 3 workers differ (%v)", err)
		}
		sum, want, pairs := int64(0), int64(0), int64(0)
		for _, w := range one {
			sum += w
		}
		s := newSpreader(turns, nil)
		for _, to := range all {
			s.search.From(to)
			for _, u := range s.search.Order[1:] {
				n := sample.Weight(g, u) * sample.Weight(g, to)
				want += n * int64(s.search.Hops[u]-1) * unit
				pairs += n
			}
		}
		if lost := want - sum; lost < 0 || lost > want/100 {
			t.Fatalf("%d pairs make %d turns, want %d", pairs, sum, want)
		}
	})
}
