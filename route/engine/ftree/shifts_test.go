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

// damagedTree returns what rebalance starts with on a damaged tree.
func damagedTree(t *rapid.T) (*route.Input, *reachability, *linkLoads) {
	formula := rapid.SampledFrom([]string{"rlft(8,2)", "rlft(6,3)", "xgft(2;6,6;3,4)", "pgft(2;4,4;1,2;1,2)", "odin", "rlft(8,2)|without(hosts=5)"}).Draw(t, "formula")
	formula += fmt.Sprintf("|fail(links=%d,seed=%d)", rapid.IntRange(1, 8).Draw(t, "failed"), rapid.IntRange(1, 1000).Draw(t, "seed"))
	tr := recognise(drawn(t, formula), nil, nil)
	in := &route.Input{Graph: tr.G, Workers: 1}
	var err error
	if in.Ends, err = lids.Assign(tr.G, lids.Options{}); err != nil {
		t.Fatal(err)
	}
	l := orderLIDs(tr, &in.Ends, newHostKinds(in, none), false)
	r, err := newReachability(t.Context(), tr, tr.orderByLevel(), l.placeOf, noLinks, 1)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := closedForm(t.Context(), in, r, l, tr.InferWhole())
	if err != nil {
		t.Fatal(err)
	}
	return in, r, newLinkLoads(in, tr, l, tables)
}

// sumOfShifts adds up the largest number of packets on a channel of every round of all-to-all by
// shifts.
func sumOfShifts(g *fabric.Graph, ends *route.Ends, tables *route.Tables) (sum int) {
	hosts := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(end int32) bool { return !g.IsHost(end) })
	slices.SortStableFunc(hosts, func(a, b int32) int { return int(g.EndSwitch[a]) - int(g.EndSwitch[b]) })
	for by := 1; by < len(hosts); by++ {
		packets := make([]int, g.NumChannels)
		for i, from := range hosts {
			to := hosts[(i+by)%len(hosts)]
			for s := g.EndSwitch[from]; s != g.EndSwitch[to]; {
				c, _ := g.At(s, tables.Port(s, ends.Base[to]))
				if c < 0 {
					break // joined later
				}
				packets[c]++
				s = g.To[c]
			}
		}
		sum += slices.Max(packets)
	}
	return sum
}

// TestShifts: packets are counted as a walk of the tables counts them, also after paths have moved.
func TestShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { countShifts(t) })
}

// TestLessCongestion: over many networks, the same ones in every run, shifts have at least 5 % less
// congestion.
func TestLessCongestion(t *testing.T) {
	networks := rapid.Custom(func(t *rapid.T) [2]int { return countShifts(t) })
	before, after := 0, 0
	for seed := range 300 {
		sums := networks.Example(seed)
		before, after = before+sums[0], after+sums[1]
	}
	if 20*after > 19*before {
		t.Errorf("congestion %d before, %d after", before, after)
	}
}

// countShifts returns the congestion of shifts in a network before and after paths are chosen by
// it. It fails where packets are not counted as a walk of the tables does.
func countShifts(t *rapid.T) [2]int {
	in, r, loads := damagedTree(t)
	if rapid.Bool().Draw(t, "large") {
		loads.ways = nil // as where they take too much memory
	}
	if err := loads.measure(t.Context(), r, baseLIDs, 1); err != nil {
		t.Fatal(err)
	}
	b := newRebalancer(r, loads, baseLIDs, rapid.IntRange(1, 3).Draw(t, "workers"))
	if _, err := b.sweep(t.Context(), b.relieve); err != nil {
		t.Fatal(err)
	}
	before := sumOfShifts(in.Graph, &in.Ends, loads.tables)
	s, err := b.newShifts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.setScale(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.sweep(t.Context(), s.choose); err != nil {
			t.Fatal(err)
		}
	}
	moved := slices.Clone(s.packets)
	if err := s.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(moved, s.packets) {
		t.Fatal("the packets counted are not those of the tables")
	}
	return [2]int{before, sumOfShifts(in.Graph, &in.Ends, loads.tables)}
}
