package shortest

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/columns"
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
	Path  []int64 // by switch: load on its path, in whole units

	behind []int32 // by port slot, as Graph.Attached: position of the channel, or Nothing
	flow   []int64 // by switch: paths that pass it or start at it
}

// NewLoads returns loads without a path.
func NewLoads(g *fabric.Graph) *Loads {
	l := &Loads{
		G: g, Load: make([]int64, len(g.Out)), Head: make([]int32, len(g.Out)), Port: make([]uint8, len(g.Out)),
		Place: make([]int32, g.NumChannels), Hosts: make([]int64, g.NumSwitches),
		First: make([]int32, g.NumSwitches), Path: make([]int64, g.NumSwitches), flow: make([]int64, g.NumSwitches),
		behind: slices.Repeat([]int32{fabric.Nothing}, len(g.Attached)),
	}
	for s := range l.Hosts {
		l.Hosts[s] = int64(g.HostCount(int32(s)))
	}
	for i, c := range g.Out {
		l.Place[c], l.behind[g.PortStart[g.From[c]]+int32(g.FromPort[c])] = int32(i), int32(i)
		l.Head[i], l.Port[i], l.Load[i] = g.To[c], g.FromPort[c], int64(i)-int64(g.OutStart[g.From[c]])
	}
	return l
}

// Choose enters the least loaded of the paths to a destination into a column.
func (l *Loads) Choose(c *columns.Columns, column int, w *Ways) {
	l.Path[c.To] = 0
	for k, s := range w.Order[1:] {
		l.Take(c, column, s, least(l.Load, l.Path, w.Exits(k)))
	}
}

// least is the inner loop: it returns the load of the least loaded path that begins with one of some
// exits. It is kept apart so that it has all registers.
//
//go:noinline
func least(channel, path []int64, exits []Exit) int64 {
	least := int64(math.MaxInt64)
	for _, e := range exits {
		if load := channel[e.At()] + path[e.Head()]; load < least { // seldom so; min would wait for it
			least = load
		}
	}
	return least
}

// Take enters the path of a switch into a column. load is that of the path, and tells below units
// the first channel.
func (l *Loads) Take(c *columns.Columns, column int, s int32, load int64) {
	first := l.G.OutStart[s] + int32(load&(Unit-1))
	l.First[s], l.Path[s] = first, Whole(load)
	c.Set(s, column, l.Port[first])
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

// Read sets First to the paths that a column has. order is as for Count.
func (l *Loads) Read(c *columns.Columns, column int, order []int32) {
	for _, s := range order[1:] {
		l.First[s] = l.Position(s, c.Row(s)[column])
	}
}

// Position returns the position of the channel by a port of a switch, or a negative number.
func (l *Loads) Position(s int32, port uint8) int32 {
	if int32(port) > l.G.SwitchPorts[s] {
		return fabric.Nothing
	}
	return l.behind[l.G.PortStart[s]+int32(port)]
}

// ByHosts lists the switches, those with the most hosts first: as destinations the others
// are better at evening out what these leave.
func (l *Loads) ByHosts() []int32 {
	order := fabric.Numbers(len(l.Hosts))
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(l.Hosts[y], l.Hosts[x]) })
	return order
}

// Hosted lists the switches of an order that have hosts.
func (l *Loads) Hosted(order []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(order), func(s int32) bool { return l.Hosts[s] == 0 })
}
