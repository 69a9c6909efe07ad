package algorithm

import (
	"context"
	"slices"

	"weft/mapping"
	"weft/mapping/theory"
)

// berkeley is the algorithm of section 3.3.
func berkeley(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	b := breadth{
		asker: newAsker(ctx, p, opt),
		graph: newGraph(opt.Self, opt.Radix), frontier: []int32{1},
	}
	explorations := 0
	for again := true; again; {
		for len(b.frontier) > 0 && b.stopped() == nil {
			x := b.frontier[0]
			if int(b.graph.length[x]) > opt.Depth {
				break
			}
			b.frontier = b.frontier[1:]
			if v, _ := b.graph.Find(x); b.graph.done[v] {
				b.skipped = append(b.skipped, x)
				continue
			}
			b.explore(x)
			explorations++
			if opt.Explored != nil {
				opt.Explored(Step{Nodes: b.graph.nodes(), Wires: b.graph.wires(), Frontier: b.waiting()})
			}
		}
		var err error
		if again, err = b.reopen(); err != nil {
			return nil, err
		}
	}
	result, err := b.finish(b.graph, explorations)
	if err != nil {
		return nil, err
	}
	result.Map = theory.Core(result.Map)
	return result, nil
}

// breadth explores breadth first.
type breadth struct {
	asker
	graph    *graph
	frontier []int32
	skipped  []int32 // merged with an explored vertex
}

// waiting is the number of vertices of the frontier that are still to be explored.
func (b *breadth) waiting() int {
	n := 0
	for _, x := range b.frontier {
		if v, _ := b.graph.Find(x); !b.graph.done[v] {
			n++
		}
	}
	return n
}

// explore probes the turns of x, and draws conclusions at the end (step 1 of section
// 3.3). Turns go outwards from the port that the string enters by; after a silent one
// it is the other side's turn. Ports side by side mostly lead to the same kind of node:
// what the next port towards the entry leads to is asked for first.
func (b *breadth) explore(x int32) {
	g := b.graph
	v, shift := g.Find(x)
	g.done[v] = true
	path := append(g.path(x), 0)
	side, last := -1, aSwitch
	for {
		i, ok := g.next(v, shift, side)
		if !ok {
			side = -side
			if i, ok = g.next(v, shift, side); !ok {
				break
			}
		}
		turn := Turn(i - shift)
		path[len(path)-1] = turn
		what, reply := b.probe(path, g.kindOf(v, i-side, last))
		switch what {
		case aHost:
			g.found(x, int(turn), reply.Host)
		case aSwitch:
			b.frontier = append(b.frontier, g.discover(x, turn))
		case nothing:
			g.at(v, i).to = silent
			side = -side
			continue
		}
		last = what
	}
	g.deduce()
}

// reopen is a repair that section 3.3 does not have. A vertex that is merged with an
// explored one is not explored. But where no replicate was reached without crossing
// its own way, as behind a loopback cable far from hosts, silence may have been a
// collision, and the string of the vertex left out would have gone through. So when
// all is explored, what would be pruned is probed again by the strings left out: where
// silence was. Nothing is sent when there is nothing to prune.
func (b *breadth) reopen() (bool, error) {
	g := b.graph
	n, node, err := g.network()
	if err != nil || b.stopped() != nil {
		return false, err
	}
	keep := theory.Kept(n)
	again := map[int32]bool{} // one string a vertex each time
	left := b.skipped[:0]
	for _, x := range b.skipped {
		v, _ := g.Find(x)
		if keep[node[v]] || again[v] {
			left = append(left, x)
			continue
		}
		for i := range g.ports[v] {
			if g.ports[v][i].to == silent {
				g.ports[v][i].to, g.done[v] = unknown, false
			}
		}
		if !g.done[v] {
			again[v] = true
			b.frontier = append(b.frontier, x)
		}
	}
	b.skipped = left
	slices.SortStableFunc(b.frontier, func(x, y int32) int { return int(g.length[x]) - int(g.length[y]) })
	return len(again) > 0, nil
}

// next is the nearest port on one side of a given one that nothing is known of and
// that may exist.
func (g *graph) next(v int32, from, side int) (int, bool) {
	low, high := g.window(v)
	for i := from + side; low <= i && i <= high; i += side {
		if g.at(v, i).to == unknown {
			return i, true
		}
	}
	return 0, false
}

// kindOf is what a port leads to, or the other when that is not known.
func (g *graph) kindOf(v int32, i int, other kind) kind {
	p := g.at(v, i)
	if p.to < 0 {
		return other
	}
	if u, _ := g.Find(p.to); g.host[u] >= 0 {
		return aHost
	}
	return aSwitch
}

// kind is what a probe found.
type kind uint8

const (
	nothing kind = iota
	aSwitch
	aHost
)

// probe is the pair of tests of section 2.3: a switch-probe and a host-probe, the
// likely one first, the other only if that is silent. The reply says which host it is,
// or of a self-identifying switch which switch.
func (a *asker) probe(path []Turn, likely kind) (kind, mapping.Reply) {
	for _, what := range [2]kind{likely, aSwitch + aHost - likely} {
		if what == aHost {
			if reply, ok := a.host(path...); ok {
				return aHost, reply
			}
			continue
		}
		switch reply := a.toSwitch(path...); {
		case reply.Early:
			return aHost, reply
		case reply.Answered:
			return aSwitch, reply
		}
	}
	return nothing, mapping.Reply{}
}
