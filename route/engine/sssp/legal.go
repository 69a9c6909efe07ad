package sssp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"weft/internal/par"
	"weft/route"
	"weft/route/lanes"
)

// ErrLanes is the error of BuildLegal for paths that no lane takes any more.
var ErrLanes = errors.New("sssp: the paths need more lanes than there are SLs")

// BuildLegal routes every LID as Build does, but for paths that are on few lanes: of
// the shortest paths it takes those that the first lane can have without a cycle, and
// among them the least loaded. Where there is none it takes the first lane that can
// have one. The lanes that it returns have all paths.
//
// The first lane begins with an up*/down* order of the channels, and changes it where
// it must. Port 0 of a switch is reached by the shortest path that the first lane can
// have, which may be longer than the shortest of all. So are hosts from a switch
// without hosts that no path between hosts passes.
//
// For a better lane a path may have slack sixteenths more load than the least loaded
// shortest path. Hosts are routed in so many passes; what one puts on a lane stays there
// for the next, which may take more lanes for it.
func BuildLegal(ctx context.Context, in *route.Input, slack, passes int) (*route.Tables, *lanes.Acyclic, error) {
	b := newBuilder(in)
	u, err := chooseUpDown(ctx, in, b.head)
	if err != nil {
		return nil, nil, err
	}
	l := newLegal(b, u, slack)
	hosted := slices.DeleteFunc(b.targets(), func(s int32) bool { return in.Graph.HostStart[s] == in.Graph.HostStart[s+1] })
	for b.pass = range passes {
		if err := b.each(ctx, hosted, l.routeHosts); err != nil {
			return nil, nil, err
		}
	}
	if err := l.routePortZeros(ctx); err != nil {
		return nil, nil, err
	}
	if l.failed {
		return nil, nil, ErrLanes
	}
	return b.tables, l.lanes, nil
}

// legal chooses the paths to one LID after the other.
type legal struct {
	*builder
	turns  *turns
	lanes  *lanes.Acyclic
	slack  int64
	failed bool

	tree   *tree // paths to the LID at hand
	spare  []*tree
	number []int32 // by switch: place in ways.order
	noted  int     // of tree.taken, those whose first turn the lanes know of
	moves  int     // of channels on the first lane, when the labels were last looked up

	some []exit
	path []int32
	off  []int32 // of finish: switches whose path is not on the first lane
}

func newLegal(b *builder, u *upDown, slack int) *legal {
	g := b.in.Graph
	l := &legal{
		builder: b, lanes: lanes.NewAcyclic(g, u.list), slack: int64(slack),
		tree: newTree(g.NumSwitches), number: make([]int32, g.NumSwitches),
	}
	l.turns = newTurns(b, u, l.lanes.First().Labels())
	return l
}

func (l *legal) routeHosts(w *ways) {
	t := w.order[0]
	l.enumerate(w)
	for _, h := range l.in.Graph.HostsOf(t) {
		l.routeEnd(t, h, func(ports []uint8) {
			l.takeBack(w)
			l.begin(w)
			l.shortest(w)
			l.rest(w)
			l.finish(ports)
			l.count(w, unit)
		})
	}
}

// enumerate notes the places of the switches.
func (l *legal) enumerate(w *ways) {
	for k, s := range w.order {
		l.number[s] = int32(k)
	}
}

func (l *legal) begin(w *ways) {
	l.tree.begin(l.turns, w.order[0], len(w.order)-1)
	l.noted, l.moves = 0, l.lanes.First().Moves()
}

// finish enters the ports of the paths.
func (l *legal) finish(ports []uint8) {
	l.note()
	r, lid := l.tree, l.columns[len(l.columns)-1].lid
	l.off = l.off[:0]
	for _, s := range r.taken {
		p := &r.of[s]
		ports[s], l.first[s] = l.port[p.first], p.first
		if p.lane > 0 {
			l.off = append(l.off, s)
		}
	}
	l.lanes.SetOffFirst(lid, l.off)
}

