package colouring

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDIMACS limits the vertices of a graph from a file: its rows take the square of their number in
// bits.
const maxDIMACS = 20_000

// ReadDIMACS reads a graph in the DIMACS format for colouring ("p edge V E", then "e u v" lines;
// "c" lines are notes). Edges may be repeated. A loop is an error, since it has no colouring, and
// so are fewer edges than the p line says. Errors begin with the name of the file and the line.
func ReadDIMACS(name string, r io.Reader) (*Graph, error) {
	var g *Graph
	said, edges := 0, 0
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for at := 1; lines.Scan(); at++ {
		fail := func(what string) (*Graph, error) { return nil, fmt.Errorf("%s:%d: %s", name, at, what) }
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
			if said, err = strconv.Atoi(f[3]); err != nil || said < 0 {
				return fail(fmt.Sprintf("%q edges (want a number)", f[3]))
			}
			g = NewGraph(n)
		case f[0] == "e" && len(f) == 3:
			if g == nil {
				return fail("an edge before the p line")
			}
			u, errU := strconv.Atoi(f[1])
			v, errV := strconv.Atoi(f[2])
			if errU != nil || errV != nil || min(u, v) < 1 || max(u, v) > g.Len() {
				return fail(fmt.Sprintf("edge %s %s (vertices are 1 to %d)", f[1], f[2], g.Len()))
			}
			if u == v {
				return fail(fmt.Sprintf("edge from %d to itself", u))
			}
			g.AddEdge(u-1, v-1)
			edges++
		default:
			return fail(fmt.Sprintf("%q is not a line of a DIMACS graph", lines.Text()))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if g == nil {
		return nil, fmt.Errorf("%s: no p line", name)
	}
	if edges < said {
		return nil, fmt.Errorf("%s: the p line says %d edges, but %d follow: the file may be truncated", name, said, edges)
	}
	return g, nil
}

// WriteDIMACS writes a graph in that format.
func WriteDIMACS(w io.Writer, g *Graph) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "p edge %d %d\n", g.Len(), g.NumEdges())
	for u := range g.Len() {
		for v := range u {
			if g.HasEdge(u, v) {
				fmt.Fprintf(b, "e %d %d\n", v+1, u+1)
			}
		}
	}
	return b.Flush()
}
