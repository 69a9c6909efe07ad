package graph

import (
	"iter"

	"weft/mapping"
)

// Tree holds shortest paths from a host to all vertices.
type Tree struct {
	Order []int32 // the vertices, by distance

	parent []int32 // by vertex; -1 if there is no path
	out    []int16 // output port of the parent
	entry  []int16 // input port of the path
	depth  []int16 // in wires
}

// Tree returns shortest paths from a host. None passes a host, which has one wire.
func (g *Graph) Tree(from int32) *Tree {
	t := &Tree{Order: []int32{from}, parent: make([]int32, g.Len()), out: make([]int16, g.Len()), entry: make([]int16, g.Len()), depth: make([]int16, g.Len())}
	for v := range t.parent {
		t.parent[v] = -1
	}
	t.parent[from] = from
	for k := 0; k < len(t.Order); k++ {
		v := t.Order[k]
		low := g.lowest(v)
		for i := range g.ports[v] {
			if g.ports[v][i].To == None {
				continue
			}
			far := g.At(v, i+low)
			if t.parent[far.To] >= 0 {
				continue
			}
			t.parent[far.To], t.out[far.To], t.entry[far.To], t.depth[far.To] = v, int16(i+low), far.At, t.depth[v]+1
			t.Order = append(t.Order, far.To)
		}
	}
	return t
}

// Around yields the vertices around one with their distances in wires, nearest first. One Around
// must end before the next one begins.
func (g *Graph) Around(from int32) iter.Seq2[int32, int] {
	return func(yield func(int32, int) bool) {
		s := &g.last
		s.round++
		for len(s.reached) < g.Len() {
			s.reached = append(s.reached, 0)
		}
		s.reached[from] = s.round
		row := []int32{from}
		for wires := 0; len(row) > 0; wires++ {
			var next []int32
			for _, v := range row {
				if !yield(v, wires) {
					return
				}
				for _, p := range g.ports[v] {
					if p.To == None {
						continue
					}
					if u, _ := g.Find(p.To); s.reached[u] != s.round {
						s.reached[u] = s.round
						next = append(next, u)
					}
				}
			}
			row = next
		}
	}
}

// Switches lists the switches around a vertex, nearest first.
func (g *Graph) Switches(from int32) (all []int32) {
	for v := range g.Around(from) {
		if !g.IsHost(v) {
			all = append(all, v)
		}
	}
	return all
}

// DistanceToHost returns the number of wires from a vertex to the nearest host; ok is false if no
// path to a host is known.
func (g *Graph) DistanceToHost(from int32) (wires int, ok bool) {
	for v, wires := range g.Around(from) {
		if g.IsHost(v) {
			return wires, true
		}
	}
	return 0, false
}

// Reaches reports whether there is a path to a vertex.
func (t *Tree) Reaches(v int32) bool { return int(v) < len(t.parent) && t.parent[v] >= 0 }

// Depth returns the number of wires to a vertex.
func (t *Tree) Depth(v int32) int { return int(t.depth[v]) }

// Entry returns the input port of the path at a vertex.
func (t *Tree) Entry(v int32) int { return int(t.entry[v]) }

// Turns returns the path to a vertex as turns: one less than wires.
func (t *Tree) Turns(v int32) []mapping.Turn {
	turns := make([]mapping.Turn, max(0, t.Depth(v)-1))
	for i := len(turns) - 1; i >= 0; i-- {
		up := t.parent[v]
		turns[i] = mapping.Turn(t.out[v] - t.entry[up])
		v = up
	}
	return turns
}

// Way returns the switches on the path to a switch, including it as the last.
func (t *Tree) Way(v int32) []int32 {
	way := make([]int32, t.Depth(v))
	for i := len(way) - 1; i >= 0; i-- {
		way[i] = v
		v = t.parent[v]
	}
	return way
}
