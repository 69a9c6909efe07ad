package colouring

import (
	"math/bits"
	"slices"
)

// ByDegree is the colouring heuristic of Nienaber, Yuan and Duan, "LID Assignment in
// InfiniBand Networks" (section V-C, Fig. 9): colours are applied one by one; of the
// vertices that can still have the colour, the one with the largest degree gets it
// (color/L), or the one with the smallest (color/S). A vertex counts in degrees by its
// weight. The degrees of a colour count the neighbours that had none when it was begun.
func ByDegree(g *Graph, weight []int32, largest bool) (colour []int32) {
	colour = make([]int32, g.n)
	degree := make([]int32, g.n)
	uncoloured := make([]int32, g.n)
	for v := range int32(g.n) {
		uncoloured[v] = v
		degree[v] = weightOf(g.Row(v), weight)
	}
	blocked := make([]uint64, g.words) // neighbours of vertices of this colour
	var neighbours []int32
	for k := int32(0); len(uncoloured) > 0; k++ {
		sortByDegree(uncoloured, degree, largest)
		clear(blocked)
		var rest, coloured []int32
		for _, v := range uncoloured {
			if isMember(blocked, v) {
				rest = append(rest, v)
				continue
			}
			colour[v] = k
			coloured = append(coloured, v)
			for i, w := range g.Row(v) {
				blocked[i] |= w
			}
		}
		for _, v := range coloured {
			neighbours = Members(neighbours[:0], g.Row(v))
			for _, u := range neighbours {
				degree[u] -= weight[v]
			}
		}
		uncoloured = rest
	}
	return colour
}

// sortByDegree puts the vertices into the order in which they are to be coloured; of
// equal degrees the lowest vertex comes first.
func sortByDegree(vertices, degree []int32, largest bool) {
	slices.SortFunc(vertices, func(u, v int32) int {
		d := int(degree[u] - degree[v])
		if largest {
			d = -d
		}
		if d == 0 {
			d = int(u - v)
		}
		return d
	})
}

// weightOf adds up the weights of a bit set.
func weightOf(set []uint64, weight []int32) int32 {
	sum := int32(0)
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			sum += weight[i*64+bits.TrailingZeros64(w)]
		}
	}
	return sum
}
