package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// greedy routes one LID after another (balance=zahavi, opensm-3.3.5, eft, beft, beft-regular). A
// LID has a main path down to it, through one switch of each level; all other switches lead up
// until they meet it. The main path grows from the LID up, over the link and to the switch with the
// fewest main paths. This is the classic routing (Zahavi), with the additions of papers I and VI.
type greedy struct {
	t      *tree
	lids   *lidOrder
	tables *route.Tables

	bySwitch   bool   // beft, beft-regular: loads of switches count too
	together   bool   // beft: rack switches send to a switch that another one sends to already
	shortDummy bool   // opensm-3.3.5: a dummy counts only on the first link of its path
	firstWay   bool   // eft: the first way to the main path, not the least loaded one
	multihomed string // mftree, mftree-printed, standby: the main paths of one node use different switches
	dummies    int32  // zahavi: end ports of a leaf, including missing ones

	loads greedyLoads
	main  mainPath
	node  nodePaths
	nextHopCache
}

// greedyLoads counts the paths of the LIDs routed so far.
type greedyLoads struct {
	link    []int32 // by link: main paths down it, or switches that send up it
	through []int32 // by switch: main paths through it
	sendsUp []int32 // by switch: LIDs for which switches below send up to it
	cameUp  []int32 // by link: switches with hosts whose packets came up it (multihomed)
}

// mainPath is the main path to one LID, and the ways of other switches to it. Each LID has a round,
// so that nothing must be cleared.
type mainPath struct {
	round   int32
	step    []step  // by switch: the last main path through it
	leadsTo []int32 // by switch: last round when it was on the main path or led up to it
	sentUp  []int32 // by switch: last round when switches below sent up to it
	upStep  []step  // by switch: its last step up (multihomed)
}

// step is the link of a path from a switch, and its bundle.
type step struct{ round, bundle, link int32 }

// nodePaths holds the main paths to the other ports of a node (multihomed).
type nodePaths struct {
	usedBy   []int32    // by switch: last node with a main path through it to another port, plus 1
	switches [][]int32  // by host: the switches of its main paths
	previous fabric.LID // of the node's port routed before this one, 0 for none
}

// greedy routes by the classic algorithm.
func (e *engine) greedy(ctx context.Context, in *route.Input, r *reachability, lids *lidOrder) (*route.Tables, error) {
	n, links := in.Graph.NumSwitches, len(r.t.LinkPort)
	balance := e.String("balance")
	w := &greedy{
		t: r.t, lids: lids, nextHopCache: nextHopCache{r: r}, tables: route.NewTables(n, in.Ends.Top()),
		multihomed: e.String("multihomed"), bySwitch: balance == beft || balance == beftRegular,
		together: balance == beft, shortDummy: balance == opensm335, firstWay: balance == eft,
		loads: greedyLoads{make([]int32, links), make([]int32, n), make([]int32, n), make([]int32, links)},
		main:  mainPath{0, make([]step, n), make([]int32, n), make([]int32, n), make([]step, n)},
		node:  nodePaths{usedBy: make([]int32, n), switches: make([][]int32, in.Graph.NumHosts)},
	}
	if !w.bySwitch {
		w.dummies = mostHosts(r.t)
	}
	return w.tables, w.run(ctx, &in.Ends)
}

// run routes the LIDs of all switches in their order: with mftree or mftree-printed all ports of a
// node together, with standby the first ports of all nodes before the others.
func (w *greedy) run(ctx context.Context, ends *route.Ends) error {
	g := w.t.G
	var later []int32
	routed := make([]bool, g.NumHosts)
	for _, s := range w.lids.switches {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, h := range g.HostsOf(s) {
			n := g.EndNode[h]
			ports := g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
			switch {
			case routed[h]:
			case w.multihomed == none:
				w.routeEnd(ends, h)
			case w.multihomed == standby && h != ports[0]:
				later = append(later, h)
			case w.multihomed == standby:
				w.routeEnd(ends, h)
			default:
				for _, p := range ports {
					routed[p] = true
					w.routeSibling(ends, p)
				}
			}
		}
		if w.t.Level[s] == 0 {
			for range w.dummies - g.HostCount(s) {
				w.takeMainPath(s, -1)
			}
		}
	}
	for _, h := range later {
		w.routeSibling(ends, h)
	}
	for s := range int32(g.NumSwitches) {
		for _, end := range g.OthersOf(s) {
			w.routeEnd(ends, end)
		}
	}
	return ctx.Err()
}

