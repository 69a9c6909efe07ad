package ftree

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// mostLoaded is the largest number of paths between hosts on a channel.
func mostLoaded(g *fabric.Graph, plan *route.Plan) int {
	return slices.Max(pathsOn(g, plan.Tables, &plan.Ends))
}

// pathsOn walks the paths of all pairs of hosts.
func pathsOn(g *fabric.Graph, tables *route.Tables, ends *route.Ends) []int {
	on := make([]int, g.NumChannels)
	for h := range int32(g.NumHosts) {
		for k := range ends.Count(h) {
			for s := range int32(g.NumSwitches) {
				for at := s; at != g.EndSwitch[h]; {
					c, _ := g.At(at, tables.Port(at, ends.Base[h]+fabric.LID(k)))
					if c < 0 {
						break
					}
					on[c] += len(g.HostsOf(s))
					at = g.To[c]
				}
			}
		}
	}
	return on
}

// degraded draws a small tree with failures, and what an engine would make of it.
func degraded(t *rapid.T) (*route.Input, *reachability, *lidOrder) {
	formula := rapid.SampledFrom([]string{
		"rlft(6,3)", "rlft(8,2)", "xgft(2;6,4;3,2;hosts=50)", "pgft(2;4,4;1,2;1,2)", "karytree(3,3)", "racks216|hosts(even=4,odd=2)", "rlft(6,3)|ports(2)",
	}).Draw(t, "formula")
	formula += fmt.Sprintf("|fail(share=%.2f,links=up,seed=%d)", float64(rapid.IntRange(0, 30).Draw(t, "failed"))/100, rapid.IntRange(1, 1000).Draw(t, "seed"))
	g := drawn(t, formula)
	in := &route.Input{Graph: g, Workers: 1}
	var err error
	if in.Ends, err = lids.Assign(g, lids.Options{LMC: uint8(rapid.IntRange(0, 1).Draw(t, "lmc"))}); err != nil {
		t.Fatal(err)
	}
	tr := recognise(g, nil, nil)
	l := orderLIDs(tr, &in.Ends, newHostKinds(g, nil, none), false)
	r, err := newReachability(t.Context(), tr, tr.orderByLevel(), l.placeOf, noLinks, 1)
	if err != nil {
		t.Fatal(err)
	}
	return in, r, l
}

// TestByLoad: every LID in its turn takes the ways of least load that there are, by all
// paths before it, found by trying until nothing gets better.
func TestByLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, r, l := degraded(t)
		g := in.Graph
		tables, err := routeByLoad(t.Context(), in, r, l)
		if err != nil {
			t.Fatal(err)
		}
		on := make([]int, g.NumChannels)
		for k := range 1 << in.Ends.MaxLMC() {
			for _, x := range l.switches {
				for _, end := range append(slices.Clone(g.HostsOf(x)), g.PortZero(x)) {
					if k >= in.Ends.Count(end) {
						continue
					}
					lid := in.Ends.Base[end] + fabric.LID(k)
					dist, hops := cheapest(r, x, on)
					for s := range int32(g.NumSwitches) {
						sum := 0
						for at := s; at != x && hops[s] > 0; {
							c, _ := g.At(at, tables.Port(at, lid))
							sum += on[c]
							at = g.To[c]
						}
						if sum != dist[s] {
							t.Fatalf("from %d to LID %d: load %d, the least is %d", s, lid, sum, dist[s])
						}
					}
					for s := range int32(g.NumSwitches) {
						for at := s; at != x && hops[s] > 0 && end < int32(g.NumHosts); {
							c, _ := g.At(at, tables.Port(at, lid))
							on[c] += len(g.HostsOf(s))
							at = g.To[c]
						}
					}
				}
			}
		}
	})
}

