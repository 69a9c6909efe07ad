package graph

import "slices"

// replicates records which vertices are known to be one node of the network (Definition 5 of paper
// 001), and the offsets of their port numbers (the indexing offsets of Definition 1): union-find
// with offsets.
type replicates struct {
	up    []int32 // by vertex: the vertex it was merged into, or itself
	shift []int16 // port i of the vertex is port i+shift of up
}

// add adds an unmerged vertex.
func (r *replicates) add() int32 {
	v := int32(len(r.up))
	r.up, r.shift = append(r.up, v), append(r.shift, 0)
	return v
}

// isRoot reports whether a vertex is not merged into another.
func (r *replicates) isRoot(v int32) bool { return r.up[v] == v }

// find returns the vertex into which v was merged, and the offset to add to v's port numbers.
func (r *replicates) find(v int32) (root int32, shift int) {
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

// merge merges b into a, both unmerged before: port i of b is port i+shift of a.
func (r *replicates) merge(a, b int32, shift int) {
	r.up[b], r.shift[b] = a, int16(shift)
}

// clone returns a copy.
func (r *replicates) clone() replicates {
	return replicates{up: slices.Clone(r.up), shift: slices.Clone(r.shift)}
}
