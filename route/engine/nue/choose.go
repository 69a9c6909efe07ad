package nue

import "weft/fabric"

// chooser takes for one destination after the other a channel at every switch, the
// least loaded of those that begin a way of the fewest hops.
type chooser struct {
	load []int64 // by position in Out: paths from hosts
	seq  int     // of the choice at hand

	// Of the destination at hand, by switch.
	flow  []int64   // paths of hosts that come through
	after []int32   // the latest place of a channel taken towards it
	hops  []int32   // how long its own way is
	taken []int32   // position in Out of its channel, -1 before it has one
	later [][]int32 // by hops: switches that take a longer way than they need
	list  []int32
}

func newChooser(g *fabric.Graph) *chooser {
	n := g.NumSwitches
	return &chooser{
		load: make([]int64, len(g.Out)), flow: make([]int64, n),
		after: make([]int32, n), hops: make([]int32, n), taken: make([]int32, n),
	}
}

// choose fills in taken for the destination of the ways; each host that sends to it
// counts as so many paths. Switches choose in order of their hops, the farthest first.
// One that comes later must take a channel beyond the places of those that lead to it,
// and so may need a longer way than its own shortest. It moves to that number of hops:
// it still chooses after all that lead to it.
func (b *chooser) choose(l *lane, w *ways, paths int64) {
	b.seq++
	levels := int32(len(w.level) - 1)
	for h := range levels {
		for _, s := range w.order[w.level[h]:w.level[h+1]] {
			b.flow[s] = weight(l.g, s) * paths
			b.after[s], b.taken[s], b.hops[s] = nowhere, -1, h
		}
		if int(h) == len(b.later) {
			b.later = append(b.later, nil)
		}
	}
	for h := levels - 1; h > 0; h-- {
		for k := w.level[h]; k < w.level[h+1]; k++ {
			if s := w.order[k]; b.hops[s] == h {
				b.take(l, w, s, w.allowed[w.start[k-1]:w.start[k]])
			}
		}
		for _, s := range b.later[h] {
			if b.hops[s] == h && b.taken[s] < 0 {
				b.take(l, w, s, nil)
			}
		}
		b.later[h] = b.later[h][:0]
	}
}

// take takes the least loaded of the channels of a list that lie beyond all that lead
// to switch s, or of all that do for its hops when none of the list does. Where
// nobody comes through any will do.
func (b *chooser) take(l *lane, w *ways, s int32, list []int32) {
	best := b.least(l, s, list)
	if best < 0 {
		b.list = w.longer(l, b.list[:0], s, b.hops[s], b.after[s]+1)
		best = b.least(l, s, b.list)
	}
	b.taken[s] = best
	v := l.head[best]
	if v == w.to {
		b.load[best] += b.flow[s]
		return
	}
	if f := b.flow[s]; f > 0 {
		b.load[best] += f
		b.flow[v] += f
		for u := v; u != w.to && b.taken[u] >= 0; { // one that has chosen passes it on
			i := b.taken[u]
			b.load[i] += f
			u = l.head[i]
			b.flow[u] += f
		}
	}
	if p := l.out[best]; p > b.after[v] && b.taken[v] < 0 {
		b.after[v] = p
		if h := w.levelFor(v, p); h > b.hops[v] {
			b.hops[v] = h
			b.later[h] = append(b.later[h], v)
		}
	}
}

// least is the least loaded channel of a list beyond what leads to switch s, -1 if there
// is none. Among equals it begins with another one each time.
func (b *chooser) least(l *lane, s int32, list []int32) int32 {
	best := int32(-1)
	n := len(list)
	if n == 0 {
		return best
	}
	for k, left := b.seq%n, n; left > 0; left-- {
		i := list[k]
		if k++; k == n {
			k = 0
		}
		if l.out[i] <= b.after[s] || (best >= 0 && b.load[i] >= b.load[best]) {
			continue
		}
		if best = i; b.flow[s] == 0 {
			break
		}
	}
	return best
}
