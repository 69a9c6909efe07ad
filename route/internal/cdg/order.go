package cdg

import (
	"math/bits"

	"weft/fabric"
)

// Rule says which channels change places for an edge that leads backwards.
type Rule uint8

// The rules of an Order; the package comment compares them.
const (
	MoveFewer Rule = iota
	Exchange
)

// Order is an acyclic dependency graph that only grows. Its channels form a list, and every edge
// leads forwards in the list. Labels rise along the list, with gaps: they show which of two
// channels comes first.
type Order struct {
	*Index
	rule  Rule
	moves int // changes of the list
	steps int // of Steps

	label []int64 // by place of a channel; two more for the ends of the list
	list          // only for MoveFewer
	back  []int32 // by place of a channel: its reverse's place

	words    int      // words of a channel in each of the sets of edges
	next     []uint64 // by channel: a bit for each channel out of its end that follows it
	previous []uint64 // by channel: a bit for each channel into its start that leads to it
	never    []uint64 // by channel, as next: an edge that would close a cycle, now and ever

	added  []Edge  // scratch of Add
	side   []uint8 // by channel: the side of an edge on which a search found it
	ahead  []int32 // channels after the edge's end, that end first
	behind []int32 // channels before the edge's start, that start first

	// By switch a bit for each channel out of it, as in next, and for each channel into it, as in
	// previous: channels that a search need not visit again.
	outSeen, inSeen []uint64
}

// NewOrder makes a graph without edges whose channels are in the order of a list, or of their
// numbers if that is nil.
func NewOrder(x *Index, channels []int32, rule Rule) *Order {
	o := newOrder(x, rule)
	o.setList(channels)
	return o
}

// NewOrderOf makes a graph of edges, a bit by number of each. It returns nil if they close a cycle.
func NewOrderOf(x *Index, edges []uint64, rule Rule) *Order {
	o, g := newOrder(x, rule), x.Graph
	o.setEdges(edges)
	into := make([]int32, g.NumChannels) // by channel: edges to it from channels not listed yet
	list := make([]int32, 0, len(into))
	for c := range into {
		for _, set := range o.previous[c*o.words : (c+1)*o.words] {
			into[c] += int32(bits.OnesCount64(set))
		}
		if into[c] == 0 {
			list = append(list, int32(c))
		}
	}
	for i := 0; i < len(list); i++ {
		c := int(list[i])
		out := g.OutOf(g.To[c])
		for w, set := range o.next[c*o.words : (c+1)*o.words] {
			for ; set != 0; set &= set - 1 {
				d := out[w*64+bits.TrailingZeros64(set)]
				if into[d]--; into[d] == 0 {
					list = append(list, d)
				}
			}
		}
	}
	if len(list) < len(into) {
		return nil
	}
	o.setList(list)
	return o
}

// setEdges sets the edges of a graph that has none.
func (o *Order) setEdges(edges []uint64) {
	g := o.Graph
	for c := range int32(g.NumChannels) {
		out, i := g.OutOf(g.To[c]), int(o.Rank[c^1])
		for w := 0; w*64 < len(out); w++ {
			set := bitsFrom(edges, o.Row[c]+w*64, len(out)-w*64)
			o.next[int(c)*o.words+w] = set
			for ; set != 0; set &= set - 1 {
				d := out[w*64+bits.TrailingZeros64(set)]
				o.previous[int(d)*o.words+i/64] |= 1 << (i % 64)
			}
		}
	}
}

// newOrder makes a graph without edges, whose channels are not listed yet.
func newOrder(x *Index, rule Rule) *Order {
	g, n := x.Graph, x.Graph.NumChannels
	o := &Order{Index: x, rule: rule, back: make([]int32, n), side: make([]uint8, n)}
	for i, c := range g.Out {
		o.back[i] = x.Place[c^1]
	}
	for s := range int32(g.NumSwitches) {
		o.words = max(o.words, (len(g.OutOf(s))+63)/64)
	}
	seen := make([]uint64, 2*g.NumSwitches*o.words)
	o.outSeen, o.inSeen = seen[:len(seen)/2], seen[len(seen)/2:]
	o.next, o.previous, o.never = make([]uint64, n*o.words), make([]uint64, n*o.words), make([]uint64, n*o.words)
	return o
}

// setList lists the channels, in the order of their numbers if channels is nil.
func (o *Order) setList(channels []int32) {
	n := o.Graph.NumChannels
	o.list, o.label = newList(channels, n), make([]int64, n+2)
	o.relabel()
}

// Labels returns the labels of all channels by position in Graph.Out. A path may take a channel and
// then any with a greater label. None is negative. They change when a channel moves.
func (o *Order) Labels() []int64 { return o.label }

// Moves counts the changes of places.
func (o *Order) Moves() int { return o.moves }

// Steps counts the edges of the complete graph visited by searches forwards, with Exchange.
func (o *Order) Steps() int { return o.steps }

// bit finds the edge from channel c to the k-th channel out of its end in next and never.
func (o *Order) bit(c, k int32) (word int, bit uint64) {
	return int(c)*o.words + int(k>>6), 1 << (k & 63)
}

// Has reports whether the graph has the edge from channel c to the k-th channel out of its end.
func (o *Order) Has(c, k int32) bool {
	w, bit := o.bit(c, k)
	return o.next[w]&bit != 0
}

// Refused reports whether that edge was refused before, and so forever. Add may refuse others too.
func (o *Order) Refused(c, k int32) bool {
	w, bit := o.bit(c, k)
	return o.never[w]&bit != 0
}

// Link adds the edge from channel c to the k-th channel out of its end, which must lead forwards.
func (o *Order) Link(c, k int32) {
	if !o.Has(c, k) {
		o.flip(c, k)
	}
}

// flip adds an edge or removes it.
func (o *Order) flip(c, k int32) {
	w, bit := o.bit(c, k)
	o.next[w] ^= bit
	d := o.Graph.OutOf(o.Graph.To[c])[k]
	i := int(o.Rank[c^1])
	o.previous[int(d)*o.words+i/64] ^= 1 << (i % 64)
}

// Edges visits the numbers of all edges.
func (o *Order) Edges(visit func(number int) bool) {
	for c, row := range o.Row {
		for w, set := range o.next[c*o.words : (c+1)*o.words] {
			for ; set != 0; set &= set - 1 {
				if !visit(row + w*64 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

// Add adds edges, or none if they would close a cycle. It never again tries an edge that alone
// would close one.
func (o *Order) Add(edges []Edge) bool {
	for _, e := range edges {
		if o.Refused(e.C, o.Rank[e.D]) {
			return false
		}
	}
	o.added = o.added[:0]
	for _, e := range edges {
		w, bit := o.bit(e.C, o.Rank[e.D])
		if o.next[w]&bit != 0 {
			continue
		}
		if !o.arrange(e.C, e.D) {
			o.never[w] |= bit
			return false
		}
		o.added = append(o.added, e)
	}
	for i, e := range o.added {
		if o.Has(e.C, o.Rank[e.D]) {
			continue
		}
		if !o.arrange(e.C, e.D) {
			o.Remove(o.added[:i])
			return false
		}
		o.flip(e.C, o.Rank[e.D])
	}
	return true
}

// Remove removes edges added by Add; the list may name one twice.
func (o *Order) Remove(edges []Edge) {
	for _, e := range edges {
		if k := o.Rank[e.D]; o.Has(e.C, k) {
			o.flip(e.C, k)
		}
	}
}

// Channels lists all channels in their order.
func (o *Order) Channels() []int32 {
	channels := fabric.Numbers(len(o.Place))
	o.sort(channels)
	return channels
}
