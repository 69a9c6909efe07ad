package ftree

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/lids"
)

// mostLoaded is the largest number of paths between hosts on a channel.
func mostLoaded(g *fabric.Graph, plan *route.Plan) int {
	return slices.Max(pathsOn(g, plan.Tables, &plan.Ends))
}

// pathsOn counts the paths of all pairs of hosts by channel.
func pathsOn(g *fabric.Graph, tables *route.Tables, ends *route.Ends) []int {
	on := make([]int, g.NumChannels)
	for h := range int32(g.NumHosts) {
		for k := range ends.Count(h) {
			walk(g, tables, g.EndSwitch[h], ends.Base[h]+fabric.LID(k), func(s, c int32) { on[c] += len(g.HostsOf(s)) })
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
	l := orderLIDs(tr, &in.Ends, newHostKinds(in, none), false)
	r, err := newReachability(t.Context(), tr, tr.orderByLevel(), l.placeOf, noLinks, 1)
	if err != nil {
		t.Fatal(err)
	}
	return in, r, l
}

// cheapest is the load of the best way from every switch, and its hops.
func cheapest(r *reachability, x int32, on []int) (dist, hops []int) {
	g := r.t.G
	dist, hops = make([]int, g.NumSwitches), make([]int, g.NumSwitches)
	block, j := &r.blocks[r.place[x]/blockTargets], r.place[x]%blockTargets
	for k := 1; k < len(block.hops); k++ {
		for s := range int32(g.NumSwitches) {
			if !block.hops[k][s].contains(j) {
				continue
			}
			hops[s], dist[s] = k, 1<<60
			first, last := r.t.BundlesOf(s)
			for i := first; i < last; i++ {
				for _, p := range r.t.PortsOf(i) {
					if c, _ := g.At(s, p); block.isNextHop(r, s, i, j, k) {
						dist[s] = min(dist[s], on[c]+dist[g.To[c]])
					}
				}
			}
		}
	}
	return dist, hops
}

// TestRebalance: it counts the paths right, and leads them over shortest legal ways only.
// A LID that chooses again takes ways of the least load that there are, by the paths to all
// others, found by trying until nothing gets better, or ways that are little worse.
func TestRebalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, r, l := degraded(t)
		g, numbers := in.Graph, lidNumbers{0, 1 << in.Ends.MaxLMC()}
		tables, err := closedForm(t.Context(), in, r, l, r.t.InferWhole())
		if err != nil {
			t.Fatal(err)
		}
		loads := newLinkLoads(in, r.t, l, tables)
		if rapid.Bool().Draw(t, "large") {
			loads.ways = nil // as where they take too much memory
		}
		if err := loads.measure(t.Context(), r, numbers, 1); err != nil {
			t.Fatal(err)
		}
		b := newRebalancer(r, loads, numbers, 1)
		if _, err := b.sweep(t.Context(), b.relieve); err != nil {
			t.Fatal(err)
		}
		on := pathsOn(g, tables, &in.Ends)
		for s := range int32(g.NumSwitches) {
			first, last := r.t.BundlesOf(s)
			for i := first; i < last; i++ {
				for n, port := range r.t.PortsOf(i) {
					if c, _ := g.At(s, port); int64(on[c]*perPath) != b.price[int(r.t.LinkStart[i])+n] {
						t.Fatalf("from %d by port %d: %d paths, their price is %d", s, port, on[c], b.price[int(r.t.LinkStart[i])+n])
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
		at := rapid.SampledFrom(b.lids).Draw(t, "lid")
		walk(g, tables, g.EndSwitch[at.end], at.lid, func(s, c int32) { on[c] -= len(g.HostsOf(s)) })
		b.near = 0
		b.follow(at)
		b.count(b.price, -1)
		b.choose()
		b.count(b.price, 1)
		b.write(at.lid)
		dist, hops := cheapest(r, g.EndSwitch[at.end], on)
		sum := make([]int, g.NumSwitches)
		walk(g, tables, g.EndSwitch[at.end], at.lid, func(s, c int32) { sum[s] += on[c] })
		for s, least := range dist {
			worth := perPath * float64(sum[s]) * math.Pow(1-1./leastGain, float64(hops[s])) // moving at any hop
			if worth > float64(perPath*least+hops[s]) && len(g.HostsOf(int32(s))) > 0 {
				t.Fatalf("to LID %d: load of the way from %d is %d, the least is %d", at.lid, s, sum[s], least)
			}
		}
	})
}

// walk visits the channels of the paths of all switches to a LID.
func walk(g *fabric.Graph, tables *route.Tables, target int32, lid fabric.LID, visit func(s, channel int32)) {
	for s := range int32(g.NumSwitches) {
		for at := s; at != target; {
			c, _ := g.At(at, tables.Port(at, lid))
			if c < 0 {
				break
			}
			visit(s, c)
			at = g.To[c]
		}
	}
}

func onWay(r *reachability, block *targetBlock, s, j int32, k int, port uint8) bool {
	first, last := r.t.BundlesOf(s)
	for i := first; i < last; i++ {
		if slices.Contains(r.t.PortsOf(i), port) {
			return block.isNextHop(r, s, i, j, k)
		}
	}
	return false
}

// TestAuto: on trees that no formula fits, fewer pairs of packets to different hosts meet on
// a channel than by the closed form and by the papers' forms.
func TestAuto(t *testing.T) {
	for _, formula := range []string{
		"over384", "racks648|fail(links=20,seed=1)", "fat648|fail(links=5,seed=1)", "rlft(8,3)|fail(share=0.1,links=up,seed=1)",
		"racks216|fail(share=0.2,links=up,seed=1)",
	} {
		g := graph(t, formula)
		ours := meetings(g, routed(t, g, ""))
		for _, balance := range []string{closed, zahavi, beft} {
			if other := meetings(g, routed(t, g, "balance="+balance)); ours >= other {
				t.Errorf("%s: %d pairs of packets may meet, %d by %s", formula, ours, other, balance)
			}
		}
	}
}

// meetings counts the pairs of paths between hosts that share a channel and lead to different
// hosts.
func meetings(g *fabric.Graph, plan *route.Plan) int {
	all, alike := pathsOn(g, plan.Tables, &plan.Ends), 0
	for h := range int32(g.NumHosts) {
		on := map[int32]int{}
		walk(g, plan.Tables, g.EndSwitch[h], plan.Ends.Base[h], func(s, c int32) { on[c] += len(g.HostsOf(s)) })
		for _, n := range on {
			alike += n * n
		}
	}
	sum := 0
	for _, n := range all {
		sum += n * n
	}
	return sum - alike
}

// TestSlowLink: hosts leave a link alone that is much slower than the others. Where links are slow
// by level, the closed form stays.
func TestSlowLink(t *testing.T) {
	for _, all := range []bool{false, true} {
		f, err := gen.Parse("rlft(8,3)")
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Links {
			l := &f.Links[i]
			if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
				l.Speed = fabric.SDR
				if !all {
					break
				}
			}
		}
		g := f.Compile()
		plan := routed(t, g, "")
		if all {
			byFormula := routed(t, g, "balance=closed")
			if !slices.Equal(pathsOn(g, plan.Tables, &plan.Ends), pathsOn(g, byFormula.Tables, &byFormula.Ends)) {
				t.Error("links of one speed are not balanced by the closed form")
			}
			continue
		}
		for c, n := range pathsOn(g, plan.Tables, &plan.Ends) {
			if g.ChanRate[c] < slices.Max(g.ChanRate) && n > 0 {
				t.Errorf("%d paths on a slow link", n)
			}
		}
	}
}
