package lanes

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// ErrLoop is the error of paths that do not end.
var ErrLoop = errors.New("the tables have a loop")

// Tree holds the entries of all switches for one LID.
type Tree struct {
	Out   []int32 // by switch: channel towards the LID, negative for none
	Order []int32 // all switches, each before its next one

	into   []int32        // by switch: number of switches that send to it and are not in Order
	blocks []*route.Block // of each switch
}

// EachTree visits the trees of all followed LIDs, several at once. It fails if one has a loop.
func (p *Paths) EachTree(ctx context.Context, visit func(worker int, t *Tree)) error {
	trees := make([]Tree, p.Workers)
	return par.For(ctx, p.Workers, p.Tables.NumBlocks(), func(worker, b int) error {
		t := &trees[worker]
		if t.Out == nil {
			n := p.Graph.NumSwitches
			*t = Tree{make([]int32, n), make([]int32, 0, n), make([]int32, n), make([]*route.Block, n)}
		}
		for s := range t.blocks {
			t.blocks[s] = p.Tables.Block(int32(s), b)
		}
		for k := range route.BlockSize {
			lid := b*route.BlockSize + k
			if p.Followed[lid] < 0 {
				continue
			}
			if !t.sort(p.Graph, k) {
				return fmt.Errorf("lanes: LID %d: %w", lid, ErrLoop)
			}
			visit(worker, t)
		}
		return nil
	})
}

// sort fills the tree for a LID, given by its place in the blocks; false if it has a loop.
func (t *Tree) sort(g *fabric.Graph, k int) bool {
	for s, block := range t.blocks {
		t.Out[s] = fabric.Nothing
		if port := block[k]; port != route.NoPort {
			t.Out[s], _ = g.At(int32(s), port)
		}
	}
	for _, c := range t.Out {
		if c >= 0 {
			t.into[g.To[c]]++
		}
	}
	t.Order = t.Order[:0]
	for s, n := range t.into {
		if n == 0 {
			t.Order = append(t.Order, int32(s))
		}
	}
	for i := 0; i < len(t.Order); i++ {
		c := t.Out[t.Order[i]]
		if c < 0 {
			continue
		}
		v := g.To[c]
		if t.into[v]--; t.into[v] == 0 {
			t.Order = append(t.Order, v)
		}
	}
	if len(t.Order) < len(t.Out) {
		clear(t.into)
		return false
	}
	return true
}
