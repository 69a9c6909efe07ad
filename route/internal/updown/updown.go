// Package updown holds up*/down* orders, for all engines and path computations whose paths first go
// up in an order of the switches and then down (Schroeder et al., "Autonet", IEEE JSAC 1991).
// Neither the channels up nor the channels down contain a cycle, so such paths are free of deadlock
// on one lane.
//
// An order usually follows from distances from one or several roots (FromRoots). A switch without a
// neighbour above it is a peak. No path goes up and then down from one peak to another, so
// JoinPeaks and Raise leave one peak in each part of the network. SortChannels derives an order of
// channels from an order of switches.
package updown

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
)

// Order is the rank of every switch: 0 for a root, more for switches farther down, less than 0 for
// raised ones. Of two switches of equal rank the one with the lower number is above.
type Order []int32

// Bottom is the rank of drained switches: every neighbour is above them, so they can send and
// receive, and no path passes them.
const Bottom int32 = math.MaxInt32

// New returns an order with every switch at the bottom.
func New(switches int) Order {
	o := make(Order, switches)
	for s := range o {
		o[s] = Bottom
	}
	return o
}

// FromRoots ranks the switches by their distance from the nearest root that is not drained.
// Parts of the network without a root have their first switch as root.
func FromRoots(g *fabric.Graph, roots ...int32) (Order, *fabric.Search) {
	search := g.NewSearch(g.Drained)
	search.Extend(slices.DeleteFunc(slices.Clone(roots), func(s int32) bool { return g.Drained[s] })...)
	for s, drained := range g.Drained {
		if !drained {
			search.Extend(int32(s))
		}
	}
	o := New(g.NumSwitches)
	o.SetRanks(g, search)
	return o, search
}

// SetRanks ranks all switches of a search by their distance, except drained ones.
func (o Order) SetRanks(g *fabric.Graph, found *fabric.Search) {
	for _, s := range found.Order {
		if !g.Drained[s] {
			o[s] = found.Hops[s]
		}
	}
}

// FromList ranks the switches of a list by their place in it, all others at the bottom.
func FromList(switches int, list []int32) Order {
	o := New(switches)
	for place, s := range list {
		o[s] = int32(place)
	}
	return o
}

// Parts lists the connected parts of a network without its drained switches. Each is in the order
// of a breadth-first search from its first switch.
func Parts(g *fabric.Graph) [][]int32 {
	var parts [][]int32
	search := g.NewSearch(g.Drained)
	for s, drained := range g.Drained {
		if drained || search.Hops[s] != fabric.Unreached {
			continue
		}
		part := slices.Clone(search.Extend(int32(s)))
		parts = append(parts, slices.DeleteFunc(part, func(v int32) bool { return g.Drained[v] }))
	}
	return parts
}

// Above reports whether switch a is above switch b. A switch is not above itself, so
// a cable between two ports of one switch leads down both ways.
func (o Order) Above(a, b int32) bool { return o[a] < o[b] || o[a] == o[b] && a < b }

// LeadsUp reports whether a channel leads up.
func (o Order) LeadsUp(g *fabric.Graph, c int32) bool { return o.Above(g.To[c], g.From[c]) }

// Allows reports whether a path may turn from channel c into channel d: not up again
// after it went down.
func (o Order) Allows(g *fabric.Graph, c, d int32) bool { return o.LeadsUp(g, c) || !o.LeadsUp(g, d) }

// SortChannels sorts channels so that every up*/down* path passes them in ascending order: first
// the channels up, from the lowest switch to the highest, then the channels down, from the highest
// to the lowest. Channels of one switch keep their order.
func (o Order) SortChannels(g *fabric.Graph, channels []int32) {
	slices.SortStableFunc(channels, func(c, d int32) int {
		up := o.LeadsUp(g, c)
		if up != o.LeadsUp(g, d) {
			if up {
				return -1
			}
			return 1
		}
		a, b := g.From[c], g.From[d]
		if up {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(o[a], o[b]), cmp.Compare(a, b))
	})
}
