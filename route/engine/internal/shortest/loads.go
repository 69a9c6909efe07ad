package shortest

import (
	"cmp"
	"math"
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/columns"
)

// Unit of load is a path. The bits below it hold the number of a channel among its switch's. So of
// equally loaded paths from a switch the first has the least sum, and the sum names its channel.
const Unit = 1 << 8

// Whole clears the bits below units.
func Whole(load int64) int64 { return load &^ (Unit - 1) }

// Loads counts the paths from hosts on each channel. Arrays of channels are by position in
// Graph.Out.
type Loads struct {
	G     *fabric.Graph
	Load  []int64 // in units; below them the number of the channel among its switch's
	Head  []int32 // switch at the end of a channel
	Port  []uint8 // output port of a channel
	Place []int32 // by channel: its position in Out
	Hosts []int64 // by switch: paths that start at it
	First []int32 // by switch: position of the first channel of its path, for Count
	Path  []int64 // by switch: load on its path, in whole units

	behind []int32 // by port slot, as Graph.Attached: position of the channel, or Nothing
	flow   []int64 // by switch: paths through it or from it
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

// Choose writes the least loaded of the paths to a destination into a column.
func (l *Loads) Choose(c *columns.Columns, column int, w *Ways) {
	l.Path[c.To] = 0
	for k, s := range w.Order[1:] {
		l.Take(c, column, s, least(l.Load, l.Path, w.Exits(k)))
	}
}

// least is the inner loop: it returns the load of the least loaded path over some exits. It is a
// function of its own so that it has all registers.
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

// Take writes the path of a switch into a column. load is the path's, and names below units the
// first channel.
func (l *Loads) Take(c *columns.Columns, column int, s int32, load int64) {
	first := l.G.OutStart[s] + int32(load&(Unit-1))
	l.First[s], l.Path[s] = first, Whole(load)
	c.Set(s, column, l.Port[first])
}

// Count adds a load for each of the paths in First to its channels. order lists the switches with a
// path, nearest first, after the destination.
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

// Read sets First to the paths of a column. order is as for Count.
func (l *Loads) Read(c *columns.Columns, column int, order []int32) {
	for _, s := range order[1:] {
		l.First[s] = l.Position(s, c.Row(s)[column])
	}
}

// Position returns the position of the channel at a port of a switch, or a negative number.
func (l *Loads) Position(s int32, port uint8) int32 {
	if int32(port) > l.G.SwitchPorts[s] {
		return fabric.Nothing
	}
	return l.behind[l.G.PortStart[s]+int32(port)]
}

// ByHosts lists the switches, the ones with the most hosts first: later destinations with fewer
// hosts even out their load better.
func (l *Loads) ByHosts() []int32 {
	order := fabric.Numbers(len(l.Hosts))
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(l.Hosts[y], l.Hosts[x]) })
	return order
}

// Hosted lists the switches of an order that have hosts.
func (l *Loads) Hosted(order []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(order), func(s int32) bool { return l.Hosts[s] == 0 })
}
