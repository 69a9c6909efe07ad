package coords

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// simpleGraph is a part without parallel links and without cables from a switch to itself, with the
// dimension found for each link.
type simpleGraph struct {
	Part
	adj [][]int32 // neighbours of each switch, ascending, each once
	dim [][]int32 // dimension of the link to each of adj, -1 if unknown
}

// fromGraph finds coordinates from the graph alone. It starts at a switch with most neighbours and
// sorts its links into dimensions by looking for squares. Then it carries the dimensions on across
// squares. Cutting the links of a dimension leaves layers, which it numbers. The result is right if
// the graph is a mesh or torus, and must be verified.
func fromGraph(part Part) ([][]int32, error) {
	z := newSimpleGraph(part)
	root := int32(0)
	for s := range z.adj {
		if len(z.adj[s]) > len(z.adj[root]) {
			root = int32(s)
		}
	}
	dims, err := z.sortRoot(root)
	if err != nil {
		return nil, err
	}
	if err := z.sortOthers(root); err != nil {
		return nil, err
	}
	coords := make([][]int32, len(part.Switches))
	for dim := range dims {
		place, err := z.layers(dim)
		if err != nil {
			return nil, err
		}
		for s := range coords {
			coords[s] = append(coords[s], place[s])
		}
	}
	return coords, z.distinct(coords)
}

func newSimpleGraph(part Part) *simpleGraph {
	g, n := part.G, len(part.Switches)
	z := &simpleGraph{Part: part, adj: make([][]int32, n), dim: make([][]int32, n)}
	for s, sw := range part.Switches {
		for _, c := range g.OutOf(sw) {
			if t := part.Local[g.To[c]]; t != int32(s) {
				z.adj[s] = append(z.adj[s], t)
			}
		}
		slices.Sort(z.adj[s])
		z.adj[s] = slices.Compact(z.adj[s])
		z.dim[s] = make([]int32, len(z.adj[s]))
		for i := range z.dim[s] {
			z.dim[s][i] = -1
		}
	}
	return z
}

// common counts the common neighbours of a and b other than v, and returns the last one.
func (z *simpleGraph) common(a, b, v int32) (n int, w int32) {
	x, y := z.adj[a], z.adj[b]
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			if x[0] != v {
				n++
				w = x[0]
			}
			x, y = x[1:], y[1:]
		}
	}
	return n, w
}

// sortRoot assigns a dimension to each link of a switch: two links close one square if they lie in
// different dimensions and none if they lie in one.
func (z *simpleGraph) sortRoot(root int32) (dims int32, err error) {
	near := z.adj[root]
	for i, a := range near {
		if z.dim[root][i] >= 0 {
			continue
		}
		z.dim[root][i] = dims
		other := int32(-1)
		for j := i + 1; j < len(near); j++ {
			b := near[j]
			switch n, _ := z.common(a, b, root); {
			case n > 1:
				return 0, fmt.Errorf("%s and %s, both linked to %s, have %d neighbours in common besides it, where a mesh or torus has at most one",
					z.name(a), z.name(b), z.name(root), n)
			case n == 1:
			case other >= 0 || z.dim[root][j] >= 0:
				return 0, fmt.Errorf("%s has more than two links in one dimension: to %s, %s and others",
					z.name(root), z.name(a), z.name(b))
			default:
				other = b
				z.dim[root][j] = dims
			}
		}
		dims++
	}
	return dims, nil
}

// sortOthers assigns dimensions to the links of all other switches, starting at the root.
func (z *simpleGraph) sortOthers(root int32) error {
	seen := make([]bool, len(z.adj))
	seen[root] = true
	queue := []int32{root}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for i, a := range z.adj[v] {
			if seen[a] {
				continue
			}
			seen[a] = true
			if err := z.sortLinksOf(v, a, z.dim[v][i]); err != nil {
				return err
			}
			queue = append(queue, a)
		}
	}
	return nil
}

// sortLinksOf assigns dimensions to the links of a, which is next to v in dimension dim. A link of
// v in another dimension closes a square with a link of a; the remaining links of a lie in dim.
func (z *simpleGraph) sortLinksOf(v, a, dim int32) error {
	for j, b := range z.adj[v] {
		other := z.dim[v][j]
		if other == dim {
			continue
		}
		n, w := z.common(a, b, v)
		if n != 1 {
			return fmt.Errorf("%s and %s, both linked to %s, should have one more neighbour in common and have %d: a link or switch there is missing or wrong",
				z.name(a), z.name(b), z.name(v), n)
		}
		i, _ := slices.BinarySearch(z.adj[a], w)
		z.dim[a][i] = other
	}
	left := 0
	for i := range z.dim[a] {
		if z.dim[a][i] < 0 {
			z.dim[a][i] = dim
			left++
		}
	}
	if left > 2 {
		return fmt.Errorf("%s has %d neighbours in one dimension, where a mesh or torus has at most 2", z.name(a), left)
	}
	return nil
}

// layers cuts the links of a dimension and numbers the remaining layers along their line or ring.
func (z *simpleGraph) layers(dim int32) ([]int32, error) {
	layer, first := z.cut(dim)
	near := make([][]int32, len(first))
	for s := range z.adj {
		for i, t := range z.adj[s] {
			a, b := layer[s], layer[t]
			if z.dim[s][i] != dim || slices.Contains(near[a], b) {
				continue
			}
			if near[a] = append(near[a], b); len(near[a]) > 2 || a == b {
				return nil, fmt.Errorf("the link of %s to %s does not fit the others", z.name(int32(s)), z.name(t))
			}
		}
	}
	start := int32(0)
	for a := range near {
		if len(near[a]) == 1 {
			start = int32(a)
			break
		}
	}
	number := slices.Repeat([]int32{-1}, len(first))
	count := int32(0)
	for a := start; a >= 0; count++ {
		number[a] = count
		next := int32(-1)
		for _, b := range near[a] {
			if number[b] < 0 && next < 0 {
				next = b
			}
		}
		a = next
	}
	for s := range layer {
		layer[s] = number[layer[s]]
		if layer[s] < 0 {
			return nil, fmt.Errorf("%s is not in line with the others", z.name(int32(s)))
		}
	}
	return layer, nil
}

// cut numbers the parts that remain without the links of a dimension, and returns the first switch
// of each.
func (z *simpleGraph) cut(dim int32) (layer, first []int32) {
	layer = slices.Repeat([]int32{-1}, len(z.adj))
	for s := range layer {
		if layer[s] >= 0 {
			continue
		}
		n := int32(len(first))
		first = append(first, int32(s))
		layer[s] = n
		stack := []int32{int32(s)}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for i, t := range z.adj[v] {
				if z.dim[v][i] != dim && layer[t] < 0 {
					layer[t] = n
					stack = append(stack, t)
				}
			}
		}
	}
	return layer, first
}

// distinct returns an error if two switches share coordinates.
func (z *simpleGraph) distinct(coords [][]int32) error {
	a, b, ok := sameCoords(coords)
	if ok {
		return fmt.Errorf("%s and %s have the same coordinates", z.name(int32(a)), z.name(int32(b)))
	}
	return nil
}

func (z *simpleGraph) name(s int32) string { return fabric.SwitchName(z.G, z.Switches[s]) }
