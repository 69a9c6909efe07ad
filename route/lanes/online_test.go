package lanes_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/route"
	"weft/route/lanes"
)

// pair is a pair of classes.
type pair struct{ a, b int32 }

// firstFits does what Online and LongestFirst do, by trying everything.
func firstFits(g *fabric.Graph, p *lanes.Paths, pairs []pair) (used []map[[2]int32]int, of map[pair]uint8) {
	of = map[pair]uint8{}
	for _, x := range pairs {
		for lane := 0; ; lane++ {
			if lane == len(used) {
				used = append(used, map[[2]int32]int{})
			}
			with := map[[2]int32]int{}
			for e := range used[lane] {
				with[e] = 1
			}
			for _, lid := range p.LIDs[x.b] {
				edges(g, p.Tables, p.Home[x.a], lid, with)
			}
			for _, lid := range p.LIDs[x.a] {
				edges(g, p.Tables, p.Home[x.b], lid, with)
			}
			all := map[[2]int32]int{}
			for e := range with {
				all[e] = 1
			}
			if acyclic(with) {
				used[lane] = all
				of[x] = uint8(lane)
				break
			}
		}
	}
	return used, of
}

// TestFirstFit: every pair is on the first lane where it closes no cycle.
func TestFirstFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, rapid.Uint8Range(0, 1).Draw(t, "LMC"))
		p := lanes.ByTree(in, plan.Tables, firstTwo(in))
		var pairs []pair
		p.Pairs(func(a, b int32) { pairs = append(pairs, pair{a, b}) })
		run := lanes.Online
		switch rapid.SampledFrom([]string{"by class", "by a list", "longest first"}).Draw(t, "order") {
		case "by a list":
			order := rapid.Permutation(classes(p)).Draw(t, "classes")
			pairs = pairs[:0]
			for i, a := range order {
				for _, b := range order[i+1:] {
					pairs = append(pairs, pair{a, b})
				}
			}
			run = func(ctx context.Context, p *lanes.Paths, most int) (*lanes.Lanes, error) {
				return lanes.OnlineBy(ctx, p, order, most)
			}
		case "longest first":
			run = lanes.LongestFirst
			length := func(x pair) int { return len(p.EdgesTo(p.Home[x.a], p.LIDs[x.b][0], nil)) }
			slices.SortStableFunc(pairs, func(x, y pair) int { return length(y) - length(x) })
		}
		r, err := run(context.Background(), p, lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		used, want := firstFits(g, p, pairs)
		if r.Need > lanes.MaxLanes {
			if len(used) <= lanes.MaxLanes {
				t.Fatalf("gave up, but %d lanes are enough", len(used))
			}
			return
		}
		if r.Need != max(1, len(used)) {
			t.Fatalf("%d lanes, not %d", r.Need, len(used))
		}
		count := make([]int64, r.Need)
		for x, lane := range want {
			count[lane]++
			if r.SL.ByClass(x.a, x.b) != lane || r.SL.ByClass(x.b, x.a) != lane {
				t.Fatalf("classes %d and %d are on lane %d, not %d", x.a, x.b, r.SL.ByClass(x.a, x.b), lane)
			}
		}
		if !slices.Equal(count, r.Pairs()) {
			t.Fatalf("pairs by lane: %v, not %v", r.Pairs(), count)
		}
	})
}

// classes lists the classes that have LIDs.
func classes(p *lanes.Paths) (list []int32) {
	for c, lids := range p.LIDs {
		if len(lids) > 0 {
			list = append(list, int32(c))
		}
	}
	return list
}

// TestRefilled: so many lanes as are asked for, or fewer, without a cycle, wherever the longest
// first fit; and sometimes where they do not.
func TestRefilled(t *testing.T) {
	saved := 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		in, plan := minimal(t, g, 0)
		p := lanes.BySwitch(in, plan.Tables)
		first, err := lanes.LongestFirst(t.Context(), p, lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(1, max(1, first.Need)).Draw(t, "most")
		r, err := lanes.Refilled(t.Context(), p, most)
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Need > most && (most >= first.Need || r.SL != nil || r.Need != most+1):
			t.Fatalf("%d lanes of %d asked for, the longest first take %d", r.Need, most, first.Need)
		case r.Need <= most:
			verify(t, g, in, plan.Tables, p, r)
			if r.Need < first.Need {
				saved++
			}
		}
	}, func() string {
		if saved == 0 {
			return "no network on which refilling saves a lane"
		}
		return ""
	})
}

// firstTwo marks the first two LIDs at each switch.
func firstTwo(in *route.Input) []bool {
	at := in.Ends.SwitchByLID(in.Graph)
	followed, seen := make([]bool, len(at)), make([]int, in.Graph.NumSwitches)
	for lid, s := range at {
		if s >= 0 && seen[s] < 2 {
			followed[lid] = true
			seen[s]++
		}
	}
	return followed
}
