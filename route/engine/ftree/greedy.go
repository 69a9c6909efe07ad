package ftree

import (
	"context"

	"weft/fabric"
	"weft/route"
)

// greedy routes one LID after the other. A LID has a main way down to it, through
// one switch of each level; all others go up to where they meet it. The main way is
// found from the LID up, over the link and to the switch that the fewest main ways
// use. This is the classic routing (Zahavi), with what papers I and VI add to it.
type greedy struct {
	t      *tree
	r      *reach
	l      *list
	tables *route.Tables

	bySwitch  bool // beft: loads of switches count as well as those of links
	redundant bool // mftree: the main ways of one node use different switches
	dummies   int32

	load  []int32 // by link: main ways down it, or switches that go up it
	total []int32 // by switch: main ways through it
	sends []int32 // by switch: LIDs that it sends up to for switches below
	leads []int32 // by switch: the last round whose main way it is on or leads up to
	on    []step  // by switch: the last main way through it
	sent  []int32 // by switch: the last round in which it did
	used  []int32 // by switch: the last node with a main way through it, plus 1
	last  []step  // by switch: the group it sent up by for the last port of a node, as round the node plus 1
	round int32

	ways  []ways
	clock int
}

// step is how a main way leaves a switch.
type step struct{ round, group, link int32 }

func newGreedy(in *route.Input, r *reach, l *list) *greedy {
	n := in.Graph.NumSwitches
	return &greedy{
		t: r.t, r: r, l: l, tables: route.NewTables(n, in.Ends.Top()),
		load: make([]int32, len(r.t.port)), total: make([]int32, n),
		sends: make([]int32, n), sent: make([]int32, n),
		leads: make([]int32, n), on: make([]step, n), used: make([]int32, n), last: make([]step, n),
	}
}

// run routes the LIDs of all switches in their order; with redundant, all ports of
// a node together.
func (w *greedy) run(ctx context.Context, ends *route.Ends) error {
	g := w.t.g
	routed := make([]bool, g.NumHosts)
	for _, s := range w.l.at {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, h := range g.HostsOf(s) {
			ports := []int32{h}
			if n := g.EndNode[h]; w.redundant {
				ports = g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
			}
			for _, p := range ports {
				if !routed[p] {
					routed[p] = true
					w.routeEnd(ends, p)
				}
			}
		}
		if w.t.height[s] == 0 {
			for range w.dummies - (g.HostStart[s+1] - g.HostStart[s]) {
				w.mainWay(s, -1)
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		w.routeEnd(ends, g.PortZero(s))
	}
	return ctx.Err()
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

// mainWay chooses the main way to a switch for an end port there, -1 for a dummy.
func (w *greedy) mainWay(s, end int32) *ways {
	ways := w.find(s)
	w.round++
	w.leads[s] = w.round
	counts := end < 0 || !w.t.g.IsPortZero(end)
	for from := s; from >= 0; {
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
			_, link := w.least(group)
			w.leads[next], w.on[next] = w.round, step{w.round, group, link}
			if counts {
				w.load[link]++
				w.total[next]++
			}
			if end >= 0 {
				w.used[next] = w.t.g.EndNode[end] + 1
			}
		}
		from = next
	}
	return ways
}

// better says whether a way through switch u is better than one through v.
func (w *greedy) better(u, loadU, v, loadV, end int32) bool {
	if w.redundant && end >= 0 {
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
		for _, i := range ways.groups[ways.start[k]:ways.start[k+1]] {
			if load, _ := w.least(i); best < 0 || w.meets(s, i, load, best, least, end) {
				best, least = i, load
			}
		}
		_, link := w.least(best)
		if v := w.t.to[best]; w.t.height[v] > w.t.height[s] {
			if w.leads[v] == w.round {
				w.leads[s] = w.round
			}
			if counts {
				w.last[s] = step{round: w.t.g.EndNode[end] + 1, group: best}
				w.load[link]++
				if w.sent[v] != w.round {
					w.sent[v] = w.round
					w.sends[v]++
				}
			}
		}
		w.tables.Set(s, lid, w.t.port[link])
	}
}

// meets says whether group i is a better way from s to the main way than group j. Paper I
// sends rack switches where another one sends already, or else where the fewest
// destinations are sent to.
func (w *greedy) meets(s, i, loadI, j, loadJ, end int32) bool {
	u, v := w.t.to[i], w.t.to[j]
	if a, b := w.leads[u] == w.round, w.leads[v] == w.round; a != b {
		return a
	}
	if last := w.last[s]; w.redundant && last.round == w.t.g.EndNode[end]+1 {
		if i == last.group || j == last.group {
			return j == last.group
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
	return w.better(u, loadI, v, loadJ, end)
}
