package shortest

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Unit of load is a path. Below it is room for the number of a channel among those of its
// switch, so that of equally loaded paths from a switch the first has the least sum, and
// the sum tells which one that is.
const Unit = 1 << 8

// Whole leaves out what is below units.
func Whole(load int64) int64 { return load &^ (Unit - 1) }

// Loads counts the paths from hosts on each channel. Arrays of channels are by position in
// Graph.Out.
type Loads struct {
	G     *fabric.Graph
	Load  []int64 // in units, below them the number of the channel among those of its switch
	Head  []int32 // switch behind a channel
	Port  []uint8 // by which it leaves its switch
	Place []int32 // by channel: its position in Out
	Hosts []int64 // by switch: paths that start at it
	First []int32 // by switch: position of the first channel of its path, for Count

	flow []int64 // by switch: paths that pass it or start at it
}

// NewLoads returns loads without a path.
func NewLoads(g *fabric.Graph) *Loads {
	l := &Loads{
		G: g, Load: make([]int64, len(g.Out)), Head: make([]int32, len(g.Out)), Port: make([]uint8, len(g.Out)),
		Place: make([]int32, g.NumChannels), Hosts: make([]int64, g.NumSwitches),
		First: make([]int32, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	for s := range l.Hosts {
		l.Hosts[s] = int64(g.HostCount(int32(s)))
	}
	for i, c := range g.Out {
		l.Place[c] = int32(i)
		l.Head[i], l.Port[i], l.Load[i] = g.To[c], g.FromPort[c], int64(i)-int64(g.OutStart[g.From[c]])
	}
	return l
}

// Count adds so much for each of the paths in First to the load of its channels. order lists
// the switches that have one, nearest first, after the destination.
func (l *Loads) Count(order []int32, path int64) {
	flow, head, load, first := l.flow, l.Head, l.Load, l.First
	copy(flow, l.Hosts)
	for k := len(order) - 1; k > 0; k-- {
		s := order[k]
		i := first[s]
		load[i] += flow[s] * path
		flow[head[i]] += flow[s]
	}
}

// TakeBack takes the paths to a LID that tables have off the loads.
func (l *Loads) TakeBack(order []int32, tables *route.Tables, lid fabric.LID) {
	for _, s := range order[1:] {
		c, _ := l.G.At(s, tables.Port(s, lid))
		l.First[s] = l.Place[c]
	}
	l.Count(order, -Unit)
}

// ByHosts lists the switches, those with the most hosts first: as destinations the others
// are better at evening out what these leave.
func (l *Loads) ByHosts() []int32 {
	order := fabric.Numbers(len(l.Hosts))
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(l.Hosts[y], l.Hosts[x]) })
	return order
}
