package ftree

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/recipe"
)

// TestVFtree: lanes are the same both ways, and the destinations that share a link
// up from a leaf are spread: with 8 lanes at most two of the 7 share one (being the
// same both ways costs lanes, as paper II says).
func TestVFtree(t *testing.T) {
	g := graph(t, "rlft(8,2)")
	for _, lanes := range []string{"2", "3", "7", "8"} {
		plan := routed(t, g, "lanes=vftree vls="+lanes)
		if r := judged(t, g, plan); !r.OK {
			t.Fatalf("%s lanes: deadlock-free %v", lanes, r.DeadlockFree)
		}
		used := map[uint8]int{}
		for a := range int32(g.NumHosts) {
			for b := range int32(g.NumHosts) {
				there, back := plan.SL.At(a, plan.Ends.Base[b]), plan.SL.At(b, plan.Ends.Base[a])
				if there != back {
					t.Fatalf("%s lanes: SL %d there, %d back", lanes, there, back)
				}
				used[there]++
			}
		}
		if len(used) != plan.VLs {
			t.Errorf("%s lanes: %d used", lanes, len(used))
		}
	}
	plan := routed(t, g, "lanes=vftree vls=8")
	for s := range int32(g.NumSwitches) {
		hosts := g.HostsOf(s)
		if len(hosts) == 0 {
			continue
		}
		taken := map[[2]uint8]int{}
		for h := range int32(g.NumHosts) {
			if g.EndSwitch[h] == s {
				continue
			}
			lid := plan.Ends.Base[h]
			key := [2]uint8{plan.Tables.Port(s, lid), plan.SL.At(hosts[0], lid)}
			if taken[key]++; taken[key] > 2 {
				t.Errorf("from leaf %d, %d hosts share link %d and lane %d", s, taken[key], key[0], key[1])
			}
		}
	}
}

// algorithm1 is algorithm 1 of paper II as printed: the lane of every two of n leaves. Line 17
// brings lanes back below the largest one; line 3 can leave a lane that is missing for an odd
// number of lanes, which is taken modulo that number.
func algorithm1(n, lanes int) [][]int {
	vl, set := make([][]int, n), make([][]bool, n)
	for i := range n {
		vl[i], set[i] = make([]int, n), make([]bool, n)
	}
	for src := range n {
		next := src * 2 % lanes
		if src*2/lanes%2 == 1 {
			next = (src*2%lanes + 1) % lanes
		}
		for dst := range n {
			if dst > src {
				if !set[src][dst] {
					vl[src][dst], set[src][dst] = next, true
				}
				if !set[dst][src] {
					vl[dst][src], set[dst][src] = next, true
				}
				next = (next + 1) % lanes
			}
		}
	}
	return vl
}

// checkAlgorithm1 compares the lanes of all pairs of hosts of a tree with algorithm 1.
func checkAlgorithm1(t interface{ Fatalf(string, ...any) }, g *fabric.Graph, plan *route.Plan, lanes int) {
	leaf := map[int32]int{}
	for _, s := range recognise(g, nil, nil).Leaves {
		leaf[s] = len(leaf)
	}
	want := algorithm1(len(leaf), lanes)
	for a := range int32(g.NumHosts) {
		for b := range int32(g.NumHosts) {
			from, to := leaf[g.EndSwitch[a]], leaf[g.EndSwitch[b]]
			if got := int(plan.SL.At(a, plan.Ends.Base[b])); got != want[from][to] {
				t.Fatalf("%d lanes: from leaf %d to leaf %d on lane %d, want %d", lanes, from, to, got, want[from][to])
			}
		}
	}
}

// TestAlgorithm1: the lanes of whole and damaged trees, oversubscribed or not, are those of
// algorithm 1 of paper II, and the Plans are proven.
func TestAlgorithm1(t *testing.T) {
	trees := []string{"karytree(2,4)", "karytree(3,3)", "mport(8,3)", "rlft(4,3)", "fat648|hosts(even=3,odd=2)", "xgft(2;6,8;1,3)", "pgft(2;12,12;1,6;1,2)", "rlft(8,2)|without(roots=2)", "rlft(8,3)|fail(links=5,seed=2)"}
	for _, radix := range []int{10, 12, 16, 18} {
		for _, hosts := range []int{24, 48, 60, 96, 130} {
			for _, ratio := range []int{1, 2} {
				trees = append(trees, fmt.Sprintf("tree(%d,%d,ratio=%d)", radix, hosts, ratio))
			}
		}
	}
	for _, formula := range trees {
		g := graph(t, formula)
		for _, lanes := range []int{2, 3, 7} {
			plan := routed(t, g, fmt.Sprintf("lanes=vftree vls=%d", lanes))
			if checkAlgorithm1(t, g, plan, lanes); lanes == 3 && !judged(t, g, plan).OK {
				t.Errorf("%s: not proven", formula)
			}
		}
	}
	if len(trees) != 49 {
		t.Errorf("%d trees", len(trees))
	}
}

// TestAlgorithm1Drawn is the same for drawn trees and lanes.
func TestAlgorithm1Drawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		radix := 2 * rapid.IntRange(2, 12).Draw(t, "half of the radix")
		f := fmt.Sprintf("tree(%d,%d,ratio=%g)", radix, rapid.IntRange(radix, 8*radix).Draw(t, "hosts"), rapid.SampledFrom([]float64{1, 1.5, 2, 3}).Draw(t, "ratio"))
		built, err := gen.Parse(f)
		if err != nil {
			t.Skip(err) // too large for the radix
		}
		g := built.Compile()
		lanes := rapid.IntRange(2, 7).Draw(t, "lanes")
		options := map[string]string{"lanes": vftree, "vls": fmt.Sprint(lanes)}
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: Spec(), Options: options, Workers: 2}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		checkAlgorithm1(t, g, plan, lanes)
	})
}
