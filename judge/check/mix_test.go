package check

import (
	"maps"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/route"
)

// dumbMix walks every packet over all mixtures of two tables, hop by hop.
func dumbMix(g *fabric.Graph, before *route.Tables, after *route.Plan) (loops map[int]bool, deps map[dumbDep]bool) {
	d := newDumb(g, after)
	loops, deps = map[int]bool{}, map[dumbDep]bool{}
	for lid := range d.owner {
		differ := false
		ways := make([][2]int32, g.NumSwitches)
		for s := range ways {
			was, _ := g.At(int32(s), before.Port(int32(s), lid))
			now, _ := g.At(int32(s), after.Tables.Port(int32(s), lid))
			ways[s] = [2]int32{was, now}
			differ = differ || before.Port(int32(s), lid) != after.Tables.Port(int32(s), lid)
		}
		looped := false
		for s := range ways {
			for _, c := range ways[s] {
				looped = looped || differ && c >= 0 && leads(g, ways, g.To[c], int32(s))
			}
		}
		if looped {
			loops[int(lid)] = true
		}
		for src := range int32(g.NumEnds) {
			if src == d.owner[lid] {
				continue
			}
			for sl := range d.sls(src, lid, assigned) {
				dumbSpread(g, d, ways, g.EndSwitch[src], sl, looped, deps)
			}
		}
	}
	return loops, deps
}

// leads reports whether entries lead from one switch to another.
func leads(g *fabric.Graph, ways [][2]int32, from, to int32) bool {
	seen := map[int32]bool{from: true}
	list := []int32{from}
	for i := 0; i < len(list); i++ {
		if list[i] == to {
			return true
		}
		for _, c := range ways[list[i]] {
			if c >= 0 && !seen[g.To[c]] {
				seen[g.To[c]] = true
				list = append(list, g.To[c])
			}
		}
	}
	return false
}

