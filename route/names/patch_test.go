package names

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/route"
	"weft/route/lids"
	"weft/route/paths"
)

// depends tells for tables, written out plainly, which channel follows which.
func depends(g *fabric.Graph, t *route.Tables, ends *route.Ends) map[int32][]int32 {
	after := map[int32][]int32{}
	for lid := fabric.LID(1); lid <= ends.Top(); lid++ {
		for c := range int32(g.NumChannels) {
			if t.Port(g.From[c], lid) != g.FromPort[c] {
				continue
			}
			if d, _ := g.At(g.To[c], t.Port(g.To[c], lid)); d >= 0 {
				after[c] = append(after[c], d)
			}
		}
	}
	return after
}

// circle reports whether some channel comes after itself.
func circle(after map[int32][]int32) bool {
	leads := func(from int32) bool {
		met := map[int32]bool{}
		var walk func(c int32) bool
		walk = func(c int32) bool {
			for _, d := range after[c] {
				if d == from {
					return true
				}
				if !met[d] {
					if met[d] = true; walk(d) {
						return true
					}
				}
			}
			return false
		}
		return walk(from)
	}
	for c := range after {
		if leads(c) {
			return true
		}
	}
	return false
}

// drawTables draws trees into each host that reach a part of the network, by channels
// that keep an order or by any.
func drawTables(rng *rand.Rand, g *fabric.Graph, ends *route.Ends, ordered bool) *route.Tables {
	t := route.NewTables(g.NumSwitches, ends.Top())
	place := rng.Perm(g.NumChannels)
	for end := range int32(g.NumHosts) {
		lid, target := ends.Base[end], g.EndSwitch[end]
		t.Set(target, lid, g.EndPort[end])
		first := make([]int, g.NumSwitches) // place of the channel that a switch sends by
		first[target] = g.NumChannels
		for range rng.IntN(3 * g.NumChannels) {
			c := int32(rng.IntN(g.NumChannels))
			from, to := g.From[c], g.To[c]
			if t.Port(from, lid) == route.NoPort && t.Port(to, lid) != route.NoPort && (!ordered || place[c] < first[to]) {
				t.Set(from, lid, g.FromPort[c])
				first[from] = place[c]
			}
		}
	}
	return t
}

// TestPatch: what was there stays, no cycle arises where there was none, every entry
// leads to its port, and none is missing that could be there.
func TestPatch(t *testing.T) {
	networks := []*fabric.Graph{graph(t, "renaming-fig1"), graph(t, "torus(3x3,hosts=1)"), graph(t, "regular(switches=8,degree=3,hosts=1,seed=4)")}
	missed, cycles := 0, 0
	draws.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(networks).Draw(t, "network")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		plan := &route.Plan{Ends: must(lids.Assign(g, lids.Options{Fresh: true}))(t)}
		plan.Tables = drawTables(rng, g, &plan.Ends, rapid.Bool().Draw(t, "ordered"))
		before := plan.Tables.Clone()
		cyclic := circle(depends(g, before, &plan.Ends))
		if newPatcher(g, before, &plan.Ends).cyclic != cyclic {
			t.Fatalf("a cycle: want %v", cyclic)
		}
		var lids []fabric.LID
		for end := range g.NumHosts {
			lids = append(lids, plan.Ends.Base[end])
		}
		missing := must(patchAll(context.Background(), g, plan, lids))(t)
		if !cyclic && circle(depends(g, plan.Tables, &plan.Ends)) {
			t.Fatal("a cycle arose")
		}
		if cyclic {
			cycles++
		}
		for end, lid := range lids {
			for s := range int32(g.NumSwitches) {
				was, now := before.Port(s, lid), plan.Tables.Port(s, lid)
				if was != route.NoPort && now != was {
					t.Fatalf("LID %d: switch %d had port %d and has %d", lid, s, was, now)
				}
				if now == route.NoPort {
					missing--
					missed++
					couldHave(t, g, plan, s, lid, cyclic)
				} else if at := follow(g, plan.Tables, s, lid); at != g.EndSwitch[end] {
					t.Fatalf("LID %d from switch %d ends at %d", lid, s, at)
				}
			}
		}
		if missing != 0 {
			t.Fatalf("%d more are missing than were counted", -missing)
		}
	}, func() string {
		if missed == 0 || cycles == 0 {
			return fmt.Sprintf("%d entries could not be added, %d tables had a cycle: nothing was tested", missed, cycles)
		}
		return ""
	})
}

