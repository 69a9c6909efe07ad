package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// loader knows the paths of all pairs of hosts on every link.
//
// With balance=load it routes one LID after the other along shortest legal ways, each
// switch where the paths chosen so far put the least load on the whole way: algorithm 1
// of paper 003 on the ways of a tree. What any balance has chosen it evens out (ease),
// and parts the ways to the ports of one node (part).
type loader struct {
	t      *tree
	l      *list
	ends   *route.Ends
	tables *route.Tables
	load   []int64 // by link: paths
	link   []int32 // by port, as in Graph.PortStart: the link
	into   []int32 // by link: where it leads

	finder
	dist   []int64 // by switch: load of its way to the LID at hand, or of the most loaded link
	way            // to that LID
	others []other // with multihomed: the ways to the other ports of its node
	spare  []other
	passes []int32 // by switch: the last round in which its way passed the one at hand
	round  int32
	detour []int32 // switches on a new way and not on the old one
	lids   []lidAt // of the hosts of the switch at hand
	picks  []int32 // by such LID, switch: the link it takes

	// In a round of ease: what is to change.
	workers  int
	delta    []int64 // by link: load
	changed  []int32 // links whose load does
	moves    []move
	limit    []int64 // by link: what has more is to be relieved
	high     []bool  // by switch: a link of it had more before the sweep
	above    []bool  // by switch: a link of its way has more
	thorough bool    // the tree is so small that all can be looked at
}

// lidAt is a LID of a host.
type lidAt struct {
	end  int32
	lid  fabric.LID
	high bool // a link on its ways has more than its limit
}

// move is a change of the tables.
type move struct {
	s    int32
	lid  fabric.LID
	port uint8
}

// way is where every switch sends a LID, and how much comes through it.
type way struct {
	pick []int32 // by switch: the link it takes
	next []int32 // by switch: where that leads
	flow []int64 // by switch: paths through it
}

func newWay(n int) way { return way{make([]int32, n), make([]int32, n), make([]int64, n)} }

func newLoader(in *route.Input, r *reach, l *list, tables *route.Tables) *loader {
	t, n := r.t, in.Graph.NumSwitches
	w := &loader{
		t: t, l: l, ends: &in.Ends, tables: tables, load: make([]int64, len(t.port)), into: make([]int32, len(t.port)),
		link: make([]int32, len(t.g.PortVLs)), finder: finder{r: r}, dist: make([]int64, n), way: newWay(n), passes: make([]int32, n),
		workers: in.Workers, limit: make([]int64, len(t.port)), high: make([]bool, n),
	}
	for s := range int32(n) {
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			for p := t.link[i]; p < t.link[i+1]; p++ {
				w.into[p], w.link[t.g.PortStart[s]+int32(t.port[p])] = t.to[i], p
			}
		}
	}
	return w
}

// visit calls for every LID, with the ways to its switch; of hosts, or also of port 0.
func (w *loader) visit(ctx context.Context, zero bool, do func(y *ways, end int32, lid fabric.LID)) error {
	g := w.t.g
	for _, s := range w.l.at {
		if err := ctx.Err(); err != nil {
			return err
		}
		ends := slices.Clip(g.HostsOf(s))
		if zero {
			ends = append(ends, g.PortZero(s))
		} else if len(ends) == 0 {
			continue
		}
		y := w.to(s)
		for _, end := range ends {
			for k := range w.ends.Count(end) {
				do(y, end, w.ends.Base[end]+fabric.LID(k))
			}
		}
	}
	return nil
}

// byLoad routes all LIDs by load.
func (w *loader) byLoad(ctx context.Context) error {
	return w.visit(ctx, true, func(y *ways, end int32, lid fabric.LID) {
		w.tables.Set(y.target, lid, w.t.g.EndPort[end])
		w.least(y, lid)
		if !w.t.g.IsPortZero(end) {
			w.gather(y, &w.way)
			w.count(y, 1)
		}
	})
}

// fork is a loader of the same tables and loads, with memory of its own.
func (w *loader) fork() *loader {
	n := len(w.dist)
	c := *w
	c.finder, c.others, c.spare, c.detour, c.lids, c.picks = finder{r: w.r}, nil, nil, nil, nil, nil
	c.dist, c.way, c.passes = make([]int64, n), newWay(n), make([]int32, n)
	c.delta, c.above = make([]int64, len(w.load)), make([]bool, n)
	return &c
}

func (w *loader) forks(n int) []*loader {
	forks := make([]*loader, n)
	for i := range forks {
		forks[i] = w.fork()
	}
	return forks
}

// targets are the switches with hosts, in order.
func (w *loader) targets() []int32 {
	var targets []int32
	for _, s := range w.l.at {
		if len(w.t.g.HostsOf(s)) > 0 {
			targets = append(targets, s)
		}
	}
	return targets
}

