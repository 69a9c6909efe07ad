package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// greedy routes one LID after the other. A LID has a main way down to it, through
// one switch of each level; all others go up to where they meet it. The main way is
// found from the LID up, over the link and to the switch that the fewest main ways
// use. This is the classic routing (Zahavi), with what papers I and VI add to it.
type greedy struct {
	t      *tree
	l      *list
	tables *route.Tables

	bySwitch bool   // beft: loads of switches count as well as those of links
	homes    string // mftree, standby: the main ways of one node use different switches
	dummies  int32

	load   []int32    // by link: main ways down it, or switches that go up it
	total  []int32    // by switch: main ways through it
	sends  []int32    // by switch: LIDs that it sends up to for switches below
	leads  []int32    // by switch: the last round whose main way it is on or leads up to
	on     []step     // by switch: the last main way through it
	sent   []int32    // by switch: the last round in which it did
	used   []int32    // by switch: the last node with a main way through it to another port, plus 1
	mains  [][]int32  // by host: the switches of its main ways
	before fabric.LID // of the port of the node that was routed before, 0 for none
	round  int32

	// With homes: where switches send the LID at hand up to, and how many switches
	// with hosts have come up by each link so far.
	taken   []step
	through []int32

	finder
}

// step is how a main way leaves a switch.
type step struct{ round, group, link int32 }

func newGreedy(in *route.Input, r *reach, l *list) *greedy {
	n := in.Graph.NumSwitches
	return &greedy{
		t: r.t, l: l, finder: finder{r: r}, tables: route.NewTables(n, in.Ends.Top()),
		load: make([]int32, len(r.t.port)), total: make([]int32, n),
		sends: make([]int32, n), sent: make([]int32, n),
		leads: make([]int32, n), on: make([]step, n), used: make([]int32, n), mains: make([][]int32, in.Graph.NumHosts),
		taken: make([]step, n), through: make([]int32, len(r.t.port)),
	}
}

// run routes the LIDs of all switches in their order: with mftree all ports of a node
// together, with standby the first ports of all nodes before the others.
func (w *greedy) run(ctx context.Context, ends *route.Ends) error {
	g := w.t.g
	var later []int32
	routed := make([]bool, g.NumHosts)
	for _, s := range w.l.at {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, h := range g.HostsOf(s) {
			n := g.EndNode[h]
			ports := g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
			switch {
			case routed[h]:
			case w.homes == none:
				w.routeEnd(ends, h)
			case w.homes == standby && h != ports[0]:
				later = append(later, h)
			case w.homes == standby:
				w.routeEnd(ends, h)
			default:
				for _, p := range ports {
					routed[p] = true
					w.routeAfter(ends, p)
				}
			}
		}
		if w.t.height[s] == 0 {
			for range w.dummies - (g.HostStart[s+1] - g.HostStart[s]) {
				w.mainWay(s, -1)
			}
		}
	}
	for _, h := range later {
		w.routeAfter(ends, h)
	}
	for s := range int32(g.NumSwitches) {
		w.routeEnd(ends, g.PortZero(s))
	}
	return ctx.Err()
}

// routeAfter routes to an end port away from the ways to those of its node before it.
func (w *greedy) routeAfter(ends *route.Ends, end int32) {
	g := w.t.g
	n := g.EndNode[end]
	w.before = 0
	for _, p := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
		if p == end {
			break
		}
		w.before = ends.Base[p]
		for _, s := range w.mains[p] {
			w.used[s] = n + 1
		}
	}
	w.routeEnd(ends, end)
	w.before = 0
}

// routeEnd routes the LIDs of an end port.
func (w *greedy) routeEnd(ends *route.Ends, end int32) {
	g := w.t.g
	s := g.EndSwitch[end]
	for k := range ends.Count(end) {
		lid := ends.Base[end] + fabric.LID(k)
		ways := w.mainWay(s, end)
		w.tables.Set(s, lid, g.EndPort[end])
		w.others(ways, lid, end)
	}
}

// mainWay chooses the main way to a switch for an end port there, -1 for a dummy. Where
// it has mates others come up to, it has one more through each of them.
func (w *greedy) mainWay(s, end int32) *ways {
	ways := w.to(s)
	w.round++
	w.leads[s] = w.round
	w.climb(ways, s, end)
	first, last := w.t.groupsOf(s)
	for _, v := range w.t.to[first:last] {
		if w.t.height[v] != w.t.height[s] {
			continue
		}
		for _, i := range ways.of(v) {
			if w.t.to[i] == s {
				w.pass(v, i, end)
				w.climb(ways, v, end)
			}
		}
	}
	return ways
}