// TestPatchOfCycle: where the entries close a cycle, every switch gets an entry, though its
// dependency closes the cycle once more.
func TestPatchOfCycle(t *testing.T) {
	for target := range int32(6) {
		g := graph(t, "torus(6,hosts=1)") // a ring
		plan := &route.Plan{Ends: must(lids.Assign(g, lids.Options{Fresh: true}))(t)}
		plan.Tables = route.NewTables(g.NumSwitches, plan.Ends.Top())
		around := []int32{0} // channels that lead round the ring
		for len(around) < g.NumSwitches {
			last := around[len(around)-1]
			out := g.OutOf(g.To[last])
			if out[0] == last^1 {
				out = out[1:]
			}
			around = append(around, out[0])
		}
		for end, base := range plan.Ends.Base[:g.NumHosts] {
			at := g.EndSwitch[end]
			for _, c := range around { // all entries of the others, the last hop to the target
				if at != target || g.To[c] == target {
					plan.Tables.Set(g.From[c], base, g.FromPort[c])
				} else if g.From[c] == target {
					g.Drained[g.To[c]] = true // so that only the long way is left
				}
			}
			plan.Tables.Set(at, base, g.EndPort[end])
		}
		lid := plan.Ends.Base[g.HostsOf(target)[0]]
		if missing := must(patchAll(t.Context(), g, plan, []fabric.LID{lid}))(t); missing != 0 {
			t.Errorf("to switch %d %d entries are missing", target, missing)
		}
	}
}

// follow is the switch at which a LID leaves the network, or -1.
func follow(g *fabric.Graph, t *route.Tables, s int32, lid fabric.LID) int32 {
	for range g.NumSwitches + 1 {
		c, host := g.At(s, t.Port(s, lid))
		if host >= 0 {
			return s
		}
		if c < 0 {
			return -1
		}
		s = g.To[c]
	}
	return -1
}

// couldHave fails if one more entry would have closed no cycle.
func couldHave(t *rapid.T, g *fabric.Graph, plan *route.Plan, s int32, lid fabric.LID, cyclic bool) {
	for _, c := range g.OutOf(s) {
		if plan.Tables.Port(g.To[c], lid) == route.NoPort {
			continue
		}
		with := plan.Tables.Clone()
		with.Set(s, lid, g.FromPort[c])
		if cyclic || !circle(depends(g, with, &plan.Ends)) {
			t.Fatalf("LID %d: switch %d could send by port %d", lid, s, g.FromPort[c])
		}
	}
}

// TestPatchOfNothing: without partial LIDs nothing changes.
func TestPatchOfNothing(t *testing.T) {
	g := graph(t, "renaming-fig1")
	a := assign(t, compute(t, g, "updn-shortest", 1), "greedy")
	ends := must(nameOf(a))(t)
	plan, missing := realise(t, a, ends)
	var all []fabric.LID
	for lid, end := range ends.ByLID() {
		if end >= 0 {
			all = append(all, fabric.LID(lid))
		}
	}
	before := plan.Tables.Clone()
	if missing != 0 || must(patchAll(t.Context(), g, plan, all))(t) != 0 {
		t.Error("something is missing")
	}
	for s := range int32(g.NumSwitches) {
		for i := range before.NumBlocks() {
			if !slices.Equal(before.Block(s, i)[:], plan.Tables.Block(s, i)[:]) {
				t.Error("switch", s, "was changed")
			}
		}
	}
}

