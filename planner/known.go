package planner

import (
	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/fabric/shape/fattree"
	"weft/fabric/shape/groups"
)

// known is an engine that delivers the most on a network, and why that is known.
type known struct{ engine, why string }

const (
	beft   = "ftree,balance=beft"
	zahavi = "ftree,balance=zahavi"
	even   = "dfsssp,paths=sssp,passes=3"
)

var (
	trees = shape{
		name: "fat-trees", best: []string{"ftree"}, advised: "ftree",
		decided: func(g *fabric.Graph, _ bool) []known {
			if fattree.IsWhole(g) {
				return []known{{"ftree", "a whole fat-tree"}}
			}
			return nil
		},
		order:   []string{"ftree", beft, "dfsssp", "nue", "lash", even, zahavi, "updn"},
		oneLane: []string{"ftree", beft, "nue", "updn", "dfsssp", "lash"},
	}
	grids = shape{
		name: "meshes and tori that they do not refuse", best: []string{"torus", "dor"}, advised: "dor or torus",
		decided: gridOrHyperX,
		order:   []string{"dfsssp", "lash", even, "nue", "updn"},
		oneLane: []string{"nue", "updn", "lash", "dfsssp"},
	}
	hyperXs = shape{
		name: "HyperX networks", best: []string{"hyperx", "dor"}, advised: "hyperx",
		decided: gridOrHyperX,
		order:   []string{"hyperx", "lash", "dfsssp", even, "nue", "updn"},
		oneLane: []string{"nue", "updn", "lash", "dfsssp"},
	}
	others = shape{
		name: "networks of this shape", best: []string{"dfsssp", "lash", "nue"}, advised: "dfsssp or nue",
		behind:  []string{"updn", "minhop", "sssp", "ftree"},
		decided: regular,
		order:   []string{"ftree", "dfsssp", even, "lash", "nue", "updn", beft, zahavi},
		oneLane: []string{"ftree", "nue", "updn", "dfsssp", "lash"},
	}
)

// gridOrHyperX returns the engines for a mesh or torus and for a HyperX. They route around few
// faults as well as any other engine. Where torus has no way around faults, it refuses. A HyperX
// may lack a twentieth of its links.
func gridOrHyperX(g *fabric.Graph, _ bool) (list []known) {
	if isGrid(g) {
		list = append(list, known{"torus", "a mesh or torus with at most few faults"})
	}
	if share := coords.HyperXShare(g); share >= .95 {
		list = append(list, known{"hyperx", "a HyperX with at most few faults"})
	}
	return list
}

// regular returns the engine for networks whose switches are alike: Dragonfly, Kautz, Slim Fly and
// other regular graphs, and Dragonfly+. Balanced shortest paths on lanes deliver as much as any
// there. Where hosts know no path records, few such Plans may be chosen.
func regular(g *fabric.Graph, oneLane bool) []known {
	const most = .03
	inner, outer := alike(g, false), alike(g, true)
	switch {
	case oneLane || g.NumHosts == 0 || outer.missing > most || inner.missing > most || outer.fewest+1 < outer.most:
		return nil
	case inner.switches > 0: // a tree, unless groups are linked to each other
		if _, err := groups.Find(g); err != nil {
			return nil
		}
	}
	return []known{{"dfsssp,relief=true", "a network of switches alike, with at most few faults"}, {"dfsssp", "a network of switches alike, with at most few faults"}}
}

// likeness says how much the switches of a network are alike.
type likeness struct {
	switches     int
	missing      float64 // share of the links that switches lack to have as many as the one with the most
	fewest, most int     // hosts of a switch
}

// alike compares the switches with hosts, or those without.
func alike(g *fabric.Graph, hosts bool) (l likeness) {
	links, degree := 0, 0
	for s := range int32(g.NumSwitches) {
		n := len(g.HostsOf(s))
		if n > 0 != hosts {
			continue
		}
		if l.switches == 0 || n < l.fewest {
			l.fewest = n
		}
		l.switches++
		l.most = max(l.most, n)
		links += len(g.OutOf(s))
		degree = max(degree, len(g.OutOf(s)))
	}
	if degree > 0 {
		l.missing = 1 - float64(links)/float64(degree*l.switches)
	}
	return l
}
