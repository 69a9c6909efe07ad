package names

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Reduce is the reduction of Theorem 1 of paper 000: paths to one destination whose
// split graph is g, so that they need as many LIDs as g needs colours. Path u goes
// from node n_u through a node for each edge of u, in order of the neighbours, to
// n_u' and on to the destination. It has no loop, and paths of vertices that are not
// adjacent share no node. The graph of the instance needs 2|V| + |E| + 1 nodes.
func Reduce(g *Graph) *Routing {
	edge := map[[2]int32]int32{}
	n := int32(g.n)
	for u := range n {
		for _, v := range members(nil, g.row(u)) {
			if u < v {
				edge[[2]int32{u, v}] = 2*n + int32(len(edge))
			}
		}
	}
	goal := 2*n + int32(len(edge))
	r := &Routing{}
	var nodes []int32
	for u := range n {
		nodes = append(nodes[:0], u)
		for _, v := range members(nil, g.row(u)) {
			nodes = append(nodes, edge[[2]int32{min(u, v), max(u, v)}])
		}
		nodes = append(nodes, n+u, goal)
		r.begin()
		for i, node := range nodes[:len(nodes)-1] {
			r.hop(Hop{node, nodes[i+1]}) // one link to each next node
		}
		r.end()
	}
	return r
}

// maxDIMACS bounds the vertices of a graph that is read: its rows take the square
// of them in bits.
const maxDIMACS = 20_000

// ReadDIMACS reads a graph in the DIMACS format for colouring ("p edge V E", then
// "e u v" lines; "c" lines are notes). Edges may be given twice; a loop is an error,
// since no colouring can be right.
func ReadDIMACS(r io.Reader) (*Graph, error) {
	var g *Graph
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for at := 1; lines.Scan(); at++ {
		fail := func(what string) (*Graph, error) { return nil, fmt.Errorf("line %d: %s", at, what) }
		f := strings.Fields(lines.Text())
		if len(f) == 0 || f[0] == "c" {
			continue
		}
		switch {
		case f[0] == "p" && len(f) == 4 && (f[1] == "edge" || f[1] == "col" || f[1] == "edges"):
			n, err := strconv.Atoi(f[2])
			if g != nil {
				return fail("a second p line")
			}
			if err != nil || n < 0 || n > maxDIMACS {
				return fail(fmt.Sprintf("%q vertices (want 0 to %d)", f[2], maxDIMACS))
			}
			g = NewGraph(n)
		case f[0] == "e" && len(f) == 3:
			if g == nil {
				return fail("an edge before the p line")
			}
			u, errU := strconv.Atoi(f[1])
			v, errV := strconv.Atoi(f[2])
			if errU != nil || errV != nil || min(u, v) < 1 || max(u, v) > g.n {
				return fail(fmt.Sprintf("edge %s %s (vertices are 1 to %d)", f[1], f[2], g.n))
			}
			if u == v {
				return fail(fmt.Sprintf("edge from %d to itself", u))
			}
			g.AddEdge(u-1, v-1)
		default:
			return fail(fmt.Sprintf("%q is no line of a DIMACS graph", lines.Text()))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("no p line")
	}
	return g, nil
}
