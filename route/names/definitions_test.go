package names

import (
	"weft/route/names/colouring"
)

// split reports whether two paths to one destination split (Definition 1): some node
// is on both, and they leave it by different links.
func split(p, q []Hop) bool {
	for _, a := range p {
		for _, b := range q {
			if a.Node == b.Node && a.Out != b.Out {
				return true
			}
		}
	}
	return false
}

// findSplit returns two paths that split and have the same colour, if there are any;
// without any, every colour is a configuration (Definition 2).
func findSplit(r *Routing, colour []int32) (p, q int, found bool) {
	for p := range r.Len() {
		for q := range p {
			if colour[p] == colour[q] && split(r.Path(p), r.Path(q)) {
				return q, p, true
			}
		}
	}
	return 0, 0, false
}

// minimal reports whether the colours, which must be configurations, are a minimal
// configuration set (Definition 4): no two of them could be one.
func minimal(r *Routing, colour []int32) bool {
	k := int32(colouring.NumColours(colour))
	for b := range k {
		for a := range b {
			merged := make([]int32, len(colour))
			for p, c := range colour {
				merged[p] = c
				if c == b {
					merged[p] = a
				}
			}
			if _, _, found := findSplit(r, merged); !found {
				return false
			}
		}
	}
	return true
}

// plainSplitGraph is the split graph of all paths, equal ones apart.
func plainSplitGraph(r *Routing) *colouring.Graph {
	g := colouring.NewGraph(r.Len())
	for p := range r.Len() {
		for q := range p {
			if split(r.Path(p), r.Path(q)) {
				g.AddEdge(p, q)
			}
		}
	}
	return g
}
