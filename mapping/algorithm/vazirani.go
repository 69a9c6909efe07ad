package algorithm

import (
	"context"
	"math/rand/v2"

	"weft/mapping"
)

// mapByLongProbes is Vazirani's variant (section 6): probes of maximal depth in random
// directions, answered by the first host on the way, collect most of a network that
// expands well. They are explored, what dangles from them breadth first, and each switch
// found there is compared with those explored, as the Myricom algorithm does. It needs hosts that answer
// messages which reach them with turns left.
func mapByLongProbes(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	c := &collector{explorer: newExplorer(ctx, p, opt), frontier: []int32{1}, depth: -1, compared: map[int32]bool{}}
	c.collect(rand.New(rand.NewPCG(opt.Seed, 0xc0)))
	c.collected = int32(c.graph.Len())
	return c.run()
}

// A random probe has longProbeTurns turns. Collecting ends after uselessProbes in a row that
// found no wire that was not known.
const (
	longProbeTurns = 12
	uselessProbes  = 40
)

// collect sends long probes in random directions, and adds the ways that were answered.
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
