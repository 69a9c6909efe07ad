package paths

import (
	"math/rand/v2"

	"weft/fabric"
)

// order is the up*/down* orientation of paper 002, section 2.1: levels by a
// breadth-first tree; the up end of a link is the one closer to the root, of equals
// the one with the lower switch number. Drained switches, which nothing may pass,
// are below all others.
type order struct {
	level  []int32 // by switch
	parent []int32 // by switch: channel from its parent in the tree, -1 for a root
}

// newOrder grows the tree from a root; parts that it does not reach have their first
// switch as root.
func newOrder(g *fabric.Graph, root int32) *order {
	o := &order{level: make([]int32, g.NumSwitches), parent: make([]int32, g.NumSwitches)}
	for s := range o.level {
		o.level[s], o.parent[s] = never, fabric.Nothing
	}
	grow := func(root int32) {
		if o.level[root] != never || g.Drained[root] {
			return
		}
		o.level[root] = 0
		queue := []int32{root}
		for head := 0; head < len(queue); head++ {
			s := queue[head]
			for _, c := range g.OutOf(s) {
				if v := g.To[c]; o.level[v] == never && !g.Drained[v] {
					o.level[v], o.parent[v] = o.level[s]+1, c
					queue = append(queue, v)
				}
			}
		}
	}
	if g.NumSwitches > 0 {
		grow(root)
	}
	for s := range int32(g.NumSwitches) {
		grow(s)
	}
	return o
}

// above reports whether switch a is above switch b.
func (o *order) above(a, b int32) bool {
	return o.level[a] < o.level[b] || o.level[a] == o.level[b] && a < b
}

// up reports whether a channel leads up.
func (o *order) up(g *fabric.Graph, c int32) bool { return o.above(g.To[c], g.From[c]) }

// rule forbids to go up after down.
func (o *order) rule(g *fabric.Graph) *Rule {
	return NewRule(g, func(c, d int32) bool { return o.up(g, c) || !o.up(g, d) })
}

// UpDown is the up*/down* rule of the breadth-first tree from a root.
func UpDown(g *fabric.Graph, root int32) *Rule { return newOrder(g, root).rule(g) }

// rootOf is the root asked for, or a switch drawn uniformly, as paper 000 does.
func rootOf(in *Input) int32 {
	if in.Root >= 0 || in.Graph.NumSwitches == 0 {
		return max(0, in.Root)
	}
	return rand.New(rand.NewPCG(in.Seed, streamRoot)).Int32N(int32(in.Graph.NumSwitches))
}

// Streams of random numbers: the second half of the PCG seed. Those of destinations
// start at streamDest.
const (
	streamRoot = 1 + iota
	streamOrder
	streamDest = 1 << 32
)

// hostOrder is a random order of the hosts.
func hostOrder(in *Input) []int32 {
	order := make([]int32, in.Graph.NumHosts)
	for i, h := range rand.New(rand.NewPCG(in.Seed, streamOrder)).Perm(len(order)) {
		order[i] = int32(h)
	}
	return order
}

// destRand is the generator for the paths to one destination.
func destRand(in *Input, dst int32) *rand.Rand {
	return rand.New(rand.NewPCG(in.Seed, streamDest+uint64(dst)))
}