// TestRealiseStops: both stages end when nobody waits for the Plan any longer.
func TestRealiseStops(t *testing.T) {
	g := graph(t, "renaming-fig1")
	a := assign(t, compute(t, g, "updn-shortest", 1), "greedy")
	ends := must(nameOf(a))(t)
	plan, _ := realise(t, a, ends)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if stopped, _, err := a.Realise(ctx, ends); stopped != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", stopped, err)
	}
	if _, err := patchAll(ctx, g, plan, []fabric.LID{ends.Base[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestRealiseCounts: Realise counts what is missing, and patches every LID that lacks an
// entry, if only one: a second patch finds nothing to add.
func TestRealiseCounts(t *testing.T) {
	g := graph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	single := 0
	for seed := range uint64(20) {
		single += realiseCounts(t, g, randomSet(t, g, seed, 60))
	}
	if single == 0 {
		t.Error("no LID lacked a single entry: nothing was tested")
	}
	rapid.Check(t, func(t *rapid.T) { realiseCounts(t, g, drawSet(t, g)) })
}

// realiseCounts realises a set, and counts the LIDs that lack a single entry before they are
// patched.
func realiseCounts(t tb, g *fabric.Graph, set *paths.Set) (single int) {
	a := assign(t, set, "color-l")
	ends := must(nameOf(a))(t)
	plan, missing := realise(t, a, ends)
	owner := ends.ByLID()
	var all []fabric.LID
	for lid, end := range owner {
		if end < 0 {
			continue
		}
		all = append(all, fabric.LID(lid))
		for s := range int32(g.NumSwitches) {
			if plan.Tables.Port(s, fabric.LID(lid)) == route.NoPort {
				missing--
			}
		}
		if lacking(a, ends, fabric.LID(lid), end) == 1 {
			single++
		}
	}
	if missing != 0 {
		t.Fatal(-missing, "more entries are missing than were counted")
	}
	before := plan.Tables.Clone()
	must(patchAll(context.Background(), g, plan, all))(t)
	for _, lid := range all {
		for s := range int32(g.NumSwitches) {
			if before.Port(s, lid) != plan.Tables.Port(s, lid) {
				t.Fatal("LID", lid, "of switch", s, "could be given an entry")
			}
		}
	}
	return single
}

// lacking counts the switches that a completer leaves without an entry for a LID.
func lacking(a *Assignment, ends route.Ends, lid fabric.LID, end int32) int {
	g := a.Set.Graph()
	plan := &route.Plan{Ends: ends, Tables: route.NewTables(g.NumSwitches, ends.Top())}
	a.writePaths(plan, end)
	return newCompleter(a).complete(plan.Tables, lid, g.EndSwitch[end])
}

// TestPatchDrained: paths end at a drained switch, but none passes it.
func TestPatchDrained(t *testing.T) {
	g := graph(t, "torus(4,hosts=1)") // a ring
	plan := &route.Plan{Ends: must(lids.Assign(g, lids.Options{Fresh: true}))(t)}
	for _, drained := range []int32{0, 1} {
		g.Drained[0], g.Drained[1] = drained == 0, drained == 1
		plan.Tables = route.NewTables(g.NumSwitches, plan.Ends.Top())
		lid := plan.Ends.Base[g.HostsOf(0)[0]]
		plan.Tables.Set(0, lid, g.EndPort[g.HostsOf(0)[0]])
		missing := must(patchAll(t.Context(), g, plan, []fabric.LID{lid}))(t)
		for s := range int32(g.NumSwitches) {
			at := s
			for at != 0 && plan.Tables.Port(at, lid) != route.NoPort {
				c, _ := g.At(at, plan.Tables.Port(at, lid))
				if at = g.To[c]; at == 1 && drained == 1 {
					t.Errorf("the path from switch %d passes a drained one", s)
				}
			}
			if at != 0 {
				t.Errorf("switch %d drained, %d missing: switch %d has no path", drained, missing, s)
			}
		}
	}
}

// TestCompleteFindsAll: a switch gets an entry if some ascending way leads from it to a
// switch that had one.
func TestCompleteFindsAll(t *testing.T) {
	g := graph(t, "irregular(switches=6,hosts=10,degree=4,seed=3)")
	added := 0
	draws.Check(t, func(t *rapid.T) {
		a := assign(t, drawSet(t, g), "color-l")
		plan := &route.Plan{Ends: must(nameOf(a))(t)}
		plan.Tables = route.NewTables(g.NumSwitches, plan.Ends.Top())
		c := newCompleter(a)
		for end := range int32(g.NumHosts) {
			a.writePaths(plan, end)
			for l := range plan.Ends.Count(end) {
				lid := plan.Ends.Base[end] + fabric.LID(l)
				want := ascending(g, c.rank, plan.Tables, lid, g.EndSwitch[end])
				before := plan.Tables.Clone()
				c.complete(plan.Tables, lid, g.EndSwitch[end])
				for s := range int32(g.NumSwitches) {
					has := plan.Tables.Port(s, lid) != route.NoPort
					if had := before.Port(s, lid) != route.NoPort; has != (had || want[s]) {
						t.Fatalf("LID %d: switch %d has an entry: %v, want %v", lid, s, has, !has)
					} else if has && !had {
						added++
					}
				}
			}
		}
	}, func() string {
		if added == 0 {
			return "no entry was added: nothing was tested"
		}
		return ""
	})
}

// ascending finds the switches from which channels of ascending rank lead to an entry.
func ascending(g *fabric.Graph, rank []int32, t *route.Tables, lid fabric.LID, target int32) []bool {
	usable := make([]bool, g.NumChannels)
	found := make([]bool, g.NumSwitches)
	for changed := true; changed; {
		changed = false
		for c := range int32(g.NumChannels) {
			v := g.To[c]
			if usable[c] || int(rank[c]) == g.NumChannels {
				continue
			}
			ok := v == target
			if out, _ := g.At(v, t.Port(v, lid)); v != target && t.Port(v, lid) != route.NoPort {
				ok = rank[c] < rank[out]
			} else if v != target {
				for _, d := range g.OutOf(v) {
					ok = ok || usable[d] && rank[c] < rank[d]
				}
			}
			if ok {
				usable[c], found[g.From[c]], changed = true, true, true
			}
		}
	}
	return found
}
