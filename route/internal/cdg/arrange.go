package cdg

import (
	"cmp"
	"math/bits"
	"slices"
)

// list is a doubly linked list of channels. The number of channels, n, and n+1 stand for its two
// ends.
type list struct {
	before, after []int32
}

// newList lists channels, or all n in order of their numbers if that is nil.
func newList(channels []int32, n int) list {
	l := list{before: make([]int32, n+2), after: make([]int32, n+2)}
	last := int32(n)
	for i := range int32(n) {
		c := i
		if channels != nil {
			c = channels[i]
		}
		l.after[last], l.before[c] = c, last
		last = c
	}
	l.after[last], l.before[n+1] = int32(n+1), last
	return l
}

// place returns the index in label of a channel or an end of the list.
func (o *Order) place(c int32) int32 {
	if int(c) < len(o.Place) {
		return o.Place[c]
	}
	return c
}

// relabel gives labels at equal distances.
func (o *Order) relabel() {
	n := int32(len(o.side))
	gap := int64(1<<62) / int64(n+1)
	at := int64(0)
	for c := n; c != n+1; c = o.after[c] {
		o.label[o.place(c)] = at
		at += gap
	}
	o.label[n+1] = at
}

// Sides of an edge.
const (
	nowhere uint8 = iota
	ahead         // its end, and channels behind it
	behind        // its start, and channels before it
)

// arrange changes the order so that channel c precedes d. It returns false if d leads to c.
func (o *Order) arrange(c, d int32) bool {
	labelC, labelD := o.label[o.Place[c]], o.label[o.Place[d]]
	if labelC < labelD {
		return true
	}
	if c == d {
		return false
	}
	o.ahead, o.behind = append(o.ahead[:0], d), append(o.behind[:0], c)
	o.side[d], o.side[c] = ahead, behind
	ok := false
	if o.rule == Exchange {
		ok = o.exchange(labelC, labelD)
	} else {
		ok = o.moveFewer(labelC, labelD)
	}
	o.forget(o.ahead, o.outSeen, o.Graph.To)
	o.forget(o.behind, o.inSeen, o.Graph.From)
	return ok
}

// forget clears a search's marks of the channels found on one side, and of the channels seen at the
// switches after them.
func (o *Order) forget(found []int32, seen []uint64, to []int32) {
	for _, x := range found {
		o.side[x] = nowhere
	}
	if clearedAlike*len(found)*o.words > len(seen) {
		clear(seen)
		return
	}
	for _, x := range found {
		clear(o.at(seen, to[x]))
	}
}

// clearedAlike is the number of consecutive words cleared in the time of a single one.
const clearedAlike = 8

// moveFewer searches on both sides of an edge in turns, between the labels of its start and its
// end, and moves the side that is complete first past the other channel.
func (o *Order) moveFewer(start, end int64) bool {
	c, d := o.behind[0], o.ahead[0]
	for i := 0; ; i++ {
		switch {
		case i == len(o.ahead):
			o.move(o.ahead, c, o.after[c])
			return true
		case i == len(o.behind):
			o.move(o.behind, o.before[d], d)
			return true
		case !o.searchAhead(o.ahead[i], start) || !o.searchBehind(o.behind[i], end):
			return false
		}
	}
}

// exchange searches both sides of an edge completely. It gives the labels of both to the channels
// behind and then to those ahead, each in their order.
func (o *Order) exchange(start, end int64) bool {
	for i := 0; i < len(o.ahead); i++ {
		o.steps += len(o.Graph.OutOf(o.Graph.To[o.ahead[i]]))
		if !o.searchAhead(o.ahead[i], start) {
			return false
		}
	}
	for i := 0; i < len(o.behind); i++ {
		o.searchBehind(o.behind[i], end)
	}
	o.moves++
	o.sort(o.behind)
	o.sort(o.ahead)
	labels := make([]int64, 0, len(o.behind)+len(o.ahead))
	for _, side := range [][]int32{o.behind, o.ahead} {
		for _, x := range side {
			labels = append(labels, o.label[o.Place[x]])
		}
	}
	slices.Sort(labels)
	for i, x := range o.behind {
		o.label[o.Place[x]] = labels[i]
	}
	for i, x := range o.ahead {
		o.label[o.Place[x]] = labels[len(o.behind)+i]
	}
	return true
}

// at returns the words of a switch.
func (o *Order) at(sets []uint64, s int32) []uint64 { return sets[int(s)*o.words : int(s+1)*o.words] }

// searchAhead finds the channels after x, up to a label; false if one of them is behind.
func (o *Order) searchAhead(x int32, label int64) bool {
	s := o.Graph.To[x]
	first, seen := o.Graph.OutStart[s], o.at(o.outSeen, s)
	out, labels := o.Graph.Out[first:], o.label[first:]
	for w, set := range o.next[int(x)*o.words : int(x+1)*o.words] {
		set &^= seen[w]
		seen[w] |= set
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

// searchBehind finds the channels before y, down to a label; false if one of them is ahead.
func (o *Order) searchBehind(y int32, label int64) bool {
	s := o.Graph.From[y]
	first, seen := o.Graph.OutStart[s], o.at(o.inSeen, s)
	out, back := o.Graph.Out[first:], o.back[first:]
	for w, set := range o.previous[int(y)*o.words : int(y+1)*o.words] {
		set &^= seen[w]
		seen[w] |= set
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

// sort sorts channels by their places in the list.
func (o *Order) sort(channels []int32) {
	slices.SortFunc(channels, func(x, y int32) int { return cmp.Compare(o.label[o.Place[x]], o.label[o.Place[y]]) })
}

// move puts channels between two neighbours in the list, in their present order.
func (o *Order) move(channels []int32, from, to int32) {
	o.moves++
	o.sort(channels)
	for _, x := range channels {
		a, b := o.before[x], o.after[x]
		o.after[a], o.before[b] = b, a
	}
	label := o.label[o.place(from)]
	gap := (o.label[o.place(to)] - label) / int64(len(channels)+1)
	last := from
	for _, x := range channels {
		o.after[last], o.before[x] = x, last
		label += gap
		o.label[o.Place[x]] = label
		last = x
	}
	o.after[last], o.before[to] = to, last
	if gap == 0 {
		o.relabel()
	}
}
