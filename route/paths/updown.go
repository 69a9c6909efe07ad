package paths

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/route/internal/updown"
)

// UpDown returns the up*/down* rule of the breadth-first tree from a root (paper 002, section 2.1):
// the up end of a link is the one closer to the root.
func UpDown(g *fabric.Graph, root int32) *Rule {
	o, _ := treeFrom(g, root)
	return upDownRule(g, o)
}

// upDownRule forbids going up after down.
func upDownRule(g *fabric.Graph, o updown.Order) *Rule {
	return NewRule(g, func(c, d int32) bool { return o.Allows(g, c, d) })
}

// treeFrom grows a breadth-first tree from a root; parts that it does not reach have their first
// switch as root. It returns the order of the switches and, by switch, the channel from its parent,
// fabric.Nothing for roots and drained switches.
func treeFrom(g *fabric.Graph, root int32) (updown.Order, []int32) {
	var roots []int32
	if g.NumSwitches > 0 {
		roots = append(roots, root)
	}
	o, search := updown.FromRoots(g, roots...)
	for s, drained := range g.Drained {
		if drained {
			search.Via[s] = fabric.Nothing
		}
	}
	return o, search.Via
}

// rootOf returns the wanted root, or a switch drawn uniformly, as in paper 000.
func rootOf(in *Input) int32 {
	if in.Root >= 0 || in.Graph.NumSwitches == 0 {
		return max(0, in.Root)
	}
	return rand.New(rand.NewPCG(in.Seed, streamRoot)).Int32N(int32(in.Graph.NumSwitches))
}

// Streams of random numbers: the second half of the PCG seed. Streams of destinations start at
// streamDest.
const (
	streamRoot = 1 + iota
	streamOrder
	streamRemove
	streamDest = 1 << 32
)

// hostOrder draws an order of the hosts, unless they come by switch, in order of their numbers.
func hostOrder(in *Input) []int32 {
	if in.word(orderOption) == bySwitch {
		return fabric.Numbers(in.Graph.NumHosts)
	}
	order := make([]int32, in.Graph.NumHosts)
	for i, h := range rand.New(rand.NewPCG(in.Seed, streamOrder)).Perm(len(order)) {
		order[i] = int32(h)
	}
	return order
}

// destRand returns the generator for the paths to one destination.
func destRand(in *Input, dst int32) *rand.Rand {
	return rand.New(rand.NewPCG(in.Seed, streamDest+uint64(dst)))
}
