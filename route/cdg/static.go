package cdg

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// FindCycle returns the first of n nodes that a cycle leads to or that is on one, -1 if
// there is none. each visits the nodes to which a node leads. It takes away the nodes to
// which nothing leads, as long as there are any.
func FindCycle(n int, each func(node int32, visit func(next int32))) int32 {
	into := make([]int32, n)
	for node := range int32(n) {
		each(node, func(next int32) { into[next]++ })
	}
	free := make([]int32, 0, n)
	for node, k := range into {
		if k == 0 {
			free = append(free, int32(node))
		}
	}
	for i := 0; i < len(free); i++ {
		each(free[i], func(next int32) {
			if into[next]--; into[next] == 0 {
				free = append(free, next)
			}
		})
	}
	for node, k := range into {
		if k > 0 {
			return int32(node)
		}
	}
	return fabric.Nothing
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

// OfTables reports whether the paths of forwarding tables close a cycle of channels on
// one lane. Every entry counts, as if all switches sent to all LIDs.
func OfTables(ctx context.Context, workers int, g *fabric.Graph, tables *route.Tables) (cyclic bool, err error) {
	next := make([]ports, g.NumChannels) // by channel: where its paths leave its end
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
