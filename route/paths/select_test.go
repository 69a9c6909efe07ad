package paths

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"weft/fabric/gen"
	"weft/route"
)

// TestEliminate: what is left is what is left when all loads are counted anew before each step, and
// all candidates over the most loaded link are looked at.
func TestEliminate(t *testing.T) {
	for _, x := range []struct {
		name   string
		joint  bool
		extra  int
		remove string
	}{{"most", false, anyLength, removeMost}, {"drawn", false, anyLength, removeDrawn}, {"short", false, 1, removeMost}, {"joint", true, 1, removeMost}} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(x.name, " ", seed), func(t *testing.T) {
				f, err := gen.Parse(fmt.Sprintf("irregular(switches=8,degree=4,hosts=14,seed=%d)", seed))
				if err != nil {
					t.Fatal(err)
				}
				in := &Input{Graph: f.Compile(), Seed: seed, Workers: 1, Root: -1, Options: route.Options{"remove": x.remove}}
				order := hostOrder(in)
				fresh := func() *selection {
					sel, err := newSelection(t.Context(), in, order, x.extra, x.joint)
					if err != nil {
						t.Fatal(err)
					}
					return sel
				}
				sel, plain := fresh(), fresh()
				if err := sel.eliminate(t.Context()); err != nil {
					t.Fatal(err)
				}
				removed := eliminatePlainly(plain)
				if removed < 100 {
					t.Errorf("only %d candidates were removed", removed)
				}
				if !slices.Equal(sel.alive, plain.alive) {
					t.Error("other candidates are left")
				}
			})
		}
	}
}

// eliminatePlainly removes candidates as the comment of selection says, and returns how many.
func eliminatePlainly(sel *selection) (removed int) {
	out := make([]bool, sel.g.NumChannels) // links that have nothing to lose
	for {
		load := make([]int64, sel.g.NumChannels)
		for p, alive := range sel.alive {
			for w, way := range sel.candidatesOf(int32(p)) {
				for _, c := range way {
					if alive>>w&1 != 0 {
						load[c] += sel.trafficShare(int64(bits.OnesCount16(alive)))
					}
				}
			}
		}
		most := -1
		for c := range load {
			if !out[c] && (most < 0 || load[c] > load[most]) {
				most = c
			}
		}
		if most < 0 {
			return removed
		}
		victim, left := int32(-1), 1
		for _, use := range sel.uses[most] {
			alive := sel.alive[use/mostCandidates]
			n := bits.OnesCount16(alive)
			if sel.rng != nil {
				n = min(n, 2) // the next one drawn goes, whatever its pair has left
			}
			if alive>>(use%mostCandidates)&1 != 0 && n > left {
				victim, left = use, n
			}
		}
		if victim < 0 {
			out[most] = true
			continue
		}
		sel.alive[victim/mostCandidates] &^= 1 << (victim % mostCandidates)
		removed++
	}
}
