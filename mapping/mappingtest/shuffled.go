package mappingtest

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/mapping"
)

// Flags adds the flags of tests on random networks: how many, and the seed to draw them from.
func Flags(networks int) (*int, *uint64) {
	return flag.Int("networks", networks, "random networks to map"), flag.Uint64("drawseed", 1, "seed of the random networks")
}

// New returns a network of hosts, degrees of switches and wires.
func New(tb testing.TB, hosts []mapping.Host, degree []int32, wires []mapping.Wire) *mapping.Network {
	tb.Helper()
	n, err := mapping.New(hosts, degree, wires)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Shuffled returns the switches of a network in another order, each with 5 more ports and a shift
// of its own, joined by these wires.
func Shuffled(tb testing.TB, n *mapping.Network, seed uint64, wires []mapping.Wire) *mapping.Network {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	perm := r.Perm(n.NumSwitches())
	degree := make([]int32, n.NumSwitches())
	shift := make([]int32, n.NumSwitches())
	for s, p := range perm {
		shift[s] = r.Int32N(5)
		degree[p] = n.Ports(int32(n.NumHosts()+s)) + 5
	}
	wires = slices.Clone(wires)
	for i := range wires {
		for k, e := range wires[i] {
			if s := int(e.Node) - n.NumHosts(); s >= 0 {
				wires[i][k] = mapping.End{Node: int32(n.NumHosts() + perm[s]), Port: e.Port + shift[s]}
			}
		}
	}
	return New(tb, n.Hosts, degree, wires)
}
