package names

import (
	"math/bits"
	"slices"
)

// color is the colouring heuristic of paper 000 (section V-C, Fig. 9): colours are
// applied one by one; of the vertices of the split graph that can still have the
// colour, the one with the largest degree gets it (color/L), or the one with the
// smallest (color/S). A class counts in degrees as often as it has paths, which
// makes the result the same as with a vertex a path.
func (s *solver) color(largest bool) int32 {
	s.split.build(&s.c)
	return s.paint.color(&s.split.g, s.c.weight, largest, s.colour)
}

// painter is the memory of the colouring heuristic.
type painter struct {
	degree  []int32  // by vertex: its neighbours without a colour
	free    []int32  // vertices without a colour
	blocked []uint64 // vertices that cannot have the colour
	list    []int32
}

func (p *painter) color(g *Graph, weight []int32, largest bool, colour []int32) int32 {
	p.degree = resize(p.degree, g.n)
	p.free = p.free[:0]
	for v := range int32(g.n) {
		p.free = append(p.free, v)
		p.degree[v] = weightOf(g.row(v), weight)
	}
	k := int32(0)
	for ; len(p.free) > 0; k++ {
		p.sort(largest)
		p.blocked = zeros(p.blocked, g.words)
		for _, v := range p.free {
			colour[v] = -1
			if p.blocked[v/64]>>(v%64)&1 == 0 {
				colour[v] = k
				for i, w := range g.row(v) {
					p.blocked[i] |= w
				}
			}
		}
		p.leave(g, weight, colour)
	}
	return k
}

// sort orders the free vertices as they are to be chosen.
func (p *painter) sort(largest bool) {
	slices.SortFunc(p.free, func(u, v int32) int {
		d := int(p.degree[u] - p.degree[v])
		if largest {
			d = -d
		}
		if d == 0 {
			d = int(u - v)
		}
		return d
	})
}

// leave takes the vertices that got the colour out of the working graph.
func (p *painter) leave(g *Graph, weight []int32, colour []int32) {
	kept := p.free[:0]
	for _, v := range p.free {
		if colour[v] < 0 {
			kept = append(kept, v)
			continue
		}
		p.list = members(p.list[:0], g.row(v))
		for _, u := range p.list {
			p.degree[u] -= weight[v]
		}
	}
	p.free = kept
}

// weightOf is the weight of a bit set.
func weightOf(set []uint64, weight []int32) int32 {
	sum := int32(0)
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			sum += weight[i*64+bits.TrailingZeros64(w)]
		}
	}
	return sum
}
