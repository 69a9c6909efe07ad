package lanes

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// firstFits is what Online and LongestFirst do, by trying everything.
func firstFits(g *fabric.Graph, p *Paths, pairs []pair) (lanes []map[[2]int32]int, of map[pair]uint8) {
	of = map[pair]uint8{}
	for _, x := range pairs {
		for lane := 0; ; lane++ {
			if lane == len(lanes) {
				lanes = append(lanes, map[[2]int32]int{})
			}
			with := map[[2]int32]int{}
			for e := range lanes[lane] {
				with[e] = 1
			}
			for _, lid := range p.lids[x.b] {
				edges(g, p.tables, p.home[x.a], lid, with)
			}
			for _, lid := range p.lids[x.a] {
				edges(g, p.tables, p.home[x.b], lid, with)
			}
			all := map[[2]int32]int{}
			for e := range with {
				all[e] = 1
			}
			if acyclic(with) {
				lanes[lane] = all
				of[x] = uint8(lane)
				break
			}
		}
	}
	return lanes, of
}

// TestFirstFit: every pair is on the first lane where it closes no cycle.
func TestFirstFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, rapid.Uint8Range(0, 1).Draw(t, "LMC"))
		p := ByTree(in, plan.Tables, 2)
		var pairs []pair
		p.pairs(func(a, b int32) { pairs = append(pairs, pair{a, b}) })
		run := Online
		if rapid.Bool().Draw(t, "longest first") {
			run = LongestFirst
			length := func(x pair) int { return len(p.edgesTo(p.home[x.a], p.lids[x.b][0], nil)) }
			slices.SortStableFunc(pairs, func(x, y pair) int { return length(y) - length(x) })
		}
		r, err := run(context.Background(), p, MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		lanes, want := firstFits(g, p, pairs)
		if r.Need > MaxLanes {
			if len(lanes) <= MaxLanes {
				t.Fatalf("gave up, but %d lanes are enough", len(lanes))
			}
			return
		}
		if r.Need != max(1, len(lanes)) {
			t.Fatalf("%d lanes, not %d", r.Need, len(lanes))
		}
		count := make([]int64, r.Need)
		for x, lane := range want {
			count[lane]++
			if r.SL.Class(x.a, x.b) != lane || r.SL.Class(x.b, x.a) != lane {
				t.Fatalf("classes %d and %d are on lane %d, not %d", x.a, x.b, r.SL.Class(x.a, x.b), lane)
			}
		}
		if !slices.Equal(count, r.Pairs()) {
			t.Fatalf("pairs by lane: %v, not %v", r.Pairs(), count)
		}
	})
}
