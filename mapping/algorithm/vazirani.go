package algorithm

import (
	"context"
	"math/rand/v2"

	"weft/mapping"
)

// mapByLongProbes implements Vazirani's variant (section 6): probes of maximal depth in random
// directions, answered by the first host on the path, collect most of a network that expands well.
// The switches found are explored, and parts hanging off them breadth first. Each switch found
// there is compared with the explored ones, as in the Myricom algorithm. It needs hosts that answer
// messages with turns left.
func mapByLongProbes(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	c := &collector{explorer: newExplorer(ctx, p, opt), frontier: []int32{1}, depth: -1, compared: map[int32]bool{}}
	c.collect(rand.New(rand.NewPCG(opt.Seed, 0xc0)))
	c.collected = int32(c.graph.Len())
	return c.run()
}

// A random probe has longProbeTurns turns. Collecting ends after uselessProbes in a row found no
// new wire.
const (
	longProbeTurns = 12
	uselessProbes  = 40
)

// collect sends long probes in random directions, and adds the answered paths.
func (c *collector) collect(rng *rand.Rand) {
	g := c.graph
	turns := make([]Turn, longProbeTurns)
	for useless := 0; useless < uselessProbes && c.Stopped() == nil; useless++ {
		for k := range turns {
			turns[k] = Turn(1 + rng.IntN(g.Radix-1))
			if rng.IntN(2) == 0 {
				turns[k] = -turns[k]
			}
		}
		reply, atEnd := c.Host(turns...)
		if !atEnd && !reply.Early {
			continue
		}
		before := g.Wires() + g.Merges()
		c.frontier = append(c.frontier, g.addWay(1, turns[:len(turns)-reply.Left], reply.Host)...)
		g.Deduce()
		if g.Wires()+g.Merges() > before {
			useless = 0
		}
	}
}
