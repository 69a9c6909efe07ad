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
		order:   []string{"ftree", beft, zahavi, "dfsssp", "nue", "lash", even, "updn"},
		oneLane: []string{"ftree", beft, "nue", "updn", "dfsssp", "lash"},
	}
	grids = shape{
		kind: "mesh or torus", name: "meshes and tori that they do not refuse", best: []string{"torus", "dor"}, advised: "dor or torus",
		decided: gridOrHyperX,
		order:   []string{"torus", "dor", "lash", "dfsssp", even, "nue", "updn", "hyperx"},
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
	// few is the largest share of missing links of a network that still counts as known.
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
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) != len(g.HostsOf(0)) {
			return false
		}
	}
	return !hasParallel(g)
}

// hasParallel reports whether several links join two switches.
func hasParallel(g *fabric.Graph) bool {
	linked := map[[2]int32]bool{}
	for c := range int32(g.NumChannels) {
		linked[[2]int32{g.From[c], g.To[c]}] = true
	}
	return len(linked) < g.NumChannels
}

// gridOrHyperX returns the engines for a mesh or torus and for a HyperX. They route around few
// faults as well as any other engine. A HyperX has more ways, so that two faults in a hundred links
// are enough for other engines to find better ones. Engines use parallel links in different
// manners, and none of them is best on all grids: gridOrHyperX returns no torus engine there.
func gridOrHyperX(g *fabric.Graph, _ bool) (list []known) {
	missing := few
	if IsSmall(g) {
		if !isEven(g) {
			return nil
		}
		missing = 0
	}
	if !hasParallel(g) && coords.GridShare(g) >= 1-missing {
		list = append(list, known{"torus", "a mesh or torus with at most few faults"})
	}
	if coords.HyperXShare(g) >= 1-missing/2 {
		list = append(list, known{"hyperx", "a HyperX with at most few faults"})
	}
	return list
}

// regular returns the engine for networks whose switches are alike: groups linked to each other
// (Dragonfly, Dragonfly+) with few faults, and other whole networks (Kautz, Slim Fly, random ones
// of one degree). Where most switches have one shortest path to each other, there is little to
// balance, and lash with relief has the least congestion in shifts. Elsewhere the most balanced
// paths, with relief, are within 1 % of the best in both figures. Where hosts know no path records,
// few such Plans may be chosen.
func regular(g *fabric.Graph, oneLane bool) []known {
	inner, outer := alike(g, false), alike(g, true)
	if IsSmall(g) && (outer.fewest < outer.most || outer.missing > 0) {
		return nil
	}
	if oneLane || g.NumHosts == 0 || outer.missing > few || inner.missing > few || outer.fewest+1 < outer.most {
		return nil
	}
	why := "linked groups of switches alike, with at most few faults"
	if _, err := groups.Find(g); err != nil {
		if inner.switches > 0 || outer.missing > 0 { // a kind of tree, or damage that changes the choice
			return nil
		}
		why = "a whole network of switches alike"
	}
	if inner.switches == 0 && onlyPaths(g) >= mostlyOne {
		return []known{{"lash,relief=true", why + ", most with one shortest path to each other"}, {"dfsssp,relief=true", why}, {"dfsssp", why}}
	}
	return []known{{even + ",relief=true", why}, {"dfsssp,relief=true", why}, {"dfsssp", why}}
}

const (
	// mostlyOne is the least share of pairs of switches with one shortest path where lash is known
	// to be best.
	mostlyOne = .65
	// pathSources bounds the number of switches whose shortest paths are counted.
	pathSources = 64
)

// onlyPaths returns the share of pairs of switches with one shortest path to each other, over paths
// from switches at equal distances in their list.
func onlyPaths(g *fabric.Graph) float64 {
	search, ways := g.NewSearch(nil), make([]int8, g.NumSwitches)
	one, all := 0, 0
	for s := 0; s < g.NumSwitches; s += (g.NumSwitches + pathSources - 1) / pathSources {
		search.From(int32(s))
		clear(ways)
		ways[s] = 1
		for _, x := range search.Order { // the nearest first
			for _, c := range g.OutOf(x) {
				if to := g.To[c]; search.Hops[to] > search.Hops[x] {
					ways[to] = min(ways[to]+ways[x], 2) // one or several
				}
			}
			if all++; ways[x] == 1 {
				one++
			}
		}
		one, all = one-1, all-1 // to itself
	}
	return float64(one) / float64(max(all, 1))
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