// climb leads a main way on, up from a switch.
func (w *greedy) climb(ways *ways, from, end int32) {
	for from >= 0 {
		next, least, group := int32(-1), int32(0), int32(-1)
		first, last := w.t.groupsOf(from)
		for _, u := range w.t.to[first:last] {
			if w.t.height[u] <= w.t.height[from] {
				continue
			}
			for _, i := range ways.of(u) {
				if w.t.to[i] != from {
					continue
				}
				if load, _ := w.least(i); next < 0 || w.better(u, load, next, least, end) {
					next, least, group = u, load, i
				}
			}
		}
		if next >= 0 {
			w.pass(next, group, end)
		}
		from = next
	}
}

// pass puts a switch on a main way, which leaves it by a group.
func (w *greedy) pass(s, group, end int32) {
	_, link := w.least(group)
	w.leads[s], w.on[s] = w.round, step{w.round, group, link}
	if end < 0 || !w.t.g.IsPortZero(end) {
		w.load[link]++
		w.total[s]++
	}
	if w.homes != none && end >= 0 && !w.t.g.IsPortZero(end) {
		w.mains[end] = append(w.mains[end], s)
	}
}

// better says whether a way through switch u is better than one through v.
func (w *greedy) better(u, loadU, v, loadV, end int32) bool {
	if w.homes != none && end >= 0 {
		node := w.t.g.EndNode[end] + 1
		if a, b := w.used[u] == node, w.used[v] == node; a != b {
			return b
		}
	}
	if loadU != loadV || !w.bySwitch {
		return loadU < loadV
	}
	return w.total[u] < w.total[v]
}

// least is the least load of the links of a group, and the first that has it.
func (w *greedy) least(group int32) (load, link int32) {
	link = w.t.link[group]
	for i := link + 1; i < w.t.link[group+1]; i++ {
		if w.load[i] < w.load[link] {
			link = i
		}
	}
	return w.load[link], link
}

// others leads every switch to the main way where it can, otherwise over the least
// loaded link.
func (w *greedy) others(ways *ways, lid fabric.LID, end int32) {
	counts := !w.t.g.IsPortZero(end)
	for k, s := range ways.order {
		if on := w.on[s]; on.round == w.round {
			w.tables.Set(s, lid, w.t.port[on.link])
			continue
		}
		best, least := int32(-1), int32(0)
		for _, i := range ways.at(k) {
			if load, _ := w.least(i); best < 0 || w.meets(s, i, load, best, least, end) {
				best, least = i, load
			}
		}
		_, link := w.least(best)
		if v := w.t.to[best]; w.t.height[v] >= w.t.height[s] {
			if w.leads[v] == w.round {
				w.leads[s] = w.round
			}
			w.taken[s] = step{w.round, best, link}
			if counts {
				w.load[link]++
				if w.sent[v] != w.round {
					w.sent[v] = w.round
					w.sends[v]++
				}
			}
		}
		w.tables.Set(s, lid, w.t.port[link])
	}
	if w.homes != none && counts {
		w.census(ways)
	}
}

// census counts what comes up by each link.
func (w *greedy) census(ways *ways) {
	for k := len(ways.order) - 1; k >= 0; k-- {
		s := ways.order[k]
		if len(w.t.g.HostsOf(s)) == 0 {
			continue
		}
		for x := s; w.taken[x].round == w.round; x = w.t.to[w.taken[x].group] {
			w.through[w.taken[x].link]++
		}
	}
}

// ahead is how many switches have come up by the link that a switch sends up by.
func (w *greedy) ahead(s int32) int32 {
	if w.taken[s].round != w.round {
		return 0
	}
	return w.through[w.taken[s].link]
}

// takenBy is the port by which a switch sends to the port of the node that was routed
// before.
func (w *greedy) takenBy(s int32) uint8 {
	if w.before == 0 {
		return route.NoPort
	}
	return w.tables.Port(s, w.before)
}

// meets says whether group i is a better way from s to the main way than group j. Paper I
// sends rack switches where another one sends already, or else where the fewest
// destinations are sent to.
func (w *greedy) meets(s, i, loadI, j, loadJ, end int32) bool {
	u, v := w.t.to[i], w.t.to[j]
	if a, b := w.leads[u] == w.round, w.leads[v] == w.round; a != b {
		return a
	}
	if taken := w.takenBy(s); taken != route.NoPort {
		if a, b := slices.Contains(w.t.portsOf(i), taken), slices.Contains(w.t.portsOf(j), taken); a != b {
			return b
		}
	}
	if w.bySwitch {
		if a, b := w.sent[u] == w.round, w.sent[v] == w.round; a != b {
			return a
		}
		if w.sends[u] != w.sends[v] && w.sent[u] != w.round {
			return w.sends[u] < w.sends[v]
		}
	}
	if node := w.t.g.EndNode[end] + 1; w.homes != none && loadI == loadJ && w.used[u] != node && w.used[v] != node {
		return w.ahead(u) < w.ahead(v)
	}
	return w.better(u, loadI, v, loadJ, end)
}
