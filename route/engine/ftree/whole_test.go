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

// damagedPGFT draws a PGFT and the same with some links failed, of which none falls apart into more groups.
func damagedPGFT(t *rapid.T) (whole, damaged *tree) {
	formula := rapid.SampledFrom([]string{"rlft(6,3)", "rlft(8,2)", "xgft(3;3,4,3;2,3,2)", "pgft(2;4,4;1,2;1,2)", "karytree(4,3)"}).Draw(t, "formula")
	failed := fmt.Sprintf("|fail(share=%.2f,links=up,seed=%d)", float64(rapid.IntRange(0, 10).Draw(t, "failed"))/100, rapid.IntRange(1, 1000).Draw(t, "seed"))
	whole, damaged = recognise(drawn(t, formula), nil, nil), recognise(drawn(t, formula+failed), nil, nil)
	if !slices.Equal(whole.level, damaged.level) || !slices.Equal(groupSizes(whole), groupSizes(damaged)) {
		t.Skip("levels or groups differ")
	}
	return whole, damaged
}

// groupSizes lists the numbers of switches in the groups of all levels.
func groupSizes(t *tree) (sizes []int) {
	for h, level := range t.switchesByLevel()[:t.top] {
		for _, g := range t.newLevelPair(level, int32(h)).groups {
			sizes = append(sizes, len(g.low), len(g.high))
		}
	}
	return sizes
}

// TestWhole: from what is left of a PGFT it infers how many links up a switch had, and which switches
// had the same place in different pods.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, is := damagedPGFT(t)
		f, w := was.formula(), is.inferWhole()
		if w == nil {
			t.Fatal("nothing inferred")
		}
		label := was.labels(f)
		for s, h := range was.level {
			if h < was.top && (w.width[h] != int32(f.p[h+1]) || w.ways[s] != int32(f.w[h+1])) {
				t.Fatalf("switch %d of level %d: %d ways of %d links, want %d of %d", s, h, w.ways[s], w.width[h], f.w[h+1], f.p[h+1])
			}
			for v, other := range was.level {
				sameBelow := h > 0 && h == other && label[s]/f.w[h] == label[v]/f.w[h]
				if sameBelow && (label[s] == label[v]) != (w.place[s] == w.place[v]) {
					t.Fatalf("switches %d and %d of level %d: labels %d and %d, places %d and %d", s, v, h, label[s], label[v], w.place[s], w.place[v])
				}
			}
		}
	})
}

// TestClosedFormOfTheWhole: where the way that a LID has in the whole tree is left, it keeps that.
func TestClosedFormOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, is := damagedPGFT(t)
		if !slices.Equal(was.leaves, is.leaves) {
			t.Skip("the order of leaves differs")
		}
		want := closedTables(t, was, nil)
		got := closedTables(t, is, is.inferWhole())
		to := func(g *fabric.Graph, s int32, port uint8) int32 {
			c, _ := g.At(s, port)
			return g.To[c]
		}
		for s := range int32(is.g.NumSwitches) {
			for h := range int32(is.g.NumHosts) {
				old, port := want.Port(s, fabric.LID(h+1)), got.Port(s, fabric.LID(h+1))
				if port != route.NoPort && is.g.EndSwitch[h] != s && to(is.g, s, port) != to(was.g, s, old) {
					t.Fatalf("switch %d sends LID %d to switch %d, in the whole tree to %d", s, h+1, to(is.g, s, port), to(was.g, s, old))
				}
			}
		}
	})
}

// closedTables routes by the closed form, with LIDs in the order of end ports.
func closedTables(t *rapid.T, tr *tree, whole *wholeTree) *route.Tables {
	in := &route.Input{Graph: tr.g, Workers: 1}
	var err error
	if in.Ends, err = lids.Assign(tr.g, lids.Options{}); err != nil {
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
