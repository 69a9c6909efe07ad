package ftree

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// after is by which ports of the switch at its end the paths over a channel go on.
type after [4]uint64

// hasCycle reports whether the paths of tables close a cycle of channels on one lane. All
// switches send to all LIDs, so each entry is on a path.
func hasCycle(ctx context.Context, in *route.Input, tables *route.Tables) (bool, error) {
	g := in.Graph
	next := make([]after, g.NumChannels)
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, i int) error {
		s := int32(i)
		for b := range tables.NumBlocks() {
			for k, port := range tables.Block(s, b) {
				if c, _ := g.At(s, port); c >= 0 {
					on := tables.Block(g.To[c], b)[k]
					next[c][on/64] |= 1 << (on % 64)
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	waits := make([]int32, g.NumChannels) // channels before it that are not done
	for c := range next {
		next[c].each(g, g.To[c], func(d int32) { waits[d]++ })
	}
	var done []int32
	for c, n := range waits {
		if n == 0 {
			done = append(done, int32(c))
		}
	}
	for head := 0; head < len(done); head++ {
		c := done[head]
		next[c].each(g, g.To[c], func(d int32) {
			if waits[d]--; waits[d] == 0 {
				done = append(done, d)
			}
		})
	}
	return len(done) < len(next), nil
}

// each visits the channels by these ports of a switch.
func (a *after) each(g *fabric.Graph, s int32, visit func(d int32)) {
	for w, x := range a {
		for ; x != 0; x &= x - 1 {
			if d, _ := g.At(s, uint8(w*64+bits.TrailingZeros64(x))); d >= 0 {
				visit(d)
			}
		}
	}
}
