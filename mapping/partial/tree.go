package partial

import (
	"iter"

	"weft/mapping"
)

// Tree is the shortest ways from a host to all that is known.
type Tree struct {
	Order []int32 // the vertices, by distance

	parent []int32 // by vertex; -1 where there is no way
	out    []int16 // port of the parent
	entry  []int16 // port that the way comes in by
	depth  []int16 // wires
}

// Tree finds the ways from a host, which no message goes through.
func (m *Map) Tree(from int32) *Tree {
	t := &Tree{Order: []int32{from}, parent: make([]int32, m.Len()), out: make([]int16, m.Len()), entry: make([]int16, m.Len()), depth: make([]int16, m.Len())}
	for v := range t.parent {
		t.parent[v] = -1
	}
	t.parent[from] = from
	for k := 0; k < len(t.Order); k++ {
		v := t.Order[k]
		if k > 0 && m.IsHost(v) {
			continue
		}
		low := m.lowest(v)
		for i := range m.ports[v] {
			if m.ports[v][i].To == Open {
				continue
			}
			far := m.At(v, i+low)
			if t.parent[far.To] >= 0 {
				continue
			}
			t.parent[far.To], t.out[far.To], t.entry[far.To], t.depth[far.To] = v, int16(i+low), far.At, t.depth[v]+1
			t.Order = append(t.Order, far.To)
		}
	}
	return t
}

// Around yields the vertices around one, and how many wires away they are, nearest first.
// No way goes through a host.
func (m *Map) Around(from int32) iter.Seq2[int32, int] {
	return func(yield func(int32, int) bool) {
		m.round++
		for len(m.reached) < m.Len() {
			m.reached = append(m.reached, 0)
		}
		m.reached[from] = m.round
		row := []int32{from}
		for wires := 0; len(row) > 0; wires++ {
			var next []int32
			for _, v := range row {
				if !yield(v, wires) {
					return
				}
				if v != from && m.IsHost(v) {
					continue
				}
				for _, p := range m.ports[v] {
					if p.To == Open {
						continue
					}
					if u, _ := m.Find(p.To); m.reached[u] != m.round {
						m.reached[u] = m.round
						next = append(next, u)
					}
				}
			}
			row = next
		}
	}
}

// ToHost is the number of wires from a vertex to the nearest host; ok is false when no
// way to one is known.
func (m *Map) ToHost(from int32) (wires int, ok bool) {
	for v, wires := range m.Around(from) {
		if m.IsHost(v) {
			return wires, true
		}
	}
	return 0, false
}

// Reaches says whether there is a way to a vertex.
func (t *Tree) Reaches(v int32) bool { return int(v) < len(t.parent) && t.parent[v] >= 0 }

// Depth is the number of wires to a vertex.
func (t *Tree) Depth(v int32) int { return int(t.depth[v]) }

// Entry is the port that the way to a vertex comes in by.
func (t *Tree) Entry(v int32) int { return int(t.entry[v]) }

// Turns is the way to a vertex as turns: one less than wires.
func (t *Tree) Turns(v int32) []mapping.Turn {
	turns := make([]mapping.Turn, max(0, t.Depth(v)-1))
	for i := len(turns) - 1; i >= 0; i-- {
		up := t.parent[v]
		turns[i] = mapping.Turn(t.out[v] - t.entry[up])
		v = up
	}
	return turns
}

// Way is the switches on the way to a switch, that one last.
func (t *Tree) Way(v int32) []int32 {
	way := make([]int32, t.Depth(v))
	for i := len(way) - 1; i >= 0; i-- {
		way[i] = v
		v = t.parent[v]
	}
	return way
}
