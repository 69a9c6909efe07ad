package hardness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/route/names/colouring"
)

// maxDIMACS bounds the vertices of a graph that is read: its rows take as many bits as
// the square of them.
const maxDIMACS = 20_000

// ReadDIMACS reads a graph in the DIMACS format for colouring ("p edge V E", then
// "e u v" lines; "c" lines are notes). Edges may be given twice; a loop is an error,
// since no colouring can be right.
func ReadDIMACS(r io.Reader) (*colouring.Graph, error) {
	var g *colouring.Graph
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for at := 1; lines.Scan(); at++ {
		fail := func(what string) (*colouring.Graph, error) { return nil, fmt.Errorf("line %d: %s", at, what) }
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
			g = colouring.NewGraph(n)
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
		default:
			return fail(fmt.Sprintf("%q is no line of a DIMACS graph", lines.Text()))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, errors.New("no p line")
	}
	return g, nil
}
