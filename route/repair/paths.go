package repair

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// paths holds the paths from all switches to one LID.
type paths struct {
	g     *fabric.Graph
	next  []int32 // by switch: channel towards the LID, fabric.Nothing at its own switch and without a way
	depth []int32 // by switch: hops, -1 without a way
	flow  []int64 // by switch: hosts whose packets pass it
	order []int32 // switches with a next channel, the farthest first
	child []int32 // by switch: a switch whose next channel leads to it; fabric.Nothing: none
	other []int32 // by switch: another switch whose next channel leads to the same one
	above []int32 // result of gather
}

func newPaths(g *fabric.Graph) *paths {
	n := g.NumSwitches
	return &paths{
		g: g, next: make([]int32, n), depth: make([]int32, n), flow: make([]int64, n),
		child: make([]int32, n), other: make([]int32, n),
	}
}

// read reads the paths to a LID of an end port at switch home. count holds the number of hosts by
// switch.
func (p *paths) read(t *route.Tables, home int32, lid fabric.LID, count []int32) {
	for x := range p.next {
		p.next[x], p.depth[x], p.child[x], p.flow[x] = fabric.Nothing, -1, fabric.Nothing, 0
	}
	for x := range int32(len(p.next)) {
		if port := t.Port(x, lid); x != home && port != route.NoPort {
			if c, _ := p.g.At(x, port); c >= 0 {
				p.next[x] = c
				y := p.g.To[c]
				p.other[x], p.child[y] = p.child[y], x
			}
		}
	}
	p.order, p.depth[home] = append(p.order[:0], home), 0
	for i := 0; i < len(p.order); i++ {
		x := p.order[i]
		p.flow[x] = int64(count[x])
		for y := p.child[x]; y >= 0; y = p.other[y] {
			p.depth[y] = p.depth[x] + 1
			p.order = append(p.order, y)
		}
	}
	for x, depth := range p.depth {
		if depth < 0 {
			p.next[x] = fabric.Nothing
		}
	}
	p.order = p.order[1:]
	slices.Reverse(p.order)
	for _, x := range p.order {
		p.flow[p.g.To[p.next[x]]] += p.flow[x]
	}
}

// gather sets above: the switches whose packets pass a switch, including itself.
func (p *paths) gather(x int32) {
	p.above = append(p.above[:0], x)
	for i := 0; i < len(p.above); i++ {
		for y := p.child[p.above[i]]; y >= 0; y = p.other[y] {
			p.above = append(p.above, y)
		}
	}
}