// routeSibling routes to an end port apart from the paths to earlier ports of its node.
func (w *greedy) routeSibling(ends *route.Ends, end int32) {
	g := w.t.G
	n := g.EndNode[end]
	w.node.previous = 0
	for _, p := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
		if p == end {
			break
		}
		w.node.previous = ends.Base[p]
		for _, s := range w.node.switches[p] {
			w.node.usedBy[s] = n + 1
		}
	}
	w.routeEnd(ends, end)
	w.node.previous = 0
}

// routeEnd routes the LIDs of an end port.
func (w *greedy) routeEnd(ends *route.Ends, end int32) {
	g := w.t.G
	s := g.EndSwitch[end]
	for k := range ends.Count(end) {
		lid := ends.Base[end] + fabric.LID(k)
		hops := w.takeMainPath(s, end)
		w.tables.Set(s, lid, g.EndPort[end])
		w.routeToMainPath(hops, lid, end)
	}
}

// takeMainPath chooses the main path to a switch for an end port there, -1 for a dummy. If a link
// to another switch of its level ends a path, it adds a main path over it.
func (w *greedy) takeMainPath(s, end int32) *nextHops {
	hops := w.towards(s)
	w.main.round++
	w.main.leadsTo[s] = w.main.round
	w.extendUp(hops, s, end)
	for _, v := range w.t.NeighboursOf(s) {
		if w.t.Level[v] != w.t.Level[s] {
			continue
		}
		for _, i := range hops.from(v) {
			if w.t.Neighbour[i] == s {
				w.addToMainPath(v, i, end)
				w.extendUp(hops, v, end)
			}
		}
	}
	return hops
}

// extendUp extends a main path up from a switch.
func (w *greedy) extendUp(hops *nextHops, from, end int32) {
	for from >= 0 {
		next, least, bundle := int32(-1), int32(0), int32(-1)
		for _, u := range w.t.NeighboursOf(from) {
			if w.t.Level[u] <= w.t.Level[from] {
				continue
			}
			for _, i := range hops.from(u) {
				if w.t.Neighbour[i] != from {
					continue
				}
				if load, _ := w.leastLoad(i); next < 0 || w.isBetterSwitch(u, load, next, least, end) {
					next, least, bundle = u, load, i
				}
			}
		}
		if next >= 0 {
			w.addToMainPath(next, bundle, end)
		}
		if end < 0 && w.shortDummy {
			return
		}
		from = next
	}
}

// addToMainPath adds a switch to the main path, with its output bundle.
func (w *greedy) addToMainPath(s, bundle, end int32) {
	_, link := w.leastLoad(bundle)
	w.main.leadsTo[s], w.main.step[s] = w.main.round, step{w.main.round, bundle, link}
	if end < 0 || w.t.G.IsHost(end) {
		w.loads.link[link]++
		w.loads.through[s]++
	}
	if w.multihomed != none && end >= 0 && w.t.G.IsHost(end) {
		w.node.switches[end] = append(w.node.switches[end], s)
	}
}

// isBetterSwitch reports whether a path through switch u is better than one through v.
func (w *greedy) isBetterSwitch(u, loadU, v, loadV, end int32) bool {
	if w.multihomed != none && end >= 0 {
		node := w.t.G.EndNode[end] + 1
		if a, b := w.node.usedBy[u] == node, w.node.usedBy[v] == node; a != b {
			return b
		}
	}
	if loadU != loadV || !w.bySwitch {
		return loadU < loadV
	}
	return w.loads.through[u] < w.loads.through[v]
}

// leastLoad returns the least load of the links of a bundle, and the first link with that load.
func (w *greedy) leastLoad(bundle int32) (load, link int32) {
	link = w.t.LinkStart[bundle]
	for i := link + 1; i < w.t.LinkStart[bundle+1]; i++ {
		if w.loads.link[i] < w.loads.link[link] {
			link = i
		}
	}
	return w.loads.link[link], link
}

