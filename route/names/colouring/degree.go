package colouring

import (
	"math/bits"
	"slices"
)

// ByDegree is the colouring heuristic of Nienaber, Yuan and Duan, "LID Assignment in InfiniBand
// Networks" (section V-C, Fig. 9). It applies colours one by one: of the vertices that can still
// have the colour, the one with the largest degree gets it (color/L), or the one with the smallest
// (color/S). A vertex counts in degrees by its weight. The degrees for a colour count the
// neighbours without a colour at its start.
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

// sortByDegree sorts the vertices into the order of colouring; of equal degrees the lowest vertex
// comes first.
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

// ByShrinkingDegree is the same heuristic with the degrees of Fig. 9 to the letter: of the vertices
// that can still have the colour, the one with the most (or fewest) neighbours among them gets it,
// of equals the lowest.
func ByShrinkingDegree(g *Graph, weight []int32, largest bool) (colour []int32) {
	colour = slices.Repeat([]int32{-1}, g.n)
	degree := make([]int32, g.n)
	working, both := make([]uint64, g.words), make([]uint64, g.words)
	var open, removed, neighbours []int32
	for k, left := int32(0), g.n; left > 0; k++ {
		open = open[:0]
		clear(working)
		for v := range int32(g.n) {
			if colour[v] < 0 {
				open = append(open, v)
				insert(working, v)
			}
		}
		for _, v := range open {
			degree[v] = weightOf(intersect(both, g.Row(v), working), weight)
		}
		for len(open) > 0 {
			v := mostOrFewest(open, degree, largest)
			colour[v] = k
			left--
			removed = append(Members(removed[:0], intersect(both, g.Row(v), working)), v)
			for _, u := range removed {
				remove(working, u)
			}
			for _, u := range removed {
				neighbours = Members(neighbours[:0], intersect(both, g.Row(u), working))
				for _, w := range neighbours {
					degree[w] -= weight[u]
				}
			}
			open = Members(open[:0], working)
		}
	}
	return colour
}

// mostOrFewest returns the vertex with the largest or smallest degree, of equals the first.
func mostOrFewest(vertices, degree []int32, largest bool) int32 {
	best := vertices[0]
	for _, v := range vertices {
		if largest && degree[v] > degree[best] || !largest && degree[v] < degree[best] {
			best = v
		}
	}
	return best
}

// intersect writes the elements of both bit sets to a third, and returns it.
func intersect(out, a, b []uint64) []uint64 {
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return out
}
