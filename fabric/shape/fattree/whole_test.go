package fattree

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// damagedPGFT draws a PGFT and a copy with some failed links, whose groups do not fall apart.
func damagedPGFT(t *rapid.T) (whole, damaged *Tree) {
	formula := rapid.SampledFrom([]string{"rlft(6,3)", "rlft(8,2)", "xgft(3;3,4,3;2,3,2)", "pgft(2;4,4;1,2;1,2)", "karytree(4,3)"}).Draw(t, "formula")
	failed := fmt.Sprintf("|fail(share=%.2f,links=up,seed=%d)", float64(rapid.IntRange(0, 10).Draw(t, "failed"))/100, rapid.IntRange(1, 1000).Draw(t, "seed"))
	whole, damaged = Recognise(parsed(t, formula).Compile(), nil, nil), Recognise(parsed(t, formula+failed).Compile(), nil, nil)
	if !slices.Equal(whole.Level, damaged.Level) || !slices.Equal(groupSizes(whole), groupSizes(damaged)) {
		t.Skip("levels or groups differ")
	}
	return whole, damaged
}

// groupSizes lists the numbers of switches in the groups of all levels.
func groupSizes(t *Tree) (sizes []int) {
	for h, level := range t.switchesByLevel()[:t.Top] {
		for _, g := range t.newLevelPair(level, int32(h)).groups {
			sizes = append(sizes, len(g.low), len(g.high))
		}
	}
	return sizes
}

// TestWhole: from a damaged PGFT it infers how many links up a switch had, and which switches had
// the same place in different pods.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, is := damagedPGFT(t)
		f, w := was.formula(), is.InferWhole()
		if w == nil {
			t.Fatal("nothing inferred")
		}
		label := was.labels(f)
		for s, h := range was.Level {
			if h < was.Top && (w.Width[h] != int32(f.p[h+1]) || w.Ways[s] != int32(f.w[h+1])) {
				t.Fatalf("switch %d of level %d: %d ways of %d links, want %d of %d", s, h, w.Ways[s], w.Width[h], f.w[h+1], f.p[h+1])
			}
			for v, other := range was.Level {
				sameBelow := h > 0 && h == other && label[s]/f.w[h] == label[v]/f.w[h]
				if sameBelow && (label[s] == label[v]) != (w.Place[s] == w.Place[v]) {
					t.Fatalf("switches %d and %d of level %d: labels %d and %d, places %d and %d", s, v, h, label[s], label[v], w.Place[s], w.Place[v])
				}
			}
		}
	})
}
