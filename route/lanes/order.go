package lanes

import (
	"cmp"
	"math/bits"
	"slices"
)

// order is a lane that stays acyclic: its channels stand in a list in which every
// edge leads forwards. Labels that rise along the list, with gaps, tell which of two
// channels stands before the other.
type order struct {
	p     *Paths
	count []uint32 // paths by place of an edge, kept by addPair

	label  []int64 // by place of a channel (Paths.place); two more are the ends of the list
	before []int32 // by channel: the one before it in the list
	after  []int32 // by channel: the one after it
	moves  int     // changes of the list

	words int      // a channel in each of the sets of edges:
	next  []uint64 // by channel: a bit for each channel out of its end that follows it
	last  []uint64 // by channel: a bit for each channel into its start that leads to it
	never []uint64 // by channel, as next: an edge that would close a cycle, now and ever

	hops   []hop   // of addPair
	added  []hop   // of add
	side   []uint8 // by channel: on which side of an edge a search found it
	ahead  []int32 // channels to which the edge's end leads, that end first
	behind []int32 // channels that lead to the edge's start, that start first
}

// hop is an edge on a path: channel d after channel c.
type hop struct{ c, d int32 }

// newOrder makes an order of a lane with the edges that count has; nil is none. The
// channels, or nil for those of an empty lane, are listed so that every edge leads
// forwards.
func newOrder(p *Paths, count []uint32, channels []int32) *order {
	n := p.g.NumChannels
	o := &order{
		p: p, count: count, side: make([]uint8, n),
		label: make([]int64, n+2), before: make([]int32, n+2), after: make([]int32, n+2),
	}
	end := int32(n)
	for i := range int32(n) {
		c := i
		if channels != nil {
			c = channels[i]
		}
		o.after[end], o.before[c] = c, end
		end = c
	}
	o.after[end], o.before[n+1] = int32(n+1), end
	o.spread()
	for s := range int32(p.g.NumSwitches) {
		o.words = max(o.words, (len(p.g.OutOf(s))+63)/64)
	}
	o.next, o.last, o.never = make([]uint64, n*o.words), make([]uint64, n*o.words), make([]uint64, n*o.words)
	if count == nil {
		return o
	}
	for c := range int32(n) {
		for _, d := range p.g.OutOf(p.g.To[c]) {
			if count[p.edge(c, d)] > 0 {
				o.link(hop{c, d})
			}
		}
	}
	return o
}

// spread gives labels at equal distances.
func (o *order) spread() {
	n := int32(len(o.side))
	gap := int64(1<<62) / int64(n+1)
	at := int64(0)
	for c := n; c != n+1; c = o.after[c] {
		o.label[o.p.place[c]] = at
		at += gap
	}
	o.label[o.p.place[n+1]] = at
}

// bit finds an edge in next and never.
func (o *order) bit(h hop) (word int, bit uint64) {
	k := int(o.p.rank[h.d])
	return int(h.c)*o.words + k/64, 1 << (k % 64)
}

// link adds an edge, or takes it back.
func (o *order) link(h hop) {
	w, bit := o.bit(h)
	o.next[w] ^= bit
	i := int(o.p.rank[h.c^1])
	o.last[int(h.d)*o.words+i/64] ^= 1 << (i % 64)
}

// linkNumber adds the edge from channel c to the one with a number among those out of
// its end.
func (o *order) linkNumber(c, number int32) {
	o.link(hop{c, o.p.g.OutOf(o.p.g.To[c])[number]})
}

// addPair adds all paths of a pair, or none if they would close a cycle.
func (o *order) addPair(a, b int32) bool {
	o.hops = o.p.hops(a, b, o.hops[:0])
	if !o.add(o.hops) {
		return false
	}
	for _, h := range o.hops {
		o.count[o.p.edge(h.c, h.d)]++
	}
	return true
}

