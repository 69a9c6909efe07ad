package nue

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
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
		b := newBuilder(in, cdg.NewIndex(g), []*lane{l}, make([]int32, g.NumSwitches))
		for _, part := range columns.Parts(&ends) {
			for pass := range 3 {
				part.PortZero, part.Again = pass == 0, pass > 0
				if err := b.routeAll(t.Context(), part); err != nil && !errors.Is(err, errNoGain) {
					t.Fatal(err)
				}
				if load := loadsOf(t, b, l); !slices.Equal(load, b.load) {
					t.Fatalf("the loads are %v, want %v", b.load, load)
				}
			}
		}
	})
}

// loadsOf counts the paths from hosts in the tables of a builder, which must ascend.
func loadsOf(t *rapid.T, b *builder, l *lane) []int64 {
	g, load := l.g, make([]int64, len(l.g.Out))
	for lid, end := range b.in.Ends.ByLID() {
		if end < 0 {
			continue
		}
		to := g.EndSwitch[end]
		for s := range int32(g.NumSwitches) {
			for at, place := s, nowhere; at != to; {
				c, _ := g.At(at, b.tables.Port(at, fabric.LID(lid)))
				if c < 0 {
					break
				}
				i := b.turns.Place[c]
				if l.out[i] <= place {
					t.Fatalf("the path from %d to %d does not ascend", s, to)
				}
				place, at = l.out[i], l.head[i]
				if end != g.PortZero(to) {
					load[i] += sample.Weight(g, s)
				}
			}
		}
	}
	return load
}

// TestBoost: a boosted order spreads the sample better, and all pairs still have paths.
func TestBoost(t *testing.T) {
	for _, formula := range []string{"torus(6x6,hosts=1)", "kautz(3,3,hosts=36)", "random(switches=16,hosts=2,links=32,seed=1)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		d := &designer{in: &route.Input{Graph: g, Workers: 1}, turns: cdg.NewIndex(g), parts: newParts(g), lanes: 1}
		d.to = d.parts.list[0]
		if d.weight, err = demand(t.Context(), d.turns, 1, d.to); err != nil {
			t.Fatal(err)
		}
		d.pickSample()
		list, err := d.tryAll(t.Context(), 0, 1, d.start)
		if err != nil {
			t.Fatal(err)
		}
		best := d.boost(t.Context(), list[0])
		again := d.trial(best.order, newSpreader(d.turns, nil))
		if best.squares >= list[0].squares || again.squares != best.squares {
			t.Errorf("%s: from %g to %g, in a new trial %g", formula, list[0].squares, best.squares, again.squares)
		}
		if best.paths != list[0].paths {
			t.Errorf("%s: %d paths, want %d", formula, best.paths, list[0].paths)
		}
	}
}
