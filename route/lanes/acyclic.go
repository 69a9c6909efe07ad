package lanes

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route/internal/cdg"
)

// Acyclic holds lanes for paths that are still being chosen. The lanes only grow and never get a
// cycle: before an engine chooses a path it asks whether a lane accepts it.
type Acyclic struct {
	index    *cdg.Index
	channels []int32 // the initial order of channels on a lane
	lanes    []*cdg.Order
	edges    []cdg.Edge // scratch of Add
	offFirst [][]int32  // by LID: switches whose path to it is not on the first lane
}

// NewAcyclic starts with one lane. On every lane the channels start in the order of a list, or of
// their numbers if that is nil, until a path changes it.
func NewAcyclic(g *fabric.Graph, channels []int32) *Acyclic {
	l := &Acyclic{index: cdg.NewIndex(g), channels: channels}
	l.open()
	return l
}

// open adds an empty lane.
func (l *Acyclic) open() {
	l.lanes = append(l.lanes, cdg.NewOrder(l.index, l.channels, cdg.MoveFewer))
}

// Lanes returns the number of lanes.
func (l *Acyclic) Lanes() int { return len(l.lanes) }

// First returns the dependency graph of the first lane.
func (l *Acyclic) First() *cdg.Order { return l.lanes[0] }

// Refuses reports whether a lane is known to accept no path with channel c and then the k-th
// channel out of its end. Add may refuse others too.
func (l *Acyclic) Refuses(lane int, c, k int32) bool {
	return lane < len(l.lanes) && l.lanes[lane].Refused(c, k)
}

// Add adds a path, given by its channels, to a lane, and returns false if that would close a cycle.
// It opens the lane after the last.
func (l *Acyclic) Add(lane int, path []int32) bool {
	l.edges = l.edges[:0]
	for i := 1; i < len(path); i++ {
		l.edges = append(l.edges, cdg.Edge{C: path[i-1], D: path[i]})
	}
	return l.add(lane, l.edges)
}

func (l *Acyclic) add(lane int, edges []cdg.Edge) bool {
	if lane == len(l.lanes) {
		l.open()
	}
	return l.lanes[lane].Add(edges)
}

// SetOffFirst sets the switches whose path to a LID is not on the first lane; it replaces an
// earlier setting. Layer and LayerOneWay assume that all other paths are on the first lane.
func (l *Acyclic) SetOffFirst(lid fabric.LID, switches []int32) {
	for len(switches) > 0 && len(l.offFirst) <= int(lid) {
		l.offFirst = append(l.offFirst, nil)
	}
	if int(lid) < len(l.offFirst) {
		l.offFirst[lid] = append(l.offFirst[lid][:0], switches...)
	}
}

// OffFirst returns the switches set by SetOffFirst for a LID.
func (l *Acyclic) OffFirst(lid fabric.LID) []int32 {
	if int(lid) < len(l.offFirst) {
		return l.offFirst[lid]
	}
	return nil
}

// switchesOffFirst lists the switches with a path to one of some LIDs that is not on the first
// lane.
func (l *Acyclic) switchesOffFirst(lids []fabric.LID) []int32 {
	var list []int32
	for _, lid := range lids {
		list = append(list, l.OffFirst(lid)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// laneSet is a set of lanes, a bit each.
type laneSet uint16

// first returns the lowest lane of a set that is not empty.
func (s laneSet) first() int { return bits.TrailingZeros16(uint16(s)) }

// all returns the set of all lanes.
func (l *Acyclic) all() laneSet { return 1<<len(l.lanes) - 1 }

// lanesByEdge lists, by number of an edge, the lanes that have it.
func (l *Acyclic) lanesByEdge() []laneSet {
	sets := make([]laneSet, l.index.Size)
	for lane, o := range l.lanes {
		for number := range o.Edges {
			sets[number] |= 1 << lane
		}
	}
	return sets
}
