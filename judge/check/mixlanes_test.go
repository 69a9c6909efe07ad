package check

import (
	"maps"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/route"
)

// dumbMixLanes walks every packet over all mixtures of two tables, on the SLs and the VLs that
// either Plan gives it.
func dumbMixLanes(g *fabric.Graph, before, after *route.Plan, part Writing) (loops map[int]bool, deps map[dumbDep]bool) {
	pick := func(of Of) (list []*dumb) {
		if of.old() {
			list = append(list, newDumb(g, before))
		}
		if of.new() {
			list = append(list, newDumb(g, after))
		}
		return list
	}
	choices, lanes, from := pick(part.Choices), pick(part.Lanes), before.Tables
	if part.From != nil {
		from = part.From
	}
	then := func(s int32, in, out, sl uint8) map[uint8]bool {
		set := map[uint8]bool{}
		for _, d := range lanes {
			if d.known() {
				set[d.vl(s, in, out, sl)] = true
				continue
			}
			for vl := range uint8(8) {
				set[vl] = true
			}
		}
		return set
	}
	vls := func(s int32, out, sl uint8) map[uint8]bool {
		set := map[uint8]bool{}
		for in := range uint8(g.SwitchPorts[s] + 1) {
			maps.Copy(set, then(s, in, out, sl))
		}
		return set
	}
	loops, deps = map[int]bool{}, map[dumbDep]bool{}
	for lid, owner := range newDumb(g, after).owner {
		differ, looped := false, false
		ways := make([][2]int32, g.NumSwitches)
		for s := range ways {
			was, _ := g.At(int32(s), from.Port(int32(s), lid))
			now, _ := g.At(int32(s), after.Tables.Port(int32(s), lid))
			ways[s] = [2]int32{was, now}
			differ = differ || from.Port(int32(s), lid) != after.Tables.Port(int32(s), lid)
		}
		for s := range ways {
			for _, c := range ways[s] {
				looped = looped || differ && c >= 0 && leads(g, ways, g.To[c], int32(s))
			}
		}
		if looped {
			loops[int(lid)] = true
		}
		for src := range int32(g.NumEnds) {
			if src == owner {
				continue
			}
			for _, d := range choices {
				for sl := range d.sls(src, lid, assigned) {
					dumbFollow(g, ways, g.EndSwitch[src], looped, func(c, e int32) {
						t := g.To[c]
						for v := range vls(g.From[c], g.FromPort[c], sl) {
							for w := range then(t, g.ToPort[c], g.FromPort[e], sl) {
								if v != route.DropVL && w != route.DropVL {
									deps[dumbDep{dumbNode{c, v}, dumbNode{e, w}}] = true
								}
							}
						}
					})
				}
			}
		}
	}
	return loops, deps
}

// dumbFollow shows each two channels that a packet from a switch may take one after the other.
func dumbFollow(g *fabric.Graph, ways [][2]int32, from int32, looped bool, show func(c, e int32)) {
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
				if e >= 0 && !(looped && kind != then && ways[s][0] != ways[s][1] && ways[t][0] != ways[t][1]) {
					show(c, e)
				}
			}
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
}

// TestMixLanes compares with dumbMixLanes: Plans whose lanes differ, all of the change and parts of
// it.
func TestMixLanes(t *testing.T) {
	seen, stale := map[[2]bool]int{}, 0
	engines := [][2]string{{"minhop", "dfsssp"}, {"dfsssp", "updn"}, {"lash", "dfsssp"}, {"torus", "dor"}, {"dfsssp", "dfsssp"}, {"dor", "lash"}, {"dfsssp", "nue"}, {"valiant", "dfsssp"}, {"minhop", "valiant"}}
	byInput := 0
	for _, formula := range []string{"torus(5x4,hosts=1)", "torus(3x3,hosts=2)", "kautz(2,2,hosts=9)", "dragonfly(2,1,1)"} {
		for i, names := range engines {
			for seed := range uint64(6) {
				if torus := formula[0] == 't'; !torus && (i == 3 || i == 5) || (formula[0] != 'd') == (i > 6) {
					continue
				}
				g, old := plan(t, formula, names[0], 0, nil)
				_, now := plan(t, formula, names[1], 0, nil)
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				scatter(g, old, now, rng, rng.IntN(3))
				relane(g, now, rng, rng.IntN(4))
				part := Writing{Lanes: Of(rng.IntN(3)), Choices: Of(rng.IntN(3))}
				if rng.IntN(3) == 0 {
					part.From = now.Tables
				}
				got, err := Mix(t.Context(), g, old, g, now, Options{Workers: 1 + int(seed)%2}, part)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Lanes {
					part.Lanes, part.Choices = OfNew, OfNew
				}
				loops, deps := dumbMixLanes(g, old, now, part)
				cyclic := cyclicDeps(deps)
				if got.LoopLIDs != len(loops) || (got.Deadlock.DeadlockFree != Yes) != cyclic {
					t.Fatalf("%s %v %d %+v: %d loops, %v; want %d loops, cyclic %v", formula, names, seed, part, got.LoopLIDs, got.Deadlock.DeadlockFree, len(loops), cyclic)
				}
				if (got.StalePairs > 0) != (len(got.Stale) > 0) {
					t.Fatalf("%+v", got)
				}
				stale += got.StalePairs
				for _, p := range []*route.Plan{old, now} {
					if p.SL2VL != nil && p.SL2VL.Switch[0].By == route.ByInOut {
						byInput++
					}
				}
				seen[[2]bool{cyclic, got.Lanes}]++
			}
		}
	}
	if len(seen) < 3 || stale == 0 || byInput == 0 {
		t.Errorf("not all verdicts were met: %v, %d stale pairs, %d by input", seen, stale, byInput)
	}
}

// relane gives other SLs to some pairs of classes, and other VLs to an SL at some switches.
func relane(g *fabric.Graph, p *route.Plan, rng *rand.Rand, n int) {
	if p.SL == nil {
		return
	}
	for range n {
		p.SL.Set(rng.Int32N(int32(p.SL.NumSrc)), rng.Int32N(int32(p.SL.NumDst)), uint8(rng.IntN(3)))
		if rng.IntN(2) == 0 {
			table := p.SL2VL.Pool[0]
			table[rng.IntN(3)] = []uint8{0, 1, 2, route.DropVL}[rng.IntN(4)]
			s := rng.IntN(g.NumSwitches)
			sw := &p.SL2VL.Switch[s]
			*sw = route.SwitchSL2VL{By: sw.By, Index: append([]uint16(nil), sw.Index...)}
			sw.Index[rng.IntN(len(sw.Index))] = p.SL2VL.Intern(table)
		}
	}
}
