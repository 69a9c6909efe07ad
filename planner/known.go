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
		kind: "fat-tree", name: "fat-trees", best: []string{"ftree"}, advised: "ftree",
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
		kind: "mesh or torus", name: "meshes and tori that they do not refuse", best: []string{"torus", "dor"}, advised: "dor or torus",
		decided: gridOrHyperX,
		order:   []string{"torus", "lash", "dfsssp", even, "updn"},
		oneLane: []string{"nue", "updn", "lash", "dfsssp"},
	}
	hyperXs = shape{
		kind: "HyperX", name: "HyperX networks", best: []string{"hyperx", "dor"}, advised: "hyperx",
		decided: gridOrHyperX,
		order:   []string{"hyperx", "lash", "dfsssp", even, "updn"},
		oneLane: []string{"nue", "updn", "lash", "dfsssp"},
	}
	others = shape{
		kind: "other", name: "networks of this shape", best: []string{"dfsssp", "lash", "nue"}, advised: "dfsssp or nue",
		behind:  []string{"updn", "minhop", "sssp", "ftree"},
		decided: regular,
		order:   []string{"ftree", "dfsssp", even, "lash", "nue", "updn", beft, zahavi},
		oneLane: []string{"ftree", "nue", "updn", "dfsssp", "lash"},
	}
)

// Prediction says which engine Auto expects to deliver the most, before it routes a network.
type Prediction struct {
	Kind   string
	Engine string // the one taken without trials, or tried first
	Known  bool   // taken without trials, unless it refuses
}

// Predict recognises a network by the Graph alone: its links, its hosts, coordinates or groups in
// descriptions if links agree with them.
func Predict(g *fabric.Graph) Prediction {
	kind := shapeOf(g)
	known := kind.decided(g, false)
	switch {
	case len(known) == 0:
		return Prediction{kind.kind, kind.order[0], false}
	case kind == &others:
		return Prediction{"switches alike", known[0].engine, true}
	}
	return Prediction{kind.kind, known[0].engine, true}
}

const (
	// few is the largest share of missing links up to which a network counts as known.
	few = .03
	// small is the largest number of table entries of a small network. All engines route it in
	// some milliseconds. Only a whole and even one is decided without trials.
	small = 2500
)

// IsSmall reports whether a network is small: all engines together route it in a moment.
func IsSmall(g *fabric.Graph) bool { return g.NumSwitches*g.NumEnds <= small }

// isEven reports whether all switches have the same number of hosts, and no two of them have
// several links.
func isEven(g *fabric.Graph) bool {
	linked := map[[2]int32]bool{}
	for c := range int32(g.NumChannels) {
		linked[[2]int32{g.From[c], g.To[c]}] = true
	}
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) != len(g.HostsOf(0)) {
			return false
		}
	}
	return len(linked) == g.NumChannels
}

// gridOrHyperX returns the engines for a mesh or torus and for a HyperX. They route around few
// faults as well as any other engine. A HyperX has more ways, so that two faults in a hundred links
// are enough for other engines to find better ones.
func gridOrHyperX(g *fabric.Graph, _ bool) (list []known) {
	missing := few
	if IsSmall(g) {
		if !isEven(g) {
			return nil
		}
		missing = 0
	}
	if coords.GridShare(g) >= 1-missing {
		list = append(list, known{"torus", "a mesh or torus with at most few faults"})
	}
	if coords.HyperXShare(g) >= 1-missing/2 {
		list = append(list, known{"hyperx", "a HyperX with at most few faults"})
	}
	return list
}

// regular returns the engine for networks whose switches are alike. On linked groups (Dragonfly,
// Dragonfly+) that is lash with relief: it has the least congestion in shifts, and 1.1 % less
// bandwidth than the best at most. On whole Kautz graphs, Slim Flies and other regular graphs it is
// dfsssp with relief. Where hosts know no path records, few such Plans may be chosen.
func regular(g *fabric.Graph, oneLane bool) []known {
	inner, outer := alike(g, false), alike(g, true)
	if IsSmall(g) && (outer.fewest < outer.most || outer.missing > 0) {
		return nil
	}
	if oneLane || g.NumHosts == 0 || outer.missing > few || inner.missing > few || outer.fewest+1 < outer.most {
		return nil
	}
	_, err := groups.Find(g)
	switch {
	case err == nil:
		const why = "linked groups of switches alike, with at most few faults"
		return []known{{"lash,relief=true", why}, {"dfsssp,relief=true", why}, {"dfsssp", why}}
	case inner.switches > 0 || outer.missing > 0: // a kind of tree, or damage that changes the choice
		return nil
	}
	const why = "a whole network of switches alike"
	return []known{{"dfsssp,relief=true", why}, {"dfsssp", why}}
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