func dumbSpread(g *fabric.Graph, d *dumb, ways [][2]int32, from int32, sl uint8, looped bool, deps map[dumbDep]bool) {
	seen := map[int32]bool{from: true}
	list := []int32{from}
	for i := 0; i < len(list); i++ {
		s := list[i]
		for kind, c := range ways[s] {
			if c < 0 {
				continue
			}
			t := g.To[c]
			for then, e := range ways[t] {
				if e < 0 || looped && kind != then && ways[s][0] != ways[s][1] && ways[t][0] != ways[t][1] {
					continue
				}
				deps[dumbDep{dumbNode{c, d.vl(s, 0, g.FromPort[c], sl)}, dumbNode{e, d.vl(t, 0, g.FromPort[e], sl)}}] = true
			}
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
}

// cyclicDeps takes away nodes to which nothing leads, as long as there are any.
func cyclicDeps(deps map[dumbDep]bool) bool {
	for {
		into := map[dumbNode]bool{}
		for d := range deps {
			into[d.to] = true
		}
		taken := 0
		for d := range deps {
			if !into[d.from] {
				delete(deps, d)
				taken++
			}
		}
		if taken == 0 {
			return len(deps) > 0
		}
	}
}

// TestMix compares with dumbMix: two engines' tables in one subnet, and tables with some
// entries changed at random.
func TestMix(t *testing.T) {
	seen := map[[2]bool]int{}
	for _, formula := range []string{"rlft(4,2)", "torus(3x3,hosts=1)", "random(switches=8,hosts=1,links=16,seed=1)", "kautz(2,2,hosts=9)"} {
		for _, engines := range [][2]string{{"updn", "updn"}, {"minhop", "dfsssp"}, {"nue", "updn"}, {"lash", "lash"}, {"dfsssp", "dfsssp"}} {
			for seed := range uint64(4) {
				g, old := plan(t, formula, engines[0], 0, nil)
				_, now := plan(t, formula, engines[1], 0, nil)
				scatter(g, old, now, rand.New(rand.NewPCG(seed, 1)), int(seed)*2)
				got, err := Mix(t.Context(), g, old, g, now, Options{Workers: 1 + int(seed)%2}, Writing{Lanes: OfNew, Choices: OfNew})
				if err != nil {
					t.Fatal(err)
				}
				loops, deps := dumbMix(g, old.Tables, now)
				cyclic := cyclicDeps(deps)
				if got.LoopLIDs != len(loops) || (got.Deadlock.DeadlockFree == No) != cyclic || got.OK != (len(loops) == 0 && !cyclic) {
					t.Fatalf("%s %v %d: %+v, want %d loops, cyclic %v", formula, engines, seed, got, len(loops), cyclic)
				}
				if cyclic != (len(got.VLs) > 0) || cyclic != (len(got.Deadlock.Cycle) > 0) {
					t.Fatalf("no witness of a deadlock: %+v", got)
				}
				for _, r := range got.Loops {
					isRing(t, g, old.Tables, now.Tables, r)
				}
				seen[[2]bool{len(loops) > 0, cyclic}]++
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("not all verdicts were met: %v", seen)
	}
}

// TestMixTurn: a switch sends packets back to the one that it gets them from.
func TestMixTurn(t *testing.T) {
	g, old := plan(t, "mesh(3x1,hosts=1)", "updn", 0, nil)
	_, now := plan(t, "mesh(3x1,hosts=1)", "updn", 0, nil)
	lid := fabric.LID(0) // of an end at one end of the line
	for end, s := range g.EndSwitch {
		if len(g.OutOf(s)) == 1 {
			lid = now.Ends.Base[end]
			for _, c := range g.OutOf(g.To[g.OutOf(s)[0]]) {
				if g.To[c] != s {
					now.Tables.Set(g.From[c], lid, g.FromPort[c])
				}
			}
			break
		}
	}
	got, err := Mix(t.Context(), g, old, g, now, Options{}, Writing{})
	if err != nil || got.OK || got.LIDs != 1 || got.LoopLIDs != 1 || len(got.Loops[0].Switches) != 2 || got.Loops[0].LID != lid {
		t.Fatalf("%+v, %v", got, err)
	}
	loops, deps := dumbMix(g, old.Tables, now)
	if cyclic := cyclicDeps(deps); len(loops) != 1 || cyclic != (got.Deadlock.DeadlockFree == No) {
		t.Errorf("%d loops, cyclic %v, %+v", len(loops), cyclic, got)
	}
}

// TestMixBetween: with tables between, what can happen is what can happen between each two that
// follow each other.
func TestMixBetween(t *testing.T) {
	seen := map[[2]bool]int{}
	for _, formula := range []string{"rlft(4,2)", "torus(3x3,hosts=1)", "random(switches=8,hosts=1,links=16,seed=1)"} {
		for seed := range uint64(8) {
			g, old := plan(t, formula, "updn", 0, nil)
			_, now := plan(t, formula, "updn", 0, nil)
			rng := rand.New(rand.NewPCG(seed, 2))
			steps := []*route.Tables{old.Tables}
			for range seed % 3 {
				_, other := plan(t, formula, "updn", 0, nil)
				scatter(g, other, now, rng, 1+int(seed)/4)
				steps = append(steps, other.Tables)
			}
			steps = append(steps, now.Tables)
			got, err := Mix(t.Context(), g, old, g, now, Options{Workers: 1}, Writing{Between: steps[1 : len(steps)-1]})
			if err != nil {
				t.Fatal(err)
			}
			loops, deps := map[int]bool{}, map[dumbDep]bool{}
			for i, tables := range steps[1:] {
				step := *now
				step.Tables = tables
				l, d := dumbMix(g, steps[i], &step)
				maps.Copy(loops, l)
				maps.Copy(deps, d)
			}
			cyclic := cyclicDeps(deps)
			if got.LoopLIDs != len(loops) || (got.Deadlock.DeadlockFree == No) != cyclic {
				t.Fatalf("%s %d: %+v, want %d loops, cyclic %v", formula, seed, got, len(loops), cyclic)
			}
			seen[[2]bool{len(loops) > 0, cyclic}]++
		}
	}
	if len(seen) != 3 {
		t.Errorf("not all verdicts were met: %v", seen)
	}
}

// scatter sends some entries of the new Plan, of LIDs of other switches, elsewhere.
func scatter(g *fabric.Graph, old, now *route.Plan, rng *rand.Rand, n int) {
	for range n {
		end, s := rng.Int32N(int32(g.NumEnds)), rng.Int32N(int32(g.NumSwitches))
		if out := g.OutOf(s); g.EndSwitch[end] != s {
			now.Tables.Set(s, now.Ends.Base[end], g.FromPort[out[rng.IntN(len(out))]])
			old.Tables.Set(s, now.Ends.Base[end], g.FromPort[out[rng.IntN(len(out))]])
		}
	}
}

// isRing fails unless old or new entries lead round the switches of a ring.
func isRing(t *testing.T, g *fabric.Graph, old, now *route.Tables, r LIDLoop) {
	t.Helper()
	for i, name := range r.Switches {
		next := r.Switches[(i+1)%len(r.Switches)]
		joined := false
		for s := range int32(g.NumSwitches) {
			for _, tables := range []*route.Tables{old, now} {
				c, _ := g.At(s, tables.Port(s, r.LID))
				joined = joined || c >= 0 && g.SwitchPort(s, 0) == name && g.SwitchPort(g.To[c], 0) == next
			}
		}
		if !joined {
			t.Fatalf("%v: %v and %v are not joined", r.LID, name, next)
		}
	}
}
