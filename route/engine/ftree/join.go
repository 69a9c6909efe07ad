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
	fit    []fitness // by switch: of its path to the LID at hand
	hops   []int32
	tried  []bool
	next   []int32 // by switch: where its path by height leads, -1 for none
	found  []hop
	group  []int32 // by port, as in Graph.PortStart: its group

	workers int
	lids    []fabric.LID // of the end ports at hand
	ports   []uint8      // by LID of these, switch: where it is sent
	column  []uint8      // by switch: where the LID at hand is sent
	moves   []move       // what changes in the tables

	lack  []int32 // switches without a path by height to the switch at hand
	lacks []bool
	clash bool // some path by height is not legal in the order
}

// fitness is how a path goes in the order that joins all switches.
type fitness uint8

const (
	unfit fitness = iota // not up and then down, or there is none
	fits
	falls // down only
)

// apart is which paths are on a lane of their own.
type apart struct {
	hosts, zeros [][]bool // by target switch, source switch; nil for none
	oneWay       bool     // some are whose answers are not
}

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
	c.high, c.all = ways{place: make([]int32, n)}, ways{place: make([]int32, n)}
	c.fit, c.hops, c.tried = make([]fitness, n), make([]int32, n), make([]bool, n)
	c.next, c.lacks = make([]int32, n), make([]bool, n)
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
	changes := make([][]move, n)
	a := &apart{hosts: make([][]bool, n), zeros: make([][]bool, n)}
	err := par.For(ctx, j.workers, n, func(worker, i int) error {
		c, x := forks[worker], int32(i)
		c.moves = nil
		c.high.search(c.by, x)
		c.all.search(c.order, x)
		a.hosts[x] = c.join(g.HostsOf(x))
		a.zeros[x] = c.join([]int32{g.PortZero(x)})
		changes[x] = c.moves
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
	a.oneWay = !a.mutual()
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
	before := len(j.moves)
	for !j.extendAll() {
		if len(j.lack) == len(j.all.order) {
			for i := range j.lids {
				j.replace(j.use(i))
			}
			break
		}
	}
	for i := before; i < len(j.moves); i++ { // some were changed again
		m := &j.moves[i]
		m.port = j.ports[slices.Index(j.lids, m.lid)*len(j.fit)+int(m.s)]
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
	n := len(j.fit)
	j.ports = slices.Grow(j.ports[:0], n*len(j.lids))[:n*len(j.lids)]
	for s := range n {
		for i, lid := range j.lids {
			j.ports[i*n+s] = j.tables.Port(int32(s), lid)
		}
	}
}

// use takes one of the LIDs in hand.
func (j *joiner) use(i int) fabric.LID {
	n := len(j.fit)
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

// giveUp makes switches above those that found no path give up theirs.
func (j *joiner) giveUp() {
	before := len(j.lack)
	for _, s := range j.lack[:before] {
		if j.fit[s] != unfit {
			continue
		}
		for _, i := range j.order.up[s] {
			if v := j.t.to[i]; j.fit[v] == unfit {
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

// judge finds how fit the paths by height to the LID at hand are. Those past a switch that has
// given up its own are none.
func (j *joiner) judge() {
	clear(j.fit)
	x := j.high.target
	j.fit[x], j.hops[x] = falls, 0
	for _, s := range j.high.order {
		j.next[s] = -1
		if j.lacks[s] {
			continue
		}
		i := j.group[j.t.g.PortStart[s]+int32(j.column[s])]
		j.next[s] = j.t.to[i]
		j.fit[s], j.hops[s] = j.over(i), j.hops[j.next[s]]+1
		if j.lacks[j.next[s]] {
			j.give(s)
		}
		j.clash = j.clash || j.fit[s] == unfit
	}
}

// over tells how fit a path is that begins with a group and goes on as the switch does
// that it leads to.
func (j *joiner) over(i int32) fitness {
	v, x := j.t.to[i], j.high.target
	switch {
	case j.order.left[i], j.order.ends[i] && v != x, j.fit[v] == unfit:
		return unfit
	case j.order.rises[i]:
		return fits
	case j.fit[v] == falls:
		return falls
	}
	return unfit
}

// extend leads switches without a path to a LID on to those with one that is fit, the
// nearest first. Where there is none, a path by height is made fit. It tells whether all
// switches have a path then.
func (j *joiner) extend(lid fabric.LID) bool {
	for left := len(j.lack); left > 0; {
		steps := j.steps(lid)
		if len(steps) == 0 && !j.mendNext(lid) {
			return false
		}
		for _, st := range steps {
			j.take(st.s, st.group, lid)
			left--
		}
	}
	return true
}

// hop is how a switch goes on.
type hop struct{ s, group int32 }

// steps are those of the switches without a path from which one is nearest.
func (j *joiner) steps(lid fabric.LID) []hop {
	j.found = j.found[:0]
	nearest := int32(math.MaxInt32)
	for _, s := range j.lack {
		if j.fit[s] != unfit {
			continue
		}
		best := hop{s, -1}
		first, last := j.t.groupsOf(s)
		for n := range last - first {
			i := first + (n+int32(lid))%(last-first) // each LID begins with another one
			if d := j.hops[j.t.to[i]] + 1; d <= nearest && j.over(i) != unfit && (d < nearest || best.group < 0) {
				if best.group = i; d < nearest {
					nearest, j.found = d, j.found[:0]
				}
			}
		}
		if best.group >= 0 {
			j.found = append(j.found, best)
		}
	}
	return j.found
}

// mendNext makes the path of some switch fit that a switch without one may go on to.
func (j *joiner) mendNext(lid fabric.LID) bool {
	clear(j.tried)
	for _, s := range j.lack {
		if j.fit[s] != unfit {
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

// mend makes a path by height fit by another choice on the way, the fewer the better.
func (j *joiner) mend(s int32, lid fabric.LID) bool {
	if j.fit[s] != unfit {
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
			if deep == 1 && !j.mend(j.t.to[i], lid) {
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

// take leads a switch on by a group.
func (j *joiner) take(s, group int32, lid fabric.LID) {
	j.fit[s], j.hops[s], j.next[s] = j.over(group), j.hops[j.t.to[group]]+1, j.t.to[group]
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
	j.moves = append(j.moves, move{s: s, lid: lid})
}

// mutual tells whether the way back is apart where the way there is.
func (a *apart) mutual() bool {
	is := func(x, s int32) bool {
		return a.hosts[x] != nil && a.hosts[x][s] || a.zeros[x] != nil && a.zeros[x][s]
	}
	for x := range int32(len(a.hosts)) {
		for s := range x {
			if is(x, s) != is(s, x) {
				return false
			}
		}
	}
	return true
}
