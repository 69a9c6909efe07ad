package nue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric/gen"
	"weft/route"
	"weft/route/cdg"
	"weft/route/engine/internal/sample"
	"weft/route/lids"
)

// TestPass: after every pass, also one that ends early, the loads are those of the paths
// that are kept, and paths ascend.
func TestPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLane(t)
		g := l.g
		ends, err := lids.Assign(g, lids.Options{LMC: uint8(rapid.IntRange(0, 1).Draw(t, "LMC"))})
		if err != nil {
			t.Fatal(err)
		}
		in := &route.Input{Graph: g, Ends: ends, Workers: 1}
		b := newBuilder(in, []*lane{l}, make([]int32, g.NumSwitches))
		for range 3 {
			if _, err := b.pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			load := make([]int64, len(g.Out))
			for c, col := range b.columns {
				to := g.EndSwitch[col.end]
				taken := b.taken[c*g.NumSwitches:][:g.NumSwitches]
				for s := range int32(g.NumSwitches) {
					for at, place := s, nowhere; at != to && taken[at] != none; {
						i := g.OutStart[at] + int32(taken[at])
						if l.out[i] <= place {
							t.Fatalf("the path from %d to %d does not ascend", s, to)
						}
						place, at = l.out[i], l.head[i]
						if col.end != g.PortZero(to) {
							load[i] += sample.Weight(g, s)
						}
					}
				}
			}
			if !slices.Equal(load, b.load) {
				t.Fatalf("the loads are %v, want %v", b.load, load)
			}
		}
	})
}

// TestBoost: a boosted order spreads the sample better, and all pairs still have paths.
func TestBoost(t *testing.T) {
	for _, formula := range []string{"torus(6x6,hosts=1)", "kautz(3,3,hosts=36)", "random(switches=16,hosts=2,links=32,seed=1)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		d := &designer{in: &route.Input{Graph: g, Workers: 1}, t: cdg.NewIndex(g), p: newParts(g), lanes: 1}
		d.to = d.p.list[0]
		if d.weight, err = demand(t.Context(), d.t, 1, d.to); err != nil {
			t.Fatal(err)
		}
		d.pick()
		list, err := d.try(t.Context(), 0, 1, d.start)
		if err != nil {
			t.Fatal(err)
		}
		best := d.boost(t.Context(), list[0])
		again := d.trial(best.order, newShare(d.t, nil))
		if best.crowding >= list[0].crowding || again.crowding != best.crowding {
			t.Errorf("%s: from %g to %g, in a new trial %g", formula, list[0].crowding, best.crowding, again.crowding)
		}
		if best.paths != list[0].paths {
			t.Errorf("%s: %d paths, want %d", formula, best.paths, list[0].paths)
		}
	}
}
