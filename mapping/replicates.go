package mapping

import "slices"

// Replicates says which vertices of a model graph are known to be one node of the network
// (Definition 5 of the paper), and by how much their ports are numbered otherwise (the
// indexing offsets of Definition 1): union-find with offsets.
type Replicates struct {
	up    []int32 // by vertex: the one that it was merged into, or itself
	shift []int16 // port i of the vertex is port i+shift of up
}

// Add is a new vertex, which is nobody's replicate yet.
func (r *Replicates) Add() int32 {
	v := int32(len(r.up))
	r.up, r.shift = append(r.up, v), append(r.shift, 0)
	return v
}

// Len is the number of vertices, merged ones included.
func (r *Replicates) Len() int { return len(r.up) }

// Root says whether a vertex is not merged into another.
func (r *Replicates) Root(v int32) bool { return r.up[v] == v }

// Find is the vertex that v was merged into, and what to add to v's port numbers.
func (r *Replicates) Find(v int32) (root int32, shift int) {
	root = v
	for r.up[root] != root {
		shift += int(r.shift[root])
		root = r.up[root]
	}
	for rest := shift; r.up[v] != v; {
		next, own := r.up[v], int(r.shift[v])
		r.up[v], r.shift[v] = root, int16(rest)
		rest -= own
		v = next
	}
	return root, shift
}

// Merge puts b into a, both not merged: port i of b is port i+shift of a.
func (r *Replicates) Merge(a, b int32, shift int) {
	r.up[b], r.shift[b] = a, int16(shift)
}

// Clone is a copy.
func (r *Replicates) Clone() Replicates {
	return Replicates{up: slices.Clone(r.up), shift: slices.Clone(r.shift)}
}
