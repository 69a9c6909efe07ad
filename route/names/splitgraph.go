package names

import (
	"slices"

	"weft/route/names/colouring"
	"weft/route/paths"
)

// visit says that a class passes a node and leaves it by link out.
type visit struct{ class, out int32 }

// visits holds the visits of every node in order of class: node n has list[start[n]:start[n+1]].
type visits struct {
	start []int32
	list  []visit
}

func newVisits(c *classes) visits {
	v := visits{start: make([]int32, c.routing.nodes+2)}
	hops := 0
	for class := range int32(c.len()) {
		for _, h := range c.hops(class) {
			v.start[h.Node+2]++
			hops++
		}
	}
	for n := range c.routing.nodes {
		v.start[n+2] += v.start[n+1]
	}
	v.list = make([]visit, hops)
	for class := range int32(c.len()) {
		for _, h := range c.hops(class) {
			v.list[v.start[h.Node+1]] = visit{class, h.Out}
			v.start[h.Node+1]++
		}
	}
	return v
}

// at returns the visits of a node.
func (v *visits) at(node int32) []visit { return v.list[v.start[node]:v.start[node+1]] }

// SplitGraph returns the split graph of the paths of a set to an end port. A vertex is a path;
// equal paths share one.
func SplitGraph(set *paths.Set, dst int32) (*colouring.Graph, error) {
	c, err := newClasses(pathsTo(set, dst))
	if err != nil {
		return nil, err
	}
	return splitGraph(c), nil
}

// splitGraph builds the split graph (section V-C of paper 000): a vertex is a class, an edge joins
// two that split. At each node, the classes of one output link split from all others there. The
// cost is O(hops x classes / 64).
func splitGraph(c *classes) *colouring.Graph {
	g := colouring.NewGraph(c.len())
	all := newVisits(c)
	words := (c.len() + 63) / 64
	present, others := make([]uint64, words), make([]uint64, words)
	for node := range c.routing.nodes {
		here := all.at(node)
		clear(present)
		for _, v := range here {
			present[v.class/64] |= 1 << (v.class % 64)
		}
		for i, v := range here {
			sameLink := func(w visit) bool { return w.out == v.out }
			if slices.ContainsFunc(here[:i], sameLink) {
				continue // done with the first class of the link
			}
			copy(others, present)
			for _, w := range here[i:] {
				if sameLink(w) {
					others[w.class/64] &^= 1 << (w.class % 64)
				}
			}
			for _, w := range here[i:] {
				if !sameLink(w) {
					continue
				}
				row := g.Row(w.class)
				for k, bits := range others {
					row[k] |= bits
				}
			}
		}
	}
	return g
}