// note adds to the first lane what was taken on it since the last time.
func (l *legal) note() {
	r, g := l.tree, l.in.Graph
	for _, s := range r.taken[l.noted:] {
		p := &r.of[s]
		v := l.head[p.first]
		if next := r.of[v].first; next >= 0 && p.lane == 0 {
			l.lanes.First().Link(g.Out[p.first], next-g.OutStart[v])
		}
	}
	l.noted = len(r.taken)
}

// shortest gives shortest paths to all switches with hosts, and to those that they
// pass; also to others, where the first lane has one as it is.
func (l *legal) shortest(w *ways) {
	g, r := l.in.Graph, l.tree
	for k, s := range w.order[1:] {
		weight, least := leastSums(l.turns, r, w.exits(k))
		switch {
		case weight == least || whole(weight) <= l.limit(whole(least), l.hosts[s] > 0):
			r.take(l.turns, s, g.OutStart[s]+int32(weight%unit), 0)
		case l.hosts[s] > 0:
			l.hard(w, s)
		default:
			r.of[s].load = whole(least)
		}
	}
}

// leastSums is the inner loop: the load of the least loaded shortest path from a switch
// that is on the first lane as it is, beyond all limits if there is none, and of any.
// Those of a switch without hosts that has none yet count as what they would be. What is
// below units tells the channel. It is kept apart so that it has all registers.
//
//go:noinline
func leastSums(x *turns, r *tree, exits []exit) (weight, least int64) {
	load, of := x.load, r.of
	label := x.label[:len(load)]
	weight, least = math.MaxInt64, math.MaxInt64
	for _, e := range exits {
		i, p := e.at(), &of[e.head()]
		sum := load[i] + p.load
		least = min(least, sum)
		if label[i] >= p.label {
			sum = math.MaxInt64
		}
		weight = min(weight, sum)
	}
	return weight, least
}

// limit is the load up to which a path is taken for its lane. Where no host begins
// one, few paths depend on the choice, and more is allowed.
func (l *legal) limit(least int64, hosts bool) int64 {
	more := least / unit * l.slack / 16 * unit
	if !hosts {
		more = max(2*least, more)
	}
	return least + more
}

// weight is the load of the path that begins with an exit.
func (l *legal) weight(e exit) int64 {
	return whole(l.load[e.at()]) + l.tree.of[e.head()].load
}

// hard gives switch s a shortest path on the first lane that can have one.
func (l *legal) hard(w *ways, s int32) {
	k := int(l.number[s]) - 1
	if w.listed[k].end == 0 {
		w.list(l.in.Graph, l.head, k)
	}
	exits := w.exits(k)
	limit := l.settle(w, exits)
	l.some = l.some[:0]
	for _, e := range exits {
		if l.weight(e) <= limit {
			l.some = append(l.some, e)
		}
	}
	slices.SortStableFunc(l.some, func(x, y exit) int { return cmp.Compare(l.weight(x), l.weight(y)) })
	l.note()
	i, lane := l.firstLane()
	if l.moves != l.lanes.First().Moves() {
		l.moves = l.lanes.First().Moves()
		l.tree.relabel(l.turns)
	}
	l.tree.take(l.turns, s, i, lane)
}

// firstLane adds one of some paths to the first lane that can have one.
func (l *legal) firstLane() (i, lane int32) {
	r, g := l.tree, l.in.Graph
	for lane := range int32(lanes.MaxLanes) {
		for _, e := range l.some {
			i, v := int32(e.at()), e.head()
			if r.of[v].lane > lane {
				continue
			}
			if next := r.of[v].first; next >= 0 && l.lanes.Refuses(int(lane), g.Out[i], next-g.OutStart[v]) {
				continue
			}
			if l.lanes.Add(int(lane), l.pathFrom(i, lane)) {
				return i, lane
			}
		}
	}
	l.failed = true
	return int32(l.some[0].at()), 0
}

// settle gives paths to the switches behind the least loaded paths, as long as there
// are some without, and returns the limit of load.
func (l *legal) settle(w *ways, exits []exit) int64 {
	_, least := leastSums(l.turns, l.tree, exits)
	limit := l.limit(whole(least), true)
	for _, e := range exits {
		if v := int32(e.head()); l.tree.of[v].lane == open && l.weight(e) <= limit {
			l.hard(w, v)
			return l.settle(w, exits)
		}
	}
	return limit
}

