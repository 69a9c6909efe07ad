package algorithm

import (
	"context"
	"math/rand/v2"

	"weft/mapping"
)

// mapAtRandom implements the randomised algorithm of section 6: Berkeley's, with a depth-first
// branch from every switch without a host. The host at the end of a branch identifies all switches
// on it by its name.
//
// The end of a branch is far from the mapper, and may lie beyond the bound. So the switches that a
// branch found are explored when breadth first reaches them, by the string from there: it explores
// no string that Berkeley's would not explore too.
//
// A branch that crosses itself ties two replicates of a switch together before either is known to
// be that switch, and then only one of their strings is explored. So at the end it runs coupon's
// check for strings that cross themselves (recheck.go).
func mapAtRandom(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	b := newBreadthFirst(ctx, p, opt)
	rng := rand.New(rand.NewPCG(opt.Seed, 0xdf5))
	b.visit = func(x int32) {
		b.queueOnward(x)
		b.explore(x)
		b.branch(x, rng)
	}
	for again := true; again; again = b.queueLeft() {
		if r, err := b.run(opt); err != nil || r.Unexplored > 0 {
			return r, err
		}
	}
	c := &collector{explorer: b.explorer, depth: opt.Depth, compared: map[int32]bool{}}
	r, err := c.run()
	if err == nil {
		for _, v := range c.nearest() {
			if !c.graph.explored[v] {
				r.Unexplored++
			}
		}
	}
	return r, err
}

// queueOnward queues the switches that branches found behind a vertex, and reports whether there
// were any.
func (b *breadthFirst) queueOnward(x int32) (found bool) {
	for _, turn := range b.onward(x) {
		if v, entry := b.graph.Find(x); !b.graph.queued[b.graph.At(v, entry+int(turn)).To] {
			b.queue(b.graph.addSwitch(x, turn))
			found = true
		}
	}
	return found
}

// queueLeft queues the switches that branches found behind ports which were silent when their
// switch was explored. It reports whether there were any.
func (b *breadthFirst) queueLeft() (found bool) {
	g := b.graph
	root, _ := g.Find(1)
	for _, v := range g.Switches(root) {
		if g.explored[v] && b.queueOnward(v) {
			found = true
		}
	}
	g.Deduce()
	b.sortFrontier()
	return found
}

// onward lists the turns from a vertex that lead to switches.
func (b *breadthFirst) onward(x int32) (turns []Turn) {
	g := b.graph
	v, entry := g.Find(x)
	low, high := g.Window(v)
	for i := low; i <= high; i++ {
		if turn := i - entry; turn != 0 && turn > -g.Radix && turn < g.Radix && g.kindOf(v, i, nothing) == aSwitch {
			turns = append(turns, Turn(turn))
		}
	}
	return turns
}

// longestBranch is the maximum number of turns of a depth-first branch.
const longestBranch = 8

// branch continues from an explored switch without hosts by random turns, until it finds a host.
// Then it adds the path to it. It does not note silence: a long string may have crossed itself.
func (b *breadthFirst) branch(x int32, rng *rand.Rand) {
	g := b.graph
	first := b.onward(x)
	if v, _ := g.Find(x); len(first) == 0 || g.HasHost(v) {
		return
	}
	start := g.path(x)
	path := append(start, first[rng.IntN(len(first))])
	for tries := 0; tries < 2*longestBranch && len(path) < len(start)+longestBranch && b.Stopped() == nil; tries++ {
		path = append(path, drawTurn(rng, g.Radix))
		switch what, reply := b.probePair(path, aHost); what {
		case aHost:
			g.addWay(x, path[len(start):], reply.Host)
			g.Deduce()
			return
		case aSwitch:
		case nothing:
			path = path[:len(path)-1]
		}
	}
}
