package ftree

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/shape/fattree"
	"weft/route"
	"weft/route/lids"
)

// damagedPGFT draws a PGFT and the same with some links failed, of which none falls apart into more
// groups.
func damagedPGFT(t *rapid.T) (whole, damaged *tree) {
	formula := rapid.SampledFrom([]string{"rlft(6,3)", "rlft(8,2)", "xgft(3;3,4,3;2,3,2)", "pgft(2;4,4;1,2;1,2)", "karytree(4,3)"}).Draw(t, "formula")
	failed := fmt.Sprintf("|fail(share=%.2f,links=up,seed=%d)", float64(rapid.IntRange(0, 10).Draw(t, "failed"))/100, rapid.IntRange(1, 1000).Draw(t, "seed"))
	whole, damaged = recognise(drawn(t, formula), nil, nil), recognise(drawn(t, formula+failed), nil, nil)
	if !slices.Equal(whole.Level, damaged.Level) || !slices.Equal(groupSizes(whole), groupSizes(damaged)) {
		t.Skip("levels or groups differ")
	}
	return whole, damaged
}

// groupSizes lists the numbers of switches in the groups of all levels: those that the links
// between two levels join.
func groupSizes(t *tree) (sizes []int) {
	for h := range t.Top {
		seen := make([]bool, t.G.NumSwitches)
		for first, level := range t.Level {
			if level != h || seen[first] {
				continue
			}
			seen[first] = true
			group := []int32{int32(first)}
			for i := 0; i < len(group); i++ {
				for _, v := range t.NeighboursOf(group[i]) {
					if t.Level[v]+t.Level[group[i]] == 2*h+1 && !seen[v] {
						seen[v] = true
						group = append(group, v)
					}
				}
			}
			sizes = append(sizes, len(group))
		}
	}
	return sizes
}

// TestClosedFormOfTheWhole: where the way that a LID has in the whole tree is left, it keeps that.
func TestClosedFormOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, is := damagedPGFT(t)
		if !slices.Equal(was.Leaves, is.Leaves) {
			t.Skip("the order of leaves differs")
		}
		want := closedTables(t, was, nil)
		got := closedTables(t, is, is.InferWhole())
		to := func(g *fabric.Graph, s int32, port uint8) int32 {
			c, _ := g.At(s, port)
			return g.To[c]
		}
		for s := range int32(is.G.NumSwitches) {
			for h := range int32(is.G.NumHosts) {
				old, port := want.Port(s, fabric.LID(h+1)), got.Port(s, fabric.LID(h+1))
				if port != route.NoPort && is.G.EndSwitch[h] != s && to(is.G, s, port) != to(was.G, s, old) {
					t.Fatalf("switch %d sends LID %d to switch %d, in the whole tree to %d", s, h+1, to(is.G, s, port), to(was.G, s, old))
				}
			}
		}
	})
}

// closedTables routes by the closed form, with LIDs in the order of end ports.
func closedTables(t *rapid.T, tr *tree, whole *fattree.Whole) *route.Tables {
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
	tables, err := closedForm(t.Context(), in, r, l, whole)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}
