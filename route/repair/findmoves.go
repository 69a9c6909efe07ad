package repair

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/internal/intree"
)

// treeReader reads the trees of many LIDs, and is one worker's.
type treeReader struct {
	columns  *intree.Columns
	tree     *intree.Tree
	cost     []int64 // by switch, see costs
	cheapest []int64 // by depth: the lowest cost
	load     []int64 // by channel: pairs of hosts of the LIDs that it has read
}

// eachTree reads the trees of all LIDs of hosts by the old tables, block by block.
func (s *spreader) eachTree(ctx context.Context, readers []*treeReader, visit func(r *treeReader, lid int)) error {
	blocks := s.blocks()
	return par.For(ctx, s.workers, len(blocks), func(w, i int) error {
		r := readers[w]
		r.columns.Read(s.plan.Tables, blocks[i][0]/route.BlockSize)
		for _, lid := range blocks[i] {
			r.tree.Take(r.columns, s.homeOf(lid), fabric.LID(lid), s.count[lid])
			visit(r, lid)
		}
		return ctx.Err()
	})
}

// blocks divides the LIDs of hosts into blocks of the tables.
func (s *spreader) blocks() (list [][]int) {
	for first := 0; first < len(s.lids); {
		block, n := s.lids[first]/route.BlockSize, 1
		for first+n < len(s.lids) && s.lids[first+n]/route.BlockSize == block {
			n++
		}
		list = append(list, s.lids[first:first+n])
		first += n
	}
	return list
}

// findMoves counts the pairs on all channels, and lists the moves that gain.
func (s *spreader) findMoves(ctx context.Context) error {
	readers := make([]*treeReader, s.workers)
	for w := range readers {
		readers[w] = &treeReader{columns: intree.NewColumns(s.g), tree: intree.New(s.g), cost: make([]int64, s.g.NumSwitches), load: make([]int64, s.g.NumChannels)}
	}
	err := s.eachTree(ctx, readers, func(r *treeReader, _ int) {
		for _, x := range r.tree.Order {
			r.load[r.tree.Next[x]] += r.tree.Flow[x]
		}
	})
	if err != nil {
		return err
	}
	s.setLoads(readers)
	fewest, err := s.fewestHops(ctx)
	if err != nil {
		return err
	}
	found := make([]moves, len(s.b.owner))
	err = s.eachTree(ctx, readers, func(r *treeReader, lid int) {
		if s.stays[s.b.owner[lid]] {
			return
		}
		s.costs(r.tree, r.cost)
		r.setCheapest()
		hops := fewest[r.tree.Home]
		for _, x := range r.tree.Order {
			if gain := s.best(r, x, hops); gain > s.least(r.tree.Flow[x]) {
				found[lid] = append(found[lid], move{gain: gain, lid: lid, x: x})
			}
		}
	})
	s.moves = slices.Concat(found...)
	heap.Init(&s.moves)
	return err
}

// setCheapest sets cheapest by cost.
func (r *treeReader) setCheapest() {
	p := r.tree
	r.cheapest = append(r.cheapest[:0], 0)
	for i := len(p.Order) - 1; i >= 0; i-- {
		x := p.Order[i]
		if d := int(p.Depth[x]); d == len(r.cheapest) {
			r.cheapest = append(r.cheapest, r.cost[x])
		} else {
			r.cheapest[d] = min(r.cheapest[d], r.cost[x])
		}
	}
}

// best returns the largest gain of another next hop for a switch; 0 if all are less than the least.
// hops are the fewest channels from each switch.
func (s *spreader) best(r *treeReader, x int32, hops []uint16) (best int64) {
	p, d := r.tree, r.tree.Depth[x]
	limit := int64(math.MaxInt64) // of the meetings of a pair on a path that gains
	if p.Flow[x] > 0 {
		limit = r.cost[x] - s.mean/leastShare
	}
	if d == int32(hops[x]) && (p.Flow[x] == 0 || s.lowest[x]+r.cheapest[d-1] > limit) {
		return 0 // next hops are one channel nearer, so that no path is shorter, or so cheap
	}
	out := s.g.OutOf(x)
	for i, price := range s.price[s.g.OutStart[x]:][:len(out)] {
		if c := out[i]; price+r.cost[s.g.To[c]] <= limit && c != p.Next[x] && p.LeadsNearer(x, c) {
			best = max(best, s.gain(p, r.cost, x, c))
		}
	}
	return best
}

// fewestHops returns, for each switch with LIDs of hosts, the fewest channels from all switches.
func (s *spreader) fewestHops(ctx context.Context) ([][]uint16, error) {
	all, searches := make([][]uint16, s.g.NumSwitches), make([]*fabric.Search, s.workers)
	err := par.For(ctx, s.workers, len(all), func(w, x int) error {
		if s.hosts[x] == 0 {
			return nil
		}
		if searches[w] == nil {
			searches[w] = s.g.NewSearch(nil)
		}
		searches[w].From(int32(x))
		all[x] = make([]uint16, s.g.NumSwitches)
		for y, n := range searches[w].Hops {
			all[x][y] = uint16(n) // there are fewer switches than LIDs
		}
		return nil
	})
	return all, err
}