// routeToMainPath routes a LID from every switch to the main path if possible, otherwise over the
// least loaded link.
func (w *greedy) routeToMainPath(hops *nextHops, lid fabric.LID, end int32) {
	counts := w.t.G.IsHost(end)
	for k, s := range hops.order {
		if on := w.main.step[s]; on.round == w.main.round {
			w.tables.Set(s, lid, w.t.LinkPort[on.link])
			continue
		}
		best, least := int32(-1), int32(0)
		for _, i := range hops.fromPlace(k) {
			if load, _ := w.leastLoad(i); best < 0 || w.isBetterBundle(s, i, load, best, least, end) {
				best, least = i, load
			}
		}
		_, link := w.leastLoad(best)
		if v := w.t.Neighbour[best]; w.t.Level[v] >= w.t.Level[s] {
			w.sendUp(s, v, step{w.main.round, best, link}, counts)
		}
		w.tables.Set(s, lid, w.t.LinkPort[link])
	}
	if w.multihomed != none && counts {
		w.countCameUp(hops)
	}
}

// sendUp records that a switch sends up to another one.
func (w *greedy) sendUp(s, v int32, by step, counts bool) {
	if w.main.leadsTo[v] == w.main.round {
		w.main.leadsTo[s] = w.main.round
	}
	w.main.upStep[s] = by
	if !counts {
		return
	}
	w.loads.link[by.link]++
	if w.main.sentUp[v] != w.main.round {
		w.main.sentUp[v] = w.main.round
		w.loads.sendsUp[v]++
	}
}

// countCameUp counts the switches with hosts whose packets come up each link.
func (w *greedy) countCameUp(hops *nextHops) {
	for k := len(hops.order) - 1; k >= 0; k-- {
		s := hops.order[k]
		if len(w.t.G.HostsOf(s)) == 0 {
			continue
		}
		for x := s; w.main.upStep[x].round == w.main.round; x = w.t.Neighbour[w.main.upStep[x].bundle] {
			w.loads.cameUp[w.main.upStep[x].link]++
		}
	}
}

// cameUpBeyond returns the number of switches counted on the link that a switch sends up over.
func (w *greedy) cameUpBeyond(s int32) int32 {
	if w.main.upStep[s].round != w.main.round {
		return 0
	}
	return w.loads.cameUp[w.main.upStep[s].link]
}

// previousPort returns a switch's entry of the node's port routed before this one.
func (w *greedy) previousPort(s int32) uint8 {
	if w.node.previous == 0 {
		return route.NoPort
	}
	return w.tables.Port(s, w.node.previous)
}

// isBetterBundle reports whether bundle i from s is a better way to the main path than bundle j. In
// paper I a rack switch sends where another one sends already, or else to the switch with the
// fewest destinations. Before, it says, a rack switch took the first way that reached it.
//
// mftree has two rules more than algorithm 4 of paper VI, which is about the main path alone. A
// switch sends to two ports of a node over different links, as section VI-B says ("separated from
// the very beginning"). Of ways with equal loads it takes the one where the packets of the fewest
// leaves come up.
func (w *greedy) isBetterBundle(s, i, loadI, j, loadJ, end int32) bool {
	u, v := w.t.Neighbour[i], w.t.Neighbour[j]
	if a, b := w.main.leadsTo[u] == w.main.round, w.main.leadsTo[v] == w.main.round; a != b {
		return a
	}
	if taken := w.previousPort(s); w.multihomed != printed && taken != route.NoPort {
		if a, b := slices.Contains(w.t.PortsOf(i), taken), slices.Contains(w.t.PortsOf(j), taken); a != b {
			return b
		}
	}
	if w.firstWay && w.main.leadsTo[u] == w.main.round {
		return false
	}
	if w.together {
		if a, b := w.main.sentUp[u] == w.main.round, w.main.sentUp[v] == w.main.round; a != b {
			return a
		}
		if w.loads.sendsUp[u] != w.loads.sendsUp[v] && w.main.sentUp[u] != w.main.round {
			return w.loads.sendsUp[u] < w.loads.sendsUp[v]
		}
	}
	if node := w.t.G.EndNode[end] + 1; w.multihomed != none && w.multihomed != printed && loadI == loadJ && w.node.usedBy[u] != node && w.node.usedBy[v] != node {
		return w.cameUpBeyond(u) < w.cameUpBeyond(v)
	}
	if w.multihomed == printed {
		end = -1 // the flags of redundancy are for main paths
	}
	return w.isBetterSwitch(u, loadI, v, loadJ, end)
}
