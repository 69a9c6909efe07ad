package cdg

import (
	"math/bits"

	"weft/fabric"
)

// Edge is a dependency: channel D follows channel C on a path.
type Edge struct{ C, D int32 }

// Index numbers the edges of the complete dependency graph: for each channel into a
// switch one edge to each channel out of it.
type Index struct {
	Graph *fabric.Graph
	Row   []int   // by channel: number of its edge to the first channel out of its end
	Rank  []int32 // by channel: its index among the channels out of its switch
	Size  int     // number of edges
	Place []int32 // by channel: its position in Graph.Out
}

// NewIndex numbers the edges of a network.
func NewIndex(g *fabric.Graph) *Index {
	x := &Index{
		Graph: g, Row: make([]int, g.NumChannels),
		Rank: make([]int32, g.NumChannels), Place: make([]int32, g.NumChannels),
	}
	for i, c := range g.Out {
		x.Place[c] = int32(i)
	}
	for s := range int32(g.NumSwitches) {
		out := g.OutOf(s)
		for k, c := range out {
			x.Rank[c] = int32(k)
			x.Row[c^1] = x.Size
			x.Size += len(out)
		}
	}
	return x
}

// Number returns the number of the edge from channel c to channel d, which leaves the switch at c's
// end.
func (x *Index) Number(c, d int32) int { return x.Row[c] + int(x.Rank[d]) }

// EachFrom visits the edges of a set, a bit by number of an edge, from channel c to the k-th
// channel out of its end.
func (x *Index) EachFrom(set []uint64, c int32, visit func(k int32)) {
	i := x.Row[c]
	for end := i + len(x.Graph.OutOf(x.Graph.To[c])); i < end; {
		word := set[i/64] >> (i % 64)
		if word == 0 {
			i += 64 - i%64
			continue
		}
		if i += bits.TrailingZeros64(word); i < end {
			visit(int32(i - x.Row[c]))
		}
		i++
	}
}

// bitsFrom returns n bits of a set, at most a word, from a position on.
func bitsFrom(set []uint64, from, n int) uint64 {
	word := set[from/64] >> (from % 64)
	if from%64+n > 64 && from%64 > 0 {
		word |= set[from/64+1] << (64 - from%64)
	}
	if n < 64 {
		word &= 1<<n - 1
	}
	return word
}