// pathFrom lists the channels of a path, up to the first of those that a lane has.
func (l *legal) pathFrom(i, lane int32) []int32 {
	l.path = l.path[:0]
	for has := false; i >= 0; i = l.tree.of[l.head[i]].first {
		l.path = append(l.path, l.in.Graph.Out[i])
		if has {
			break
		}
		has = l.tree.of[l.head[i]].lane == lane
	}
	return l.path
}

// rest gives a path to every switch that is left: the shortest on the first lane as it
// is. Only where there is none, a shortest of all.
func (l *legal) rest(w *ways) {
	if l.tree.left > 0 {
		l.tree.join(l.turns)
		l.fill(w)
	}
}

// fill gives shortest paths to the switches that the first lane does not join.
func (l *legal) fill(w *ways) {
	for _, s := range w.order {
		if l.tree.of[s].lane == open {
			l.hard(w, s)
		}
	}
}

// sprout is the tree to port 0 of switch t as far as the first lane has it.
type sprout struct {
	t     int32
	tree  *tree // nil when it is still to grow
	moves int   // on the first lane, when it grew
}

const (
	grown = 32  // sprouts at once
	kept  = 128 // sprouts that are not grown again for want of memory
)

// routePortZeros routes the LIDs of port 0 of every switch. First those to which the
// first lane, as it is, leads from everywhere. Then the others, one after the other,
// because what one adds to the lanes may change the next.
func (l *legal) routePortZeros(ctx context.Context) error {
	targets := l.targets()
	sprouts := make([]sprout, len(targets))
	for i, t := range targets {
		sprouts[i].t = t
	}
	var others []sprout
	err := l.eachSprout(ctx, sprouts, nil, func(s *sprout, _ *ways) {
		switch {
		case l.tree.left == 0:
			l.routePortZero(s.t, func() {})
		case len(others) < kept:
			others = append(others, *s)
			s.tree = nil
		default:
			others = append(others, sprout{t: s.t})
		}
	})
	if err != nil {
		return err
	}
	return l.eachSprout(ctx, others, make([]ways, grown), func(s *sprout, w *ways) {
		l.enumerate(w)
		l.routePortZero(s.t, func() { l.fill(w) })
	})
}

func (l *legal) routePortZero(t int32, fill func()) {
	l.routeEnd(t, l.in.Graph.PortZero(t), func(ports []uint8) {
		fill()
		l.finish(ports)
	})
}

// eachSprout grows sprouts side by side and has them used one after the other, with
// the ways to their switches unless ways is nil.
func (l *legal) eachSprout(ctx context.Context, sprouts []sprout, ways []ways, use func(s *sprout, w *ways)) error {
	for now := range slices.Chunk(sprouts, grown) {
		for i := range now {
			if now[i].tree == nil {
				now[i].tree, now[i].moves = l.spareTree(), -1
			}
		}
		err := par.For(ctx, l.in.Workers, len(now), func(_, i int) error {
			l.grow(&now[i])
			if ways != nil {
				ways[i].reach(l.in.Graph, l.head, now[i].t)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range now {
			s := &now[i]
			l.grow(s)
			l.tree, l.noted, l.moves = s.tree, 0, s.moves
			if ways == nil {
				use(s, nil)
			} else {
				use(s, &ways[i])
			}
			if s.tree != nil {
				l.spare, s.tree = append(l.spare, s.tree), nil
			}
		}
		if err := l.write(ctx); err != nil {
			return err
		}
	}
	return nil
}

// grow grows a sprout, again if the first lane has changed since.
func (l *legal) grow(s *sprout) {
	if moves := l.lanes.First().Moves(); s.moves != moves {
		s.tree.sprout(l.turns, s.t)
		s.moves = moves
	}
}

func (l *legal) spareTree() *tree {
	n := len(l.spare)
	if n == 0 {
		return newTree(l.in.Graph.NumSwitches)
	}
	t := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return t
}