// each calls for every LID of the hosts of a switch, with the ways to it; if switches with
// links above their limits are given, for those LIDs only that use such a link.
func (w *loader) each(target int32, high []bool, do func(y *ways, end int32, lid fabric.LID)) {
	g, n := w.t.g, len(w.dist)
	w.lids = w.lids[:0]
	for _, end := range g.HostsOf(target) {
		for k := range w.ends.Count(end) {
			w.lids = append(w.lids, lidAt{end: end, lid: w.ends.Base[end] + fabric.LID(k)})
		}
	}
	some := high == nil
	for s, is := range high {
		if !is || int32(s) == target {
			continue
		}
		link := w.link[g.PortStart[s]:]
		for i := range w.lids {
			port := w.tables.Port(int32(s), w.lids[i].lid)
			if port == route.NoPort {
				continue
			}
			if p := link[port]; w.load[p] > w.limit[p] {
				w.lids[i].high, some = true, true
			}
		}
	}
	if !some {
		return
	}
	w.picks = slices.Grow(w.picks[:0], n*len(w.lids))[:n*len(w.lids)]
	for s := range int32(n) { // row by row, as the tables lie in memory
		link := w.link[g.PortStart[s]:]
		for i, at := range w.lids {
			if high == nil || at.high {
				if port := w.tables.Port(s, at.lid); port != route.NoPort && s != target {
					w.picks[i*n+int(s)] = link[port]
				}
			}
		}
	}
	y := w.to(target)
	for i, at := range w.lids {
		if high != nil && !at.high {
			continue
		}
		w.pick = w.picks[i*n : (i+1)*n]
		for _, s := range y.order {
			w.next[s] = w.into[w.pick[s]]
		}
		do(y, at.end, at.lid)
	}
}

// measure counts the paths of the tables.
func (w *loader) measure(ctx context.Context) error {
	forks, targets := w.forks(max(1, w.workers)), w.targets()
	for _, c := range forks {
		c.load = make([]int64, len(w.load))
	}
	err := par.For(ctx, w.workers, len(targets), func(worker, i int) error {
		c := forks[worker]
		c.each(targets[i], nil, func(y *ways, _ int32, _ fabric.LID) {
			c.gather(y, &c.way)
			c.count(y, 1)
		})
		return nil
	})
	clear(w.load)
	for _, c := range forks {
		for p, n := range c.load {
			w.load[p] += n
		}
	}
	return err
}

// highest is the load of the most loaded link, and the mean of all that carry any.
func (w *loader) highest() (most, mean int64) {
	links := int64(0)
	for _, n := range w.load {
		if most = max(most, n); n > 0 {
			mean += n
			links++
		}
	}
	return most, mean / max(links, 1)
}

// take sends a LID over a link.
func (w *loader) take(s, p int32, lid fabric.LID) {
	w.pick[s], w.next[s] = p, w.into[p]
	w.tables.Set(s, lid, w.t.port[p])
}

// least chooses the ways to a LID by load, the nearest switches first.
func (w *loader) least(y *ways, lid fabric.LID) {
	w.dist[y.target] = 0
	for k, s := range y.order {
		best := int32(-1)
		for _, i := range y.at(k) {
			for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
				if d := w.load[p] + w.dist[w.t.to[i]]; best < 0 || d < w.dist[s] {
					best, w.dist[s] = p, d
				}
			}
		}
		w.take(s, best, lid)
	}
}

// follow reads the way to a LID from the tables.
func (w *loader) follow(y *ways, lid fabric.LID, into *way) {
	for _, s := range y.order {
		into.pick[s] = w.link[w.t.g.PortStart[s]+int32(w.tables.Port(s, lid))]
		into.next[s] = w.into[into.pick[s]]
	}
	w.gather(y, into)
}

// gather adds up the paths of all hosts, the farthest first.
func (w *loader) gather(y *ways, a *way) {
	g := w.t.g
	for _, s := range y.order {
		a.flow[s] = int64(g.HostStart[s+1] - g.HostStart[s])
	}
	a.flow[y.target] = 0
	for k := len(y.order) - 1; k >= 0; k-- {
		s := y.order[k]
		a.flow[a.next[s]] += a.flow[s]
	}
}

// count adds the paths to the links they take, or removes them.
func (w *loader) count(y *ways, sign int64) {
	for _, s := range y.order {
		w.load[w.pick[s]] += sign * w.flow[s]
	}
}

// even tells whether the closed form fits: the switches of a level have as many
// neighbours above and below as each other, all over as many links.
func (t *tree) even() bool {
	type shape struct{ up, down, linksUp, linksDown int32 }
	shapes := make([]*shape, t.top+1)
	for s := range int32(t.g.NumSwitches) {
		var is shape
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			n, links := &is.up, &is.linksUp
			switch d := t.height[t.to[i]] - t.height[s]; {
			case d == 0:
				continue
			case d < 0:
				n, links = &is.down, &is.linksDown
			}
			wide := t.link[i+1] - t.link[i]
			if *n > 0 && *links != wide {
				return false
			}
			*n, *links = *n+1, wide
		}
		if known := shapes[t.height[s]]; known == nil {
			shapes[t.height[s]] = &is
		} else if *known != is {
			return false
		}
	}
	return true
}
