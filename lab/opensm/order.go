package opensm

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/sim/traffic"
)

// Order is an order of hosts' LIDs; switches come last.
type Order string

// The orders.
const (
	ByLeaf   Order = "by leaf" // all hosts of a switch, then of the next
	InTurn   Order = "in turn" // one host of every switch, then the next of each
	AtRandom Order = "random"
	// Moved is by leaf, except that a random tenth of the hosts have each other's LIDs, as if parts
	// of the cluster had been exchanged over the years.
	Moved Order = "by leaf, a tenth moved"
)

// Hosts lists the hosts in this order.
func (o Order) Hosts(in *route.Input) []int32 {
	g := in.Graph
	hosts := make([]int32, g.NumHosts)
	for h := range hosts {
		hosts[h] = int32(h)
	}
	leaf := func(a, b int32) int { return cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]) }
	port := func(a, b int32) int { return cmp.Compare(g.EndPort[a], g.EndPort[b]) }
	switch o {
	case AtRandom:
		traffic.Shuffle(hosts, rand.NewPCG(in.Seed, 0))
	case InTurn:
		slices.SortStableFunc(hosts, func(a, b int32) int { return cmp.Or(port(a, b), leaf(a, b)) })
	default:
		slices.SortStableFunc(hosts, func(a, b int32) int { return cmp.Or(leaf(a, b), port(a, b)) })
	}
	if o == Moved {
		exchange(hosts, rand.NewPCG(in.Seed, 0))
	}
	return hosts
}

// exchange shuffles a tenth of the hosts among their own places.
func exchange(hosts []int32, rng *rand.PCG) {
	places := make([]int32, len(hosts))
	for i := range places {
		places[i] = int32(i)
	}
	traffic.Shuffle(places, rng)
	places = places[:len(places)/10]
	moved := make([]int32, len(places))
	for i, at := range places {
		moved[i] = hosts[at]
	}
	traffic.Shuffle(moved, rng)
	for i, at := range places {
		hosts[at] = moved[i]
	}
}

// Ends lists all end ports in this order.
func (o Order) Ends(in *route.Input) []int32 {
	ends := o.Hosts(in)
	for s := range int32(in.Graph.NumSwitches) {
		ends = append(ends, in.Graph.PortZero(s))
	}
	return ends
}

// SetAll sets the port of all LIDs of an end port at a switch.
func SetAll(tables *route.Tables, s int32, in *route.Input, end int32, port uint8) {
	for k := range in.Ends.Count(end) {
		tables.Set(s, in.Ends.Base[end]+fabric.LID(k), port)
	}
}
