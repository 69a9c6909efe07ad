package algorithm

import (
	"context"
	"slices"

	"weft/mapping"
	"weft/mapping/theory"
)

// mapBreadthFirst implements the algorithm of section 3.3.
func mapBreadthFirst(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	b := newBreadthFirst(ctx, p, opt)
	b.visit = b.explore
	return b.run(opt)
}

func (b *breadthFirst) run(opt *Options) (*Result, error) {
	for again := true; again; {
		b.exploreAll(opt.Depth)
		var err error
		if again, err = b.reopen(); err != nil {
			return nil, err
		}
	}
	r, err := b.coreResult()
	if err == nil {
		r.Unexplored = b.waiting()
	}
	return r, err
}

// breadthFirst explores breadth first.
type breadthFirst struct {
	explorer
	frontier []int32
	skipped  []int32       // merged with an explored vertex
	visit    func(x int32) // explores a vertex
}

// newBreadthFirst returns an explorer that begins at the mapper's switch.
func newBreadthFirst(ctx context.Context, p mapping.Prober, opt *Options) *breadthFirst {
	b := &breadthFirst{explorer: newExplorer(ctx, p, opt)}
	b.queue(1)
	return b
}

// queue puts a vertex on the frontier.
func (b *breadthFirst) queue(x int32) {
	b.frontier = append(b.frontier, x)
	b.graph.queued[x] = true
}

// exploreAll explores the frontier, up to strings of depth turns.
func (b *breadthFirst) exploreAll(depth int) {
	for len(b.frontier) > 0 && b.Stopped() == nil {
		x := b.frontier[0]
		if depth >= 0 && int(b.graph.length[x]) > depth {
			return
		}
		b.frontier = b.frontier[1:]
		if v, _ := b.graph.Find(x); b.graph.explored[v] {
			b.skipped = append(b.skipped, x)
			continue
		}
		b.visit(x)
		b.explorations++
		if b.explored != nil { // counting takes longer than exploring
			b.report(b.waiting())
		}
	}
}

// waiting counts the vertices of the frontier that are still to be explored.
func (b *breadthFirst) waiting() int {
	n := 0
	for _, x := range b.frontier {
		if v, _ := b.graph.Find(x); !b.graph.explored[v] {
			n++
		}
	}
	return n
}

// explore probes the turns of x, and draws conclusions at the end (step 1 of section 3.3). Turns go
// outwards from the string's entry port; after a silent port it continues on the other side.
// Adjacent ports mostly lead to the same kind of node, so it first probes for the kind behind the
// next port towards the entry.
func (b *breadthFirst) explore(x int32) {
	g := b.graph
	v, entry := g.Find(x)
	g.explored[v] = true
	isUnknown := func(i int) bool { return g.At(v, i).IsUnknown() }
	path := append(g.path(x), 0)
	side, last := -1, aSwitch
	for {
		i, ok := g.Next(v, entry, side, isUnknown)
		if !ok {
			side = -side
			if i, ok = g.Next(v, entry, side, isUnknown); !ok {
				break
			}
		}
		turn := Turn(i - entry)
		path[len(path)-1] = turn
		what, reply := b.probePair(path, g.kindOf(v, i-side, last))
		switch what {
		case aHost:
			g.addHost(x, int(turn), reply.Host)
		case aSwitch:
			b.queue(g.addSwitch(x, turn))
		case nothing:
			g.addSilence(v, i)
			side = -side
			continue
		}
		last = what
	}
	g.Deduce()
}

// reopen repairs a gap in section 3.3. It reports whether there is more to explore.
//
// A vertex merged with an explored one is not explored. But if every replicate was reached by a
// string that crosses itself, as behind a loopback cable far from hosts, silence may have been a
// collision; the string of the skipped vertex would have gone through. So when all is explored, the
// silent ports of vertices that would be pruned are probed again, by the skipped strings. It sends
// nothing if nothing would be pruned.
func (b *breadthFirst) reopen() (bool, error) {
	g := b.graph
	n, nodes, err := g.Network()
	if err != nil || b.Stopped() != nil {
		return false, err
	}
	keep := theory.Kept(n)
	again := map[int32]bool{} // one string a vertex each time
	left := b.skipped[:0]
	for _, x := range b.skipped {
		v, _ := g.Find(x)
		if keep[nodes[v].Index] || again[v] {
			left = append(left, x)
			continue
		}
		if g.HasSilent(v) {
			g.ForgetSilence(v)
			g.explored[v], again[v] = false, true
			b.queue(x)
		}
	}
	b.skipped = left
	b.sortFrontier()
	return len(again) > 0, nil
}

// sortFrontier puts the shortest strings first.
func (b *breadthFirst) sortFrontier() {
	slices.SortStableFunc(b.frontier, func(x, y int32) int { return int(b.graph.length[x]) - int(b.graph.length[y]) })
}
