package routing

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"weft/route/names"
	"weft/route/names/colouring"
	"weft/route/names/hardness"
	"weft/study"
)

// LIDs is the document of `weft lids --json`: the fewest LIDs for the paths to one port, given the
// graph of their splits.
type LIDs struct {
	Paths  int `json:"paths"`  // vertices of the graph
	Splits int `json:"splits"` // its edges
	Nodes  int `json:"nodes"`  // nodes of the network where the reduction of paper 000 has such paths
	Hops   int `json:"hops"`   // of the longest path there
	// Scheme is the assignment; K is the number of its LIDs, Least a lower bound for any
	// assignment, 0 if it computes none.
	Scheme string  `json:"scheme"`
	K      int     `json:"k"`
	Least  int     `json:"least_k,omitempty"`
	LIDs   int     `json:"lids"`             // K rounded up to a power of 2
	Colour []int32 `json:"colours"`          // by vertex, from 0
	Solver *Solver `json:"solver,omitempty"` // of --names ilp
}

// NewLIDs turns a graph into paths by the reduction, and assigns LIDs to them.
func NewLIDs(ctx context.Context, g *colouring.Graph, scheme *names.Scheme, opt names.Options) (*LIDs, error) {
	r := hardness.Reduce(g)
	r.To = "graph" // names the files of programmes
	opt.Goal = names.Colours
	colour, b, err := scheme.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out := &LIDs{Paths: g.Len(), Splits: g.NumEdges(), Nodes: 2*g.Len() + g.NumEdges() + 1, Scheme: scheme.Name, K: int(b.Upper), LIDs: 1 << names.LMC(int(b.Upper)), Colour: colour}
	if scheme.Proves {
		out.Least = int(b.Lower)
	}
	for p := range r.Len() {
		out.Hops = max(out.Hops, len(r.Path(p)))
	}
	return out, nil
}

// Write prints the document for people.
func (o *LIDs) Write(w io.Writer) error {
	proof := ""
	switch o.Least {
	case 0:
	case o.K:
		proof = ", proven: no fewer hold these paths"
	default:
		proof = fmt.Sprintf(", and no fewer than %d", o.Least)
	}
	rows := [][]string{
		{"paths", fmt.Sprintf("%d to one port, %d pairs split", o.Paths, o.Splits)},
		{"network", fmt.Sprintf("%d nodes, the longest path has %d hops", o.Nodes, o.Hops)},
		{"LIDs in use", fmt.Sprintf("%d by %s%s", o.K, o.Scheme, proof)},
		{"LIDs", fmt.Sprintf("%d (LMC %d)", o.LIDs, names.LMC(o.K))},
	}
	if o.Solver != nil {
		rows = append(rows, []string{"solver", o.Solver.String()})
	}
	return study.Table(w, rows)
}

// WriteReduction writes the paths that the reduction of paper 000 makes of a graph, one a line: its
// number and its nodes. The last node leads to the destination.
func WriteReduction(w io.Writer, g *colouring.Graph) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "# path\tits nodes; the last leads to the destination\n")
	r := hardness.Reduce(g)
	for p := range r.Len() {
		fmt.Fprintf(b, "%d", p+1)
		for _, h := range r.Path(p) {
			fmt.Fprintf(b, "\t%d", h.Node)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}
