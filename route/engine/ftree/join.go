package ftree

import (
	"context"
	"math"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// joiner leads all switches to all LIDs (switches=all). Paths by height stay as they
// are. A switch that has none goes on by the order that joins all switches, until it
// meets a path by height that is legal in that order as well. Paths by height are free of
// deadlock among each other, and so are those that are legal in the order: two lanes
// are enough for both, and one if all that are by height are also legal in the order.
type joiner struct {
	t      *tree
	ends   *route.Ends
	tables *route.Tables
	by     *reach // by height
	order  *reach
	high   ways // by height
	all    ways
	hops   []int32 // by switch, as reach.ahead has it: of its path to the LID at hand, or unfit
	tried  []bool
	step   []hop  // by switch without a path: how it may go on
	stale  []bool // by switch: a neighbour has changed since
	found  []int32
	group  []int32 // by port, as in Graph.PortStart: its group

	workers int
	lids    []fabric.LID // of the end ports at hand
	ports   []uint8      // by LID of these, switch: where it is sent
	column  []uint8      // by switch: where the LID at hand is sent
	changes []change     // of the tables

	lack  []int32 // switches without a path by height to the switch at hand
	lacks []bool
	clash bool // some path by height is not legal in the order
}

// change is an entry of the tables.
type change struct {
	s    int32
	lid  fabric.LID
	port uint8
}

// unfit stands for the hops of a path that is not fit: in the order that joins all switches it
// is not up and then down, or there is none. Those going down only are told apart.
const unfit = math.MaxInt32

func newJoiner(in *route.Input, by, order *reach, tables *route.Tables) *joiner {
	t := by.t
	j := &joiner{t: t, ends: &in.Ends, tables: tables, by: by, order: order, workers: in.Workers, group: make([]int32, len(t.g.PortVLs))}
	for s := range int32(t.g.NumSwitches) {
		first, last := t.groupsOf(s)
		for i := first; i < last; i++ {
			for _, port := range t.portsOf(i) {
				j.group[t.g.PortStart[s]+int32(port)] = i
			}
		}
	}
	return j
}

// fork is a joiner with memory of its own.
func (j *joiner) fork() *joiner {
	n := j.t.g.NumSwitches
	c := *j
	c.high, c.all = newWays(j.by), newWays(j.order)
	c.hops, c.tried, c.lacks = make([]int32, 2*n), make([]bool, n), make([]bool, n)
	c.step, c.stale = make([]hop, n), make([]bool, n)
	return &c
}

// run joins all switches to all LIDs. It returns the paths that need a lane of their
// own, nil if none does.
func (j *joiner) run(ctx context.Context) (*apart, error) {
	g := j.t.g
	n := g.NumSwitches
	forks := make([]*joiner, max(1, j.workers))
	for i := range forks {
		forks[i] = j.fork()
	}
	changes := make([][]change, n)
	a := &apart{hosts: make([][]bool, n), zeros: make([][]bool, n)}
	err := par.For(ctx, j.workers, n, func(worker, i int) error {
		c, x := forks[worker], int32(i)
		c.changes = nil
		c.high.search(x)
		c.all.search(x)
		a.hosts[x] = c.join(g.HostsOf(x))
		a.zeros[x] = c.join([]int32{g.PortZero(x)})
		changes[x] = c.changes
		return nil
	})
	if err != nil {
		return nil, err
	}
	some, clash := false, false
	for x, list := range changes {
		for _, c := range list {
			j.tables.Set(c.s, c.lid, c.port)
		}
		some = some || a.hosts[x] != nil || a.zeros[x] != nil
	}
	for _, c := range forks {
		clash = clash || c.clash
	}
	if !some || !clash {
		return nil, nil
	}
	a.oneWay = !a.mutual(g)
	return a, nil
}

// join joins all switches to the LIDs of some end ports of the switch at hand, and
// tells from where the paths are not by height. Where a switch without a path finds
// none to go on, those above it that have an unfit one give it up, with all
// whose paths pass them; in the end all do.
func (j *joiner) join(ends []int32) []bool {
	j.lack = j.lack[:0]
	clear(j.lacks)
	for _, s := range j.all.order {
		if j.high.place[s] < 0 {
			j.give(s)
		}
	}
	if len(j.lack) == 0 && j.clash {
		return nil
	}
	j.read(ends)
	before := len(j.changes)
	for !j.extendAll() {
		if len(j.lack) == len(j.all.order) {
			for i := range j.lids {
				j.replace(j.use(i))
			}
			break
		}
	}
	for i := before; i < len(j.changes); i++ { // some were changed again
		m := &j.changes[i]
		m.port = j.ports[slices.Index(j.lids, m.lid)*len(j.lacks)+int(m.s)]
	}
	if len(j.lack) == 0 || len(ends) == 0 {
		return nil
	}
	return slices.Clone(j.lacks)
}

// read reads where the LIDs of some end ports are sent, row by row.
func (j *joiner) read(ends []int32) {
	j.lids = j.lids[:0]
	for _, end := range ends {
		for k := range j.ends.Count(end) {
			j.lids = append(j.lids, j.ends.Base[end]+fabric.LID(k))
		}
	}
	n := len(j.lacks)
	j.ports = slices.Grow(j.ports[:0], n*len(j.lids))[:n*len(j.lids)]
	for s := range n {
		for i, lid := range j.lids {
			j.ports[i*n+s] = j.tables.Port(int32(s), lid)
		}
	}
}

// use takes one of the LIDs in hand.
func (j *joiner) use(i int) fabric.LID {
	n := len(j.lacks)
	j.column = j.ports[i*n : (i+1)*n]
	return j.lids[i]
}

// give notes that a switch has no path by height, or gives it up.
func (j *joiner) give(s int32) {
	if !j.lacks[s] {
		j.lacks[s] = true
		j.lack = append(j.lack, s)
	}
}

// extendAll extends the paths to all LIDs at hand. If that fails, more switches lack a
// path than before.
func (j *joiner) extendAll() bool {
	for i := range j.lids {
		lid, before := j.use(i), len(j.lack)
		if j.judge(); len(j.lack) > before {
			return false
		}
		if !j.extend(lid) {
			j.giveUp()
			return false
		}
	}
	return true
}

// giveUp makes switches above those that found no path give up theirs, but for those beyond a
// drained switch, which no way joins.
func (j *joiner) giveUp() {
	before := len(j.lack)
	for _, s := range j.lack[:before] {
		if j.fit(s) {
			continue
		}
		for _, i := range j.order.up[s] {
			if v := j.t.to[i]; !j.fit(v) && j.all.place[v] >= 0 {
				j.give(v)
			}
		}
	}
	if len(j.lack) == before {
		for _, s := range j.all.order {
			j.give(s)
		}
	}
}

// judge finds which paths by height to the LID at hand are fit. Those past a switch that has
// given up its own are none.
func (j *joiner) judge() {
	for i := range j.hops {
		j.hops[i] = unfit
	}
	x := j.high.target
	j.hops[2*x], j.hops[2*x+1] = 0, 0
	for _, s := range j.high.order {
		if j.lacks[s] {
			continue
		}
		i := j.group[j.t.g.PortStart[s]+int32(j.column[s])]
		j.lead(s, i)
		if j.lacks[j.t.to[i]] {
			j.give(s)
		}
		j.clash = j.clash || !j.fit(s)
	}
}

// fit tells whether the path of a switch to the LID at hand is.
func (j *joiner) fit(s int32) bool { return j.hops[2*s] != unfit }

// over is the hops of a path that begins with a group and goes on as the switch does that
// it leads to.
func (j *joiner) over(i int32) int32 {
	h := j.hops[j.order.ahead[i]]
	if h == unfit || j.order.ends[i] && j.t.to[i] != j.high.target {
		return unfit
	}
	return h + 1
}

// lead makes the path of a switch begin with a group.
func (j *joiner) lead(s, i int32) {
	h := j.over(i)
	j.hops[2*s], j.hops[2*s+1] = h, h
	if j.order.rises[i] {
		j.hops[2*s+1] = unfit
	}
}

// extend leads switches without a path to a LID on to those with one that is fit, the
// nearest first. Where there is none, a path by height is made fit. It tells whether all
// switches have a path then.
func (j *joiner) extend(lid fabric.LID) bool {
	for _, s := range j.lack {
		j.stale[s] = true
	}
	for left := len(j.lack); left > 0; {
		nearest := j.nearest(lid)
		if len(nearest) == 0 && !j.mendNext(lid) {
			return false
		}
		for _, s := range nearest {
			j.take(s, j.step[s].group, lid)
			left--
		}
	}
	return true
}

// hop is how a switch without a path may go on, and how far it is then.
type hop struct{ group, hops int32 }

// nearest are the switches without a path from which a fit one is nearest, of those that may
// go on to one.
func (j *joiner) nearest(lid fabric.LID) []int32 {
	j.found = j.found[:0]
	least := int32(unfit - 1)
	for _, s := range j.lack {
		if j.fit(s) {
			continue
		}
		if j.stale[s] {
			j.step[s], j.stale[s] = j.look(s, lid), false
		}
		if d := j.step[s].hops; d <= least {
			if d < least {
				least, j.found = d, j.found[:0]
			}
			j.found = append(j.found, s)
		}
	}
	return j.found
}

// look finds the nearest fit path that a switch may go on to. Each LID begins with another
// group.
func (j *joiner) look(s int32, lid fabric.LID) hop {
	best := hop{-1, unfit}
	first, last := j.t.groupsOf(s)
	i := first + int32(lid)%(last-first)
	for range last - first {
		if h := j.over(i); h < best.hops {
			best = hop{i, h}
		}
		if i++; i == last {
			i = first
		}
	}
	return best
}

// mendNext makes the path of some switch fit that a switch without one may go on to.
func (j *joiner) mendNext(lid fabric.LID) bool {
	clear(j.tried)
	for _, s := range j.lack {
		if j.fit(s) {
			continue
		}
		first, last := j.t.groupsOf(s)
		for n := range last - first {
			i := first + (n+int32(lid))%(last-first)
			if v := j.t.to[i]; j.order.rises[i] && j.high.place[v] >= 0 && !j.lacks[v] && j.mend(v, lid) {
				return true
			}
		}
	}
	return false
}

// mend makes a path by height fit by another choice on the way, the fewer the better. It
// stays by height: it may not pass a switch that goes on by the order.
func (j *joiner) mend(s int32, lid fabric.LID) bool {
	if j.fit(s) {
		return true
	}
	if j.tried[s] || j.lacks[s] {
		return false
	}
	j.tried[s] = true
	groups := j.high.of(s)
	for deep := range 2 {
		for n := range groups {
			i := groups[(n+int(lid))%len(groups)]
			if v := j.t.to[i]; j.lacks[v] || deep == 1 && !j.mend(v, lid) {
				continue
			}
			if j.over(i) != unfit {
				j.take(s, i, lid)
				return true
			}
		}
	}
	return false
}

// take leads a switch on by a group. Neighbours may go on to it now; those above it only if
// it leads down.
func (j *joiner) take(s, group int32, lid fabric.LID) {
	j.lead(s, group)
	first, last := j.t.groupsOf(s)
	for i := first; i < last; i++ {
		if j.hops[2*s+1] != unfit || !j.order.rises[i] {
			j.stale[j.t.to[i]] = true
		}
	}
	j.set(s, group, lid)
}

// replace routes a LID by the order alone.
func (j *joiner) replace(lid fabric.LID) {
	for k, s := range j.all.order {
		groups := j.all.at(k)
		j.set(s, groups[int(lid)%len(groups)], lid)
	}
}

// set sends the LID at hand by a group.
func (j *joiner) set(s, group int32, lid fabric.LID) {
	ports := j.t.portsOf(group)
	j.column[s] = ports[int(lid)%len(ports)]
	j.changes = append(j.changes, change{s: s, lid: lid})
}
