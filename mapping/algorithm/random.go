package algorithm

import (
	"context"
	"math/rand/v2"

	"weft/mapping"
)

// mapAtRandom is the randomised algorithm of section 6: Berkeley's, with a depth-first
// branch by lot from every switch on which no host was found. It ends at a host, whose
// name tells all switches on the branch, or after longestBranch turns.
func mapAtRandom(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	b := breadthFirst{explorer: newExplorer(ctx, p, opt), frontier: []int32{1}}
	rng := rand.New(rand.NewPCG(opt.Seed, 0xdf5))
	b.after = func(x int32) {
		if v, _ := b.graph.Find(x); !b.graph.HasHost(v) {
			b.branch(x, rng)
			b.sortFrontier()
		}
	}
	return b.run(opt)
}

// longestBranch is the most turns of a depth-first branch.
const longestBranch = 8

// branch goes on from a switch by random turns until it finds a host. Silence it does not
// note: a long string may have crossed itself.
func (b *breadthFirst) branch(x int32, rng *rand.Rand) {
	g := b.graph
	for tries, turns := 0, 0; tries < 2*longestBranch && turns < longestBranch && b.Stopped() == nil; tries++ {
		turn, ok := b.draw(x, rng)
		if !ok {
			return
		}
		switch what, reply := b.probePair(append(g.path(x), turn), aHost); what {
		case aHost:
			g.addHost(x, int(turn), reply.Host)
			g.Deduce()
			return
		case aSwitch:
			x = g.addSwitch(x, turn)
			b.frontier = append(b.frontier, x)
			turns++
		case nothing:
		}
	}
}

// draw draws a turn from the end of a vertex's string to a port of which nothing is known;
// where there is none, as at a switch that was explored, to one that leads to a switch.
func (b *breadthFirst) draw(x int32, rng *rand.Rand) (Turn, bool) {
	g := b.graph
	v, entry := g.Find(x)
	low, high := g.Window(v)
	var unknown, onward []Turn
	for i := low; i <= high; i++ {
		turn := i - entry
		switch p := g.At(v, i); {
		case turn == 0 || turn <= -g.Radix || turn >= g.Radix:
		case p.IsUnknown():
			unknown = append(unknown, Turn(turn))
		case g.kindOf(v, i, nothing) == aSwitch:
			onward = append(onward, Turn(turn))
		}
	}
	if len(unknown) == 0 {
		unknown = onward
	}
	if len(unknown) == 0 {
		return 0, false
	}
	return unknown[rng.IntN(len(unknown))], true
}
