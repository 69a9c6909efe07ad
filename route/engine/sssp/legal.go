package sssp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"weft/fabric"
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
// shortest path.
func BuildLegal(ctx context.Context, in *route.Input, slack int) (*route.Tables, *lanes.Acyclic, error) {
	b := newBuilder(in)
	u, err := chooseUpDown(ctx, in, b.head)
	if err != nil {
		return nil, nil, err
	}
	l := newLegal(b, u, slack)
	if err := b.each(ctx, l.routeHosts); err != nil {
		return nil, nil, err
	}
	if err := b.each(ctx, l.routePortZero); err != nil {
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
	lanes  *lanes.Acyclic
	down   []bool  // by channel
	place  []int32 // by channel: position in Out
	left   int     // switches without a path to the LID at hand
	slack  int64
	failed bool

	// Of the paths to the LID at hand, by switch.
	next   []int32 // first channel
	lane   []int32 // lane that has it, open without a path
	length []int32 // hops
	via    []int32 // position in Out of the best detour found, or a negative number
	number []int32 // place in ways.order

	some   []int32 // positions in Out
	path   []int32
	levels [][]int32
}

// open is the lane of a switch without a path.
const open int32 = -1

func newLegal(b *builder, u *upDown, slack int) *legal {
	g := b.in.Graph
	n := g.NumSwitches
	l := &legal{
		builder: b, slack: int64(slack), lanes: lanes.NewAcyclic(g, u.list), down: u.down, place: make([]int32, g.NumChannels),
		next: make([]int32, n), lane: make([]int32, n), length: make([]int32, n), via: make([]int32, n), number: make([]int32, n),
	}
	for i, c := range g.Out {
		l.place[c] = int32(i)
	}
	return l
}

func (l *legal) routeHosts(w *ways) {
	for _, h := range l.in.Graph.HostsOf(w.order[0]) {
		l.routeEnd(w, h, func(ports []uint8) {
			l.begin(w)
			l.shortest(w)
			l.detours(w)
			l.finish(w, ports)
			l.count(w)
		})
	}
}

func (l *legal) routePortZero(w *ways) {
	l.routeEnd(w, l.in.Graph.PortZero(w.order[0]), func(ports []uint8) {
		l.begin(w)
		l.detours(w)
		l.finish(w, ports)
	})
}

func (l *legal) begin(w *ways) {
	for i := range l.lane {
		l.lane[i], l.via[i] = open, -1
	}
	t := w.order[0]
	l.next[t], l.lane[t], l.length[t], l.dist[t] = fabric.Nothing, 0, 0, 0
	l.left = len(w.order) - 1
}

// finish enters the ports of the paths.
func (l *legal) finish(w *ways, ports []uint8) {
	for k, s := range w.order[1:] {
		i := l.place[l.next[s]]
		ports[s], w.taken[k] = l.port[i], i
	}
}

// shortest gives shortest paths to all switches with hosts, and to those that they
// pass; also to others, where the first lane has one as it is.
func (l *legal) shortest(w *ways) {
	g := l.in.Graph
	for k, s := range w.order {
		l.number[s] = int32(k)
	}
	for k, s := range w.order[1:] {
		i, weight, least := l.easy(w.allowed[w.start[k]:w.start[k+1]])
		hosts := g.HostStart[s] < g.HostStart[s+1]
		switch {
		case i >= 0 && weight <= l.limit(least, hosts):
			l.take(s, i, 0)
		case hosts:
			l.hard(w, s)
		default:
			l.dist[s] = least
		}
	}
}

// easy finds the least loaded shortest path that is on the first lane as it is, and
// its load; also the least load of all shortest paths. Those of a switch without hosts
// that has none yet count as what they would be.
func (l *legal) easy(allowed []int32) (best int32, weight, least int64) {
	g := l.in.Graph
	best, weight, least = -1, math.MaxInt64, math.MaxInt64
	for _, i := range allowed {
		v := l.head[i]
		sum := l.load[i] + l.dist[v]
		least = min(least, sum)
		if sum >= weight || l.lane[v] != 0 {
			continue
		}
		if d := l.next[v]; d < 0 || l.lanes.Follows(g.Out[i], d) {
			best, weight = i, sum
		}
	}
	return best, weight, least
}

// limit is the load up to which a path is taken for its lane. Where no host begins
// one, few paths depend on the choice, and more is allowed.
func (l *legal) limit(least int64, hosts bool) int64 {
	if !hosts {
		return least + max(2*least, least*l.slack/16)
	}
	return least + least*l.slack/16
}

// take gives switch s the path that begins at a position in Out.
func (l *legal) take(s, i, lane int32) {
	l.left--
	v, c := l.head[i], l.in.Graph.Out[i]
	l.next[s], l.lane[s], l.length[s] = c, lane, l.length[v]+1
	l.dist[s] = l.load[i] + l.dist[v]
	if d := l.next[v]; d >= 0 && lane == 0 {
		l.lanes.Note(c, d)
	}
}

// hard gives switch s a shortest path on the first lane that can have one.
func (l *legal) hard(w *ways, s int32) {
	k := l.number[s] - 1
	allowed := w.allowed[w.start[k]:w.start[k+1]]
	limit := l.settle(w, allowed)
	l.some = l.some[:0]
	for _, i := range allowed {
		if l.load[i]+l.dist[l.head[i]] <= limit {
			l.some = append(l.some, i)
		}
	}
	slices.SortStableFunc(l.some, func(x, y int32) int {
		return cmp.Compare(l.load[x]+l.dist[l.head[x]], l.load[y]+l.dist[l.head[y]])
	})
	for lane := range int32(lanes.MaxLanes) {
		for _, i := range l.some {
			if l.lane[l.head[i]] <= lane && l.lanes.Add(int(lane), l.pathFrom(i)) {
				l.take(s, i, lane)
				return
			}
		}
	}
	l.failed = true
	l.take(s, l.some[0], 0)
}

// settle gives paths to the switches behind the least loaded paths, as long as there
// are some without, and returns the limit of load.
func (l *legal) settle(w *ways, allowed []int32) int64 {
	_, _, least := l.easy(allowed)
	limit := l.limit(least, true)
	for _, i := range allowed {
		if v := l.head[i]; l.lane[v] == open && l.load[i]+l.dist[v] <= limit {
			l.hard(w, v)
			return l.settle(w, allowed)
		}
	}
	return limit
}

// pathFrom lists the channels of a path.
func (l *legal) pathFrom(i int32) []int32 {
	l.path = l.path[:0]
	for c := l.in.Graph.Out[i]; c >= 0; c = l.next[l.in.Graph.To[c]] {
		l.path = append(l.path, c)
	}
	return l.path
}

// detours gives a path to every switch that is left: the shortest on the first lane
// as it is. Only where there is none, a shortest of all.
func (l *legal) detours(w *ways) {
	if l.left == 0 {
		return
	}
	g := l.in.Graph
	for h := range l.levels {
		l.levels[h] = l.levels[h][:0]
	}
	for k, s := range w.order {
		l.number[s] = int32(k)
		if l.lane[s] == 0 {
			l.level(l.length[s], s)
		}
	}
	for h := int32(0); int(h) < len(l.levels) && l.left > 0; h++ {
		for _, v := range l.levels[h] {
			if l.lane[v] == open {
				l.take(v, l.via[v], 0)
			}
			if l.next[v] >= 0 && g.Drained[v] {
				continue
			}
			for _, back := range g.OutOf(v) {
				if c := back ^ 1; l.lane[g.From[c]] == open && (l.next[v] < 0 || l.lanes.Follows(c, l.next[v])) {
					l.detour(c, h+1)
				}
			}
		}
	}
	for _, s := range w.order {
		if l.lane[s] == open {
			l.hard(w, s)
		}
	}
}

// detour notes a path over channel c of a length, if the switch has no better one.
func (l *legal) detour(c, length int32) {
	g := l.in.Graph
	s := g.From[c]
	if l.via[s] < 0 {
		l.via[s], l.length[s] = l.place[c], length
		l.level(length, s)
		return
	}
	old := g.Out[l.via[s]]
	better := l.down[c] && !l.down[old] || l.down[c] == l.down[old] && g.To[c] < g.To[old]
	if l.length[s] == length && better {
		l.via[s] = l.place[c]
	}
}

// level notes a switch whose path has a length.
func (l *legal) level(length, s int32) {
	for len(l.levels) <= int(length) {
		l.levels = append(l.levels, nil)
	}
	l.levels[length] = append(l.levels[length], s)
}
