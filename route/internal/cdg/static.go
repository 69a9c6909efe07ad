package cdg

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Sort lists the nodes of a graph, each after its predecessors: first the nodes without any, then
// each as soon as all its predecessors are listed. It omits nodes on a cycle or after one. each
// visits the successors of one of the n nodes.
func Sort(n int, each func(node int32, visit func(next int32))) []int32 {
	into := make([]int32, n)
	enter := func(next int32) { into[next]++ }
	for node := range int32(n) {
		each(node, enter)
	}
	list := make([]int32, 0, n)
	for node, k := range into {
		if k == 0 {
			list = append(list, int32(node))
		}
	}
	leave := func(next int32) {
		if into[next]--; into[next] == 0 {
			list = append(list, next)
		}
	}
	for i := 0; i < len(list); i++ {
		each(list[i], leave)
	}
	return list
}

// FindCycle returns the first of n nodes on a cycle or after one, -1 if there is none. each is as
// for Sort.
func FindCycle(n int, each func(node int32, visit func(next int32))) int32 {
	list := Sort(n, each)
	if len(list) == n {
		return fabric.Nothing
	}
	sorted := make([]bool, n)
	for _, node := range list {
		sorted[node] = true
	}
	return int32(slices.Index(sorted, false))
}

// ports is a set of ports of a switch.
type ports [4]uint64

// each visits the channels by these ports of switch s.
func (p *ports) each(g *fabric.Graph, s int32, visit func(c int32)) {
	for w, set := range p {
		for ; set != 0; set &= set - 1 {
			if c, _ := g.At(s, uint8(w*64+bits.TrailingZeros64(set))); c >= 0 {
				visit(c)
			}
		}
	}
}

// HaveCycle reports whether the paths of forwarding tables close a cycle of channels on one lane.
// Every entry counts, as if all switches sent to all LIDs.
func HaveCycle(ctx context.Context, workers int, g *fabric.Graph, tables *route.Tables) (cyclic bool, err error) {
	next := make([]ports, g.NumChannels) // by channel: the next channels of its paths, as ports
	err = par.For(ctx, workers, g.NumSwitches, func(_, i int) error {
		s := int32(i)
		for b := range tables.NumBlocks() {
			for k, port := range tables.Block(s, b) {
				if c, _ := g.At(s, port); c >= 0 {
					on := tables.Block(g.To[c], b)[k]
					next[c][on/64] |= 1 << (on % 64)
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	at := FindCycle(g.NumChannels, func(c int32, visit func(d int32)) { next[c].each(g, g.To[c], visit) })
	return at >= 0, nil
}