// cheapest is the load of the best way from every switch, and its hops.
func cheapest(r *reachability, x int32, on []int) (dist, hops []int) {
	g := r.t.g
	dist, hops = make([]int, g.NumSwitches), make([]int, g.NumSwitches)
	block, j := &r.blocks[r.place[x]/blockTargets], r.place[x]%blockTargets
	for k := 1; k < len(block.hops); k++ {
		for s := range int32(g.NumSwitches) {
			if !block.hops[k][s].contains(j) {
				continue
			}
			hops[s], dist[s] = k, 1<<60
			first, last := r.t.bundlesOf(s)
			for i := first; i < last; i++ {
				for _, p := range r.t.portsOf(i) {
					if c, _ := g.At(s, p); block.isNextHop(r, s, i, j, k) {
						dist[s] = min(dist[s], on[c]+dist[g.To[c]])
					}
				}
			}
		}
	}
	return dist, hops
}

// TestRebalance: it counts the paths right, leads them over shortest legal ways only, and no
// link carries more than any did: as for small trees, and as for large ones.
func TestRebalance(t *testing.T) {
	relieved := 0
	rapid.Check(t, func(t *rapid.T) {
		in, r, l := degraded(t)
		g := in.Graph
		tables, err := closedForm(t.Context(), in, r, l)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Max(pathsOn(g, tables, &in.Ends))
		w := newRebalancer(in, newLinkLoads(in, r.t, l, tables), columns{0, 1 << in.Ends.MaxLMC()}, false)
		w.limits.thorough = rapid.Bool().Draw(t, "thorough")
		if err := w.run(t.Context(), r, w.targets(), rapid.IntRange(1, 4).Draw(t, "at once")); err != nil {
			t.Fatal(err)
		}
		on := pathsOn(g, tables, &in.Ends)
		if after := slices.Max(on); after > before {
			t.Fatalf("the most loaded link has %d paths, had %d", after, before)
		} else if after < before {
			relieved++
		}
		for s := range int32(g.NumSwitches) {
			first, last := r.t.bundlesOf(s)
			for i := first; i < last; i++ {
				for n, port := range r.t.portsOf(i) {
					if c, _ := g.At(s, port); int64(on[c]) != w.load[int(r.t.linkStart[i])+n] {
						t.Fatalf("from %d by port %d: %d paths, counted %d", s, port, on[c], w.load[int(r.t.linkStart[i])+n])
					}
				}
			}
		}
		for _, run := range l.runs {
			block, j := &r.blocks[run.place/blockTargets], run.place%blockTargets
			for s := range int32(g.NumSwitches) {
				for k := 1; k < len(block.hops); k++ {
					if block.hops[k][s].contains(j) && !onWay(r, block, s, j, k, tables.Port(s, run.lid)) {
						t.Fatalf("from %d to LID %d: port %d is on no way", s, run.lid, tables.Port(s, run.lid))
					}
				}
			}
		}
	})
	t.Logf("%d trees have fewer paths on their most loaded link", relieved)
}

func onWay(r *reachability, block *targetBlock, s, j int32, k int, port uint8) bool {
	first, last := r.t.bundlesOf(s)
	for i := first; i < last; i++ {
		if slices.Contains(r.t.portsOf(i), port) {
			return block.isNextHop(r, s, i, j, k)
		}
	}
	return false
}

// TestAuto: on trees that no formula fits, the most loaded link has fewer paths than by
// the closed form, the classic order and the load of ways alone.
func TestAuto(t *testing.T) {
	for _, formula := range []string{
		"over384", "racks648|fail(links=1,seed=1)", "racks648|fail(links=20,seed=1)", "fat648|fail(links=5,seed=1)",
		"rlft(8,3)|fail(share=0.1,links=up,seed=1)", "racks216|fail(share=0.2,links=up,seed=1)",
	} {
		g := graph(t, formula)
		ours := mostLoaded(g, routed(t, g, ""))
		for _, balance := range []string{closed, zahavi, beft} {
			if other := mostLoaded(g, routed(t, g, "balance="+balance)); ours >= other {
				t.Errorf("%s: %d paths on the most loaded link, %s has %d", formula, ours, balance, other)
			}
		}
	}
}
