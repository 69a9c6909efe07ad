package partition

// Colouring reduces graph colouring to acyclic path partitioning (Theorem 1): the
// paths, one for each vertex 0 to vertices-1, can be parted into k classes if and
// only if the vertices can be coloured with k colours. Every edge of the graph becomes
// two channels, one for each end; the path of a vertex begins with a channel of its
// own and then takes, for each neighbour, its own channel of their edge and the
// neighbour's. So paths of neighbours take the two in opposite order and close a
// cycle, and others share no channel. An edge from a vertex to itself is left out, as
// is one that comes twice.
//
// The paper's listing of a path ends with the vertex's own channel of its last edge,
// its set of edges E_v with the neighbour's. We follow E_v: without that last channel
// the paths of two vertices and one edge would form no cycle.
func Colouring(vertices int, edges [][2]int32) [][]int32 {
	paths := make([][]int32, vertices)
	for v := range paths {
		paths[v] = []int32{int32(v)}
	}
	done := map[[2]int32]bool{}
	next := int32(vertices)
	for _, e := range edges {
		v, w := min(e[0], e[1]), max(e[0], e[1])
		if v == w || done[[2]int32{v, w}] {
			continue
		}
		done[[2]int32{v, w}] = true
		paths[v] = append(paths[v], next, next+1)
		paths[w] = append(paths[w], next+1, next)
		next += 2
	}
	return paths
}
