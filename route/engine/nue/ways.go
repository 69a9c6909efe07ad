package nue

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// Places that no channel has: that of a destination comes after all, that of a switch
// without a way before all.
const (
	goal    = hindmost + 1
	nowhere = foremost - 1
)

// lane is an order made ready for the search: by position in Graph.Out.
type lane struct {
	g    *fabric.Graph
	p    *parts
	head []int32 // switch that the channel leads to
	out  []int32 // its place
	in   []int32 // the place of its reverse
	down []int32 // positions in Out by switch, the latest place first
}

func newLane(o *order, p *parts) *lane {
	g := o.t.Graph
	l := &lane{g: g, p: p, head: make([]int32, len(g.Out)), out: make([]int32, len(g.Out)), in: make([]int32, len(g.Out)), down: make([]int32, len(g.Out))}
	for i, c := range g.Out {
		l.head[i], l.out[i], l.in[i] = g.To[c], o.place[c], o.place[c^1]
		l.down[i] = int32(i)
	}
	for s := range g.NumSwitches {
		slices.SortStableFunc(l.down[g.OutStart[s]:g.OutStart[s+1]], func(x, y int32) int { return cmp.Compare(l.out[y], l.out[x]) })
	}
	return l
}

// reach is the number of switches that reach switch t, itself included; 0 where that
// is not known, as for a drained switch between several parts.
func (l *lane) reach(t int32) int {
	if l.g.Drained[t] {
		return 0
	}
	return int(l.p.size[l.p.of[t]])
}

// step says that a switch reaches the destination in level hops, or fewer, by a
// channel at a place, and by none at a later one.
type step struct{ place, level, prev int32 }

// ways are the ways to a destination switch on a lane: for every switch, the latest
// channel with which a way of so many hops can begin. Such a way suits whatever
// comes from an earlier channel.
type ways struct {
	to    int32
	steps []step
	tip   []int32 // by switch: its step of the highest level, -1 where there is no way
	base  []int32 // its step of the lowest level
	order []int32 // switches that reach the destination, nearest first
	level []int32 // order[level[h]:level[h+1]] need h hops

	start   []int32 // by k: allowed[start[k]:start[k+1]] are those of order[k+1]
	allowed []int32 // positions in Out of channels that begin a way of the fewest hops, the latest first
	next    []int32 // by position in allowed: the last of the next switch's that may follow, -1 at the destination
	number  []int32 // by switch: its place in order

	changed, found []mark
}

// mark is a switch whose place at the level at hand is fixed.
type mark struct{ s, place int32 }

// search finds the ways to switch t.
func (w *ways) search(l *lane, t int32) {
	g := l.g
	w.reset(g, t)
	w.push(t, goal, 0, -1)
	w.order = append(w.order, t)
	w.level = append(w.level, 0, 1)
	w.changed = append(w.changed[:0], mark{t, goal})
	for h := int32(1); len(w.changed) > 0 && len(w.order) != l.reach(t); h++ {
		w.found = w.found[:0]
		for _, m := range w.changed {
			for i := g.OutStart[m.s]; i < g.OutStart[m.s+1]; i++ {
				if p := l.in[i]; p < m.place {
					w.reach(l.head[i], p, h)
				}
			}
		}
		for i := range w.found {
			w.found[i].place = w.steps[w.tip[w.found[i].s]].place
		}
		w.changed, w.found = w.found, w.changed
		w.level = append(w.level, int32(len(w.order)))
	}
	w.allow(l)
}

func (w *ways) reset(g *fabric.Graph, t int32) {
	if w.tip == nil {
		w.tip, w.base, w.number = make([]int32, g.NumSwitches), make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)
	}
	for s := range w.tip {
		w.tip[s], w.number[s] = -1, -1
	}
	w.to = t
	w.steps, w.order, w.level = w.steps[:0], w.order[:0], w.level[:0]
}

func (w *ways) push(s, place, level, prev int32) {
	w.tip[s] = int32(len(w.steps))
	w.steps = append(w.steps, step{place, level, prev})
	if prev < 0 {
		w.base[s] = w.tip[s]
	}
}

// reach notes a way of h hops from switch s that begins with a channel at a place.
func (w *ways) reach(s, place, h int32) {
	tip := w.tip[s]
	switch {
	case tip < 0:
		w.order = append(w.order, s)
	case w.steps[tip].place >= place:
		return
	case w.steps[tip].level == h:
		w.steps[tip].place = place
		return
	}
	w.push(s, place, h, tip)
	w.found = append(w.found, mark{s, 0})
}

// latest is the latest place with which a way of at most h hops begins at switch s.
func (w *ways) latest(s, h int32) int32 {
	k := w.tip[s]
	for k >= 0 && w.steps[k].level > h {
		k = w.steps[k].prev
	}
	if k < 0 {
		return nowhere
	}
	return w.steps[k].place
}

// levelFor is the number of hops that switch s needs for a way that begins after a place.
func (w *ways) levelFor(s, place int32) int32 {
	k := w.tip[s]
	for p := w.steps[k].prev; p >= 0 && w.steps[p].place > place; p = w.steps[k].prev {
		k = p
	}
	return w.steps[k].level
}

// hops is the fewest hops of switch s.
func (w *ways) hops(s int32) int32 { return w.steps[w.base[s]].level }

// allow lists the channels of the shortest ways. Those after which the next switch
// may take its own shortest way come alone where there are any.
func (w *ways) allow(l *lane) {
	w.allowed, w.next, w.start = w.allowed[:0], w.next[:0], append(w.start[:0], 0)
	w.number[w.to] = 0
	for k, s := range w.order[1:] {
		w.number[s] = int32(k + 1)
		h := w.hops(s)
		from := len(w.allowed)
		for _, i := range l.down[l.g.OutStart[s]:l.g.OutStart[s+1]] {
			if v := l.head[i]; w.tip[v] >= 0 && w.hops(v) == h-1 && l.out[i] < w.steps[w.base[v]].place {
				w.allowed = append(w.allowed, i)
			}
		}
		if len(w.allowed) == from {
			w.allowed = w.longer(l, w.allowed, s, h, foremost)
		}
		for _, i := range w.allowed[from:] {
			w.next = append(w.next, w.follow(l, i))
		}
		w.start = append(w.start, int32(len(w.allowed)))
	}
}

// follow is the position in allowed of the last channel that may follow one, or of the
// last of all where none of the next switch's may; -1 at the destination.
func (w *ways) follow(l *lane, i int32) int32 {
	v := l.head[i]
	if v == w.to {
		return -1
	}
	from, to := w.start[w.number[v]-1], w.start[w.number[v]]
	for k := to - 1; k >= from; k-- {
		if l.out[w.allowed[k]] > l.out[i] {
			return k
		}
	}
	return to - 1
}

// longer lists the channels with which a way of at most h hops from switch s begins,
// at a place or later.
func (w *ways) longer(l *lane, list []int32, s, h, place int32) []int32 {
	for _, i := range l.down[l.g.OutStart[s]:l.g.OutStart[s+1]] {
		if v := l.head[i]; l.out[i] >= place && w.tip[v] >= 0 && l.out[i] < w.latest(v, h-1) {
			list = append(list, i)
		}
	}
	return list
}