// add adds the edges of paths, or none if they would close a cycle. As the lane only
// grows, an edge that alone would close a cycle is not tried again.
func (o *order) add(paths []hop) bool {
	for _, h := range paths {
		if w, bit := o.bit(h); o.never[w]&bit != 0 {
			return false
		}
	}
	o.added = o.added[:0]
	for _, h := range paths {
		w, bit := o.bit(h)
		if o.next[w]&bit != 0 {
			continue
		}
		if !o.fit(h.c, h.d) {
			o.never[w] |= bit
			return false
		}
		o.added = append(o.added, h)
	}
	for i, h := range o.added {
		w, bit := o.bit(h)
		if o.next[w]&bit != 0 {
			continue
		}
		if !o.fit(h.c, h.d) {
			o.unlink(o.added[:i])
			return false
		}
		o.link(h)
	}
	return true
}

// unlink takes back edges, of which some are listed twice.
func (o *order) unlink(hops []hop) {
	for _, h := range hops {
		if w, bit := o.bit(h); o.next[w]&bit != 0 {
			o.link(h)
		}
	}
}

// Sides of an edge.
const (
	nowhere uint8 = iota
	ahead         // its end, and where that leads
	behind        // its start, and what leads there
)

// fit changes the order so that channel c stands before d. It returns false if d
// leads to c. It searches from d forwards and from c backwards by turns, only among
// the channels between the two. The side that is found whole first is moved past
// the other channel.
func (o *order) fit(c, d int32) bool {
	labelC, labelD := o.label[o.p.place[c]], o.label[o.p.place[d]]
	if labelC < labelD {
		return true
	}
	if c == d {
		return false
	}
	o.ahead, o.behind = append(o.ahead[:0], d), append(o.behind[:0], c)
	o.side[d], o.side[c] = ahead, behind
	ok := true
	for i := 0; ok; i++ {
		if i == len(o.ahead) {
			o.move(o.ahead, c, o.after[c])
			break
		}
		if i == len(o.behind) {
			o.move(o.behind, o.before[d], d)
			break
		}
		ok = o.goOn(o.ahead[i], labelC) && o.goBack(o.behind[i], labelD)
	}
	for _, x := range o.ahead {
		o.side[x] = nowhere
	}
	for _, x := range o.behind {
		o.side[x] = nowhere
	}
	return ok
}

// goOn finds what channel x leads to, up to a label; false if the other search was there.
func (o *order) goOn(x int32, label int64) bool {
	g := o.p.g
	first := g.OutStart[g.To[x]]
	out, labels := g.Out[first:], o.label[first:]
	for w, set := range o.next[int(x)*o.words : int(x+1)*o.words] {
		for ; set != 0; set &= set - 1 {
			i := w*64 + bits.TrailingZeros64(set)
			if labels[i] > label {
				continue // and so not behind
			}
			y := out[i]
			switch o.side[y] {
			case behind:
				return false
			case nowhere:
				o.side[y] = ahead
				o.ahead = append(o.ahead, y)
			}
		}
	}
	return true
}

// goBack finds what leads to channel y, down to a label; false if the other search
// was there.
func (o *order) goBack(y int32, label int64) bool {
	g := o.p.g
	first := g.OutStart[g.From[y]]
	out, back := g.Out[first:], o.p.back[first:]
	for w, set := range o.last[int(y)*o.words : int(y+1)*o.words] {
		for ; set != 0; set &= set - 1 {
			i := w*64 + bits.TrailingZeros64(set)
			if o.label[back[i]] < label {
				continue // and so not ahead
			}
			x := out[i] ^ 1
			switch o.side[x] {
			case ahead:
				return false
			case nowhere:
				o.side[x] = behind
				o.behind = append(o.behind, x)
			}
		}
	}
	return true
}

// move puts channels between two neighbours in the list, in the order that they have.
func (o *order) move(channels []int32, from, to int32) {
	o.moves++
	place := o.p.place
	slices.SortFunc(channels, func(x, y int32) int { return cmp.Compare(o.label[place[x]], o.label[place[y]]) })
	for _, x := range channels {
		a, b := o.before[x], o.after[x]
		o.after[a], o.before[b] = b, a
	}
	label := o.label[place[from]]
	gap := (o.label[place[to]] - label) / int64(len(channels)+1)
	last := from
	for _, x := range channels {
		o.after[last], o.before[x] = x, last
		label += gap
		o.label[place[x]] = label
		last = x
	}
	o.after[last], o.before[to] = to, last
	if gap == 0 {
		o.spread()
	}
}
