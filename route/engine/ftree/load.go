package ftree

import (
	"bytes"
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
	load   []int64   // by link: paths
	into   []int32   // by link: where it leads
	number []uint8   // by port, as in Graph.PortStart: the number of its link among those of the switch
	sends  [][]uint8 // by LID of a host, switch: the number of the link it takes; tables turned round

	finder
	dist   []int64   // by switch: load of its way to the LID at hand, or of the most loaded link
	pick   []int32   // by switch: the link it takes
	next   []int32   // by switch: where that leads
	flow   []int64   // by switch: paths through it
	others [][]int32 // with multihomed: the ways to the other ports of its node (meet)
	marks  []int32   // by switch: of those ways that pass it
	first  []int32   // by switch: one that sends paths to it, plus 1; 0 for none
	after  []int32   // by switch: the next one that sends to the same, plus 1; 0 for none
	behind []int32   // switches whose paths come through the one at hand
	lids   []lidAt   // of the hosts of the switch at hand

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
	s, link int32
	lid     fabric.LID
}

// noNumber stands for the number of a link where there is none.
const noNumber = route.NoPort

func newLoader(in *route.Input, r *reach, l *list, tables *route.Tables) *loader {
	t, n := r.t, in.Graph.NumSwitches
	w := &loader{
		t: t, l: l, ends: &in.Ends, tables: tables, finder: finder{r: r}, load: make([]int64, len(t.port)), into: make([]int32, len(t.port)),
		number: bytes.Repeat([]byte{noNumber}, len(t.g.PortVLs)), workers: in.Workers, limit: make([]int64, len(t.port)), high: make([]bool, n),
	}
	for s := range int32(n) {
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			for p := t.link[i]; p < t.link[i+1]; p++ {
				w.into[p], w.number[t.g.PortStart[s]+int32(t.port[p])] = t.to[i], uint8(p-t.link[first])
			}
		}
	}
	w.fresh()
	return w
}

// fresh gives a loader memory of its own for one LID after the other.
func (w *loader) fresh() {
	n := len(w.high)
	w.finder, w.others, w.behind, w.lids = finder{r: w.r}, nil, nil, nil
	w.dist, w.pick, w.next, w.flow, w.above = make([]int64, n), make([]int32, n), make([]int32, n), make([]int64, n), make([]bool, n)
	w.marks, w.first, w.after = make([]int32, n), make([]int32, n), make([]int32, n)
	w.delta, w.changed, w.moves = make([]int64, len(w.load)), nil, nil
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
			w.gather(y)
			w.count(y, 1)
		}
	})
}

// forks are loaders of the same tables and loads, with memory of their own.
func (w *loader) forks(n int) []*loader {
	forks := make([]*loader, n)
	for i := range forks {
		fork := *w
		fork.fresh()
		forks[i] = &fork
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
	g := w.t.g
	w.lids = w.lids[:0]
	for _, end := range g.HostsOf(target) {
		for k := range w.ends.Count(end) {
			w.lids = append(w.lids, lidAt{end: end, lid: w.ends.Base[end] + fabric.LID(k)})
		}
	}
	if !w.overLimit(high) {
		return
	}
	y := w.to(target)
	for _, at := range w.lids {
		if high == nil || at.high {
			do(y, at.end, at.lid)
		}
	}
}

// overLimit finds the LIDs in hand that use a link above its limit, and tells whether there are any.
func (w *loader) overLimit(high []bool) bool {
	left := len(w.lids)
	for s, is := range high {
		if !is {
			continue
		}
		base := w.t.base(int32(s))
		for i := range w.lids {
			at := &w.lids[i]
			number := w.sends[at.lid][s]
			if at.high || number == noNumber {
				continue
			}
			if p := base + int32(number); w.load[p] > w.limit[p] {
				at.high = true
				left--
			}
		}
		if left == 0 {
			break
		}
	}
	return high == nil || left < len(w.lids)
}

// read turns the tables round, so that all that is sent to one LID lies together.
func (w *loader) read(ctx context.Context) error {
	g, ends := w.t.g, w.ends.ByLID()
	w.sends = make([][]uint8, w.tables.NumBlocks()*route.BlockSize)
	return par.For(ctx, w.workers, w.tables.NumBlocks(), func(_, b int) error {
		sends := w.sends[b*route.BlockSize:][:route.BlockSize]
		for k := range sends {
			if lid := b*route.BlockSize + k; lid < len(ends) && ends[lid] >= 0 && !g.IsPortZero(ends[lid]) {
				sends[k] = make([]uint8, g.NumSwitches)
			}
		}
		for s := range int32(g.NumSwitches) {
			number, block := w.number[g.PortStart[s]:], w.tables.Block(s, b)
			for k, of := range sends {
				if port := block[k]; of != nil {
					of[s] = noNumber
					if port != route.NoPort {
						of[s] = number[port]
					}
				}
			}
		}
		return nil
	})
}

// set sends a LID of a host over a link.
func (w *loader) set(m move) {
	w.tables.Set(m.s, m.lid, w.t.port[m.link])
	w.sends[m.lid][m.s] = uint8(m.link - w.t.base(m.s))
}

// measure reads the tables and counts their paths.
func (w *loader) measure(ctx context.Context) error {
	if err := w.read(ctx); err != nil {
		return err
	}
	forks, targets := w.forks(max(1, w.workers)), w.targets()
	for _, c := range forks {
		c.load = make([]int64, len(w.load))
	}
	err := par.For(ctx, w.workers, len(targets), func(worker, i int) error {
		c := forks[worker]
		c.each(targets[i], nil, func(y *ways, _ int32, lid fabric.LID) {
			c.follow(y, lid)
			c.gather(y)
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
		w.pick[s], w.next[s] = best, w.into[best]
		w.tables.Set(s, lid, w.t.port[best])
	}
}

// follow reads the way to a LID.
func (w *loader) follow(y *ways, lid fabric.LID) {
	sends := w.sends[lid]
	for _, s := range y.order {
		p := w.t.base(s) + int32(sends[s])
		w.pick[s], w.next[s] = p, w.into[p]
	}
}

// gather adds up the paths of all hosts, the farthest first.
func (w *loader) gather(y *ways) {
	g := w.t.g
	for _, s := range y.order {
		w.flow[s] = int64(g.HostStart[s+1] - g.HostStart[s])
	}
	w.flow[y.target] = 0
	for k := len(y.order) - 1; k >= 0; k-- {
		s := y.order[k]
		w.flow[w.next[s]] += w.flow[s]
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
