// Package hardness has the constructions of Nienaber, Yuan and Duan, "LID Assignment in InfiniBand
// Networks" (paper 000), that show how hard the problem is. No engine uses it; weft lids does.
package hardness

import (
	"slices"

	"weft/route/names"
	"weft/route/names/colouring"
)

// Reduce is the reduction of Theorem 1. It returns paths to one destination with split graph g, so
// that they need as many LIDs as g needs colours. Path u goes from node n_u through a node for each
// edge of u, in order of the neighbours, to n_u' and on to the destination. It has no loop, and
// paths of non-adjacent vertices share no node. The graph of the instance needs 2|V| + |E| + 1
// nodes.
func Reduce(g *colouring.Graph) *names.Routing {
	n := int32(g.Len())
	nodes := make([][]int32, n)
	for u := range n {
		nodes[u] = []int32{u}
	}
	next := 2 * n
	for u := range n {
		for _, v := range colouring.Members(nil, g.Row(u)) {
			if u < v {
				nodes[u], nodes[v] = append(nodes[u], next), append(nodes[v], next)
				next++
			}
		}
	}
	r := &names.Routing{}
	for u, way := range nodes {
		way = slices.Concat(way, []int32{n + int32(u), next}) // next is the destination
		var hops []names.Hop
		for i, node := range way[:len(way)-1] {
			hops = append(hops, names.Hop{Node: node, Out: way[i+1]}) // one link to each next node
		}
		r.Add(hops...)
	}
	return r
}
