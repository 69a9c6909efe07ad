package nue

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// Places that no channel has: a destination's comes after all, that of a switch without a way
// before all.
const (
	goal    = hindmost + 1
	nowhere = foremost - 1
)

// lane is an order of channels made ready for searches, by position in Graph.Out.
type lane struct {
	g           *fabric.Graph
	p           *parts
	head        []int32 // switch at its end
	out         []int32 // place of the channel
	in          []int32 // place of its reverse
	latestFirst []int32 // positions by switch, the latest place first
}

func newLane(o *order, p *parts) *lane {
	g := o.turns.Graph
	l := &lane{g: g, p: p, head: make([]int32, len(g.Out)), out: make([]int32, len(g.Out)), in: make([]int32, len(g.Out)), latestFirst: make([]int32, len(g.Out))}
	for i, c := range g.Out {
		l.head[i], l.out[i], l.in[i] = g.To[c], o.place[c], o.place[c^1]
		l.latestFirst[i] = int32(i)
	}
	for s := range g.NumSwitches {
		slices.SortStableFunc(l.latestFirst[g.OutStart[s]:g.OutStart[s+1]], func(x, y int32) int { return cmp.Compare(l.out[y], l.out[x]) })
	}
	return l
}

// reachable returns the number of switches that reach switch t, including itself; 0 if that is
// unknown, as for a drained switch between several parts.
func (l *lane) reachable(t int32) int {
	if l.g.Drained[t] {
		return 0
	}
	return int(l.p.size[l.p.of[t]])
}

// option says that a switch reaches the destination in at most so many hops by a way over the
// channel at a place, and by none over a later place. prev is the switch's option of fewer hops, -1
// if there is none.
type option struct{ place, hops, prev int32 }

// ways holds the ways to a destination switch on a lane: for every switch and number of hops, the
// latest possible first channel. Such a way suits every packet that arrives by an earlier channel.
type ways struct {
	to       int32
	options  []option
	longest  []int32 // by switch: its option of the most hops, -1 without a way
	shortest []int32 // by switch: its option of the fewest hops
	order    []int32 // switches that reach the destination, nearest first
	level    []int32 // order[level[h]:level[h+1]] need h hops

	start   []int32 // by k: the channels of order[k+1] are allowed[start[k]:start[k+1]]
	allowed []int32 // positions in Out of first channels of a way of the fewest hops, the latest first
	next    []int32 // by position in allowed: the last of the next switch's channels that may follow, -1 at the destination
	number  []int32 // by switch: its place in order

	now, found []reachedSwitch // scratch of search
}

// reachedSwitch is a switch with a new option at the current level, and its place.
type reachedSwitch struct{ s, place int32 }

// search finds the ways to switch t.
func (w *ways) search(l *lane, t int32) {
	g := l.g
	w.reset(g, t)
	w.push(t, goal, 0, -1)
	w.order = append(w.order, t)
	w.level = append(w.level, 0, 1)
	w.now = append(w.now[:0], reachedSwitch{t, goal})
	for h := int32(1); len(w.now) > 0 && len(w.order) != l.reachable(t); h++ {
		w.found = w.found[:0]
		for _, m := range w.now {
			for i := g.OutStart[m.s]; i < g.OutStart[m.s+1]; i++ {
				if p := l.in[i]; p < m.place {
					w.add(l.head[i], p, h)
				}
			}
		}
		for i := range w.found {
			w.found[i].place = w.options[w.longest[w.found[i].s]].place
		}
		w.now, w.found = w.found, w.now
		w.level = append(w.level, int32(len(w.order)))
	}
	w.listAllowed(l)
}

func (w *ways) reset(g *fabric.Graph, t int32) {
	if w.longest == nil {
		w.longest, w.shortest, w.number = make([]int32, g.NumSwitches), make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)
	}
	for s := range w.longest {
		w.longest[s], w.number[s] = -1, -1
	}
	w.to = t
	w.options, w.order, w.level = w.options[:0], w.order[:0], w.level[:0]
}

func (w *ways) push(s, place, hops, prev int32) {
	w.longest[s] = int32(len(w.options))
	w.options = append(w.options, option{place, hops, prev})
	if prev < 0 {
		w.shortest[s] = w.longest[s]
	}
}

// add records a way of h hops from switch s over the channel at a place.
func (w *ways) add(s, place, h int32) {
	last := w.longest[s]
	switch {
	case last < 0:
		w.order = append(w.order, s)
	case w.options[last].place >= place:
		return
	case w.options[last].hops == h:
		w.options[last].place = place
		return
	}
	w.push(s, place, h, last)
	w.found = append(w.found, reachedSwitch{s, 0})
}

// latest returns the latest first place of a way of at most h hops from switch s.
func (w *ways) latest(s, h int32) int32 {
	k := w.longest[s]
	for k >= 0 && w.options[k].hops > h {
		k = w.options[k].prev
	}
	if k < 0 {
		return nowhere
	}
	return w.options[k].place
}

// hopsAfter returns the number of hops that switch s needs for a way that begins after a place.
func (w *ways) hopsAfter(s, place int32) int32 {
	k := w.longest[s]
	for p := w.options[k].prev; p >= 0 && w.options[p].place > place; p = w.options[k].prev {
		k = p
	}
	return w.options[k].hops
}

// hops returns the fewest hops of switch s.
func (w *ways) hops(s int32) int32 { return w.options[w.shortest[s]].hops }

// listAllowed lists the channels of the shortest ways. It keeps only channels after which the next
// switch may take its own shortest way, if there are any.
func (w *ways) listAllowed(l *lane) {
	w.allowed, w.next, w.start = w.allowed[:0], w.next[:0], append(w.start[:0], 0)
	w.number[w.to] = 0
	for k, s := range w.order[1:] {
		w.number[s] = int32(k + 1)
		h := w.hops(s)
		from := len(w.allowed)
		for _, i := range l.latestFirst[l.g.OutStart[s]:l.g.OutStart[s+1]] {
			if v := l.head[i]; w.longest[v] >= 0 && w.hops(v) == h-1 && l.out[i] < w.options[w.shortest[v]].place {
				w.allowed = append(w.allowed, i)
			}
		}
		if len(w.allowed) == from {
			w.allowed = w.channelsFrom(l, w.allowed, s, h, foremost)
		}
		for _, i := range w.allowed[from:] {
			w.next = append(w.next, w.lastFollower(l, i))
		}
		w.start = append(w.start, int32(len(w.allowed)))
	}
}

// lastFollower returns the position in allowed of the last channel that may follow the channel at
// position i in Out; if none may, the last of the next switch; -1 at the destination.
func (w *ways) lastFollower(l *lane, i int32) int32 {
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

// channelsFrom lists the first channels, at a place or later, of ways of at most h hops from switch
// s.
func (w *ways) channelsFrom(l *lane, list []int32, s, h, place int32) []int32 {
	for _, i := range l.latestFirst[l.g.OutStart[s]:l.g.OutStart[s+1]] {
		if v := l.head[i]; l.out[i] >= place && w.longest[v] >= 0 && l.out[i] < w.latest(v, h-1) {
			list = append(list, i)
		}
	}
	return list
}
