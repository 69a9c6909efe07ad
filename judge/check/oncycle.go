package check

import (
	"context"
	"math/bits"

	"weft/internal/par"
	"weft/judge/check/internal/search"
)

// cyclicSLs returns by channel a mask of the SLs that may be on a cycle; all others are not. It
// returns nil where packets change VLs, or a switch has more than 64 channels.
func (j *judge) cyclicSLs(ctx context.Context) ([]uint64, error) {
	g, l, n := j.Graph, j.lanes, j.Graph.NumChannels
	for c := range int32(n) {
		if j.keepsVL(c) == nil || len(g.OutOf(g.To[c])) > 64 {
			return nil, nil
		}
	}
	graphs := l.graphBits()
	after := j.successors(graphs)
	cyclic := make([][]bool, len(graphs))
	err := par.For(ctx, len(j.workers), len(graphs), func(_, i int) error {
		cyclic[i] = search.OnCycles(g, after[i*n:(i+1)*n])
		return nil
	})
	onCycles := make([]uint64, n)
	for i, b := range graphs {
		for c, yes := range cyclic[i] {
			if yes {
				onCycles[c] |= 1 << b
			}
		}
	}
	for c, m := range onCycles {
		all := l.field(m, assigned)
		onCycles[c] |= all<<l.shift[hostOnly] | (all&^l.byDefault)<<l.shift[noRecord]
	}
	return onCycles, err
}

// graphBits lists the bits of masks that have a graph of their own. Traffic among hosts is part of
// all traffic, and clients that never ask for a path record add to it on the default SL only.
func (l *lanes) graphBits() []int {
	fields := uint64(0)
	for i := range l.sls {
		fields |= l.inAll[i]
	}
	fields &^= l.fieldMask(hostOnly)
	if l.shift[noRecord] != l.shift[assigned] && l.shift[noRecord] != l.shift[anyDLID] {
		fields &^= l.fieldMask(noRecord) &^ l.unasked()
	}
	var list []int
	for m := fields; m != 0; m &= m - 1 {
		list = append(list, bits.TrailingZeros64(m))
	}
	return list
}

// successors returns the successors of all channels, for one graph after the other.
func (j *judge) successors(graphs []int) []uint64 {
	g, n := j.Graph, j.Graph.NumChannels
	after := make([]uint64, len(graphs)*n)
	var row []uint64
	for c := range int32(n) {
		row = j.deps.after(row[:0], c, len(g.OutOf(g.To[c])))
		some := uint64(0)
		for _, m := range row {
			some |= m
		}
		for k, b := range graphs {
			if some>>b&1 == 0 {
				continue
			}
			word := uint64(0)
			for i := len(row) - 1; i >= 0; i-- {
				word = word<<1 | row[i]>>(b&63)&1
			}
			after[k*n+int(c)] = word
		}
	}
	return after
}
