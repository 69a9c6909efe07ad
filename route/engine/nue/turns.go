package nue

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

const (
	unit       = 1 << 12 // of demand: a pair of hosts
	demandWork = 1 << 29 // turns visited for the demand of a lane
	demandRoom = 1 << 24 // weights in memory at once, of all workers
)

// demand weighs turns by the pairs of hosts on whose shortest paths they are. The pairs of two
// switches are divided evenly over their shortest paths, hop by hop towards the destination. Of
// many destinations with hosts it takes a sample: the others have no demand. A turn only towards
// others has no weight.
func demand(ctx context.Context, turns *cdg.Index, workers int, to []int32) ([]int64, error) {
	to = sample.Spread(sample.Hosted(turns.Graph, to), max(1, demandWork/(turns.Size+1)))
	workers = max(1, min(workers, len(to), demandRoom/(turns.Size+1)))
	spreaders := make([]*spreader, workers)
	err := par.For(ctx, workers, len(to), func(worker, i int) error {
		if spreaders[worker] == nil {
			spreaders[worker] = newSpreader(turns, make([]int64, turns.Size))
		}
		spreaders[worker].add(to[i], func(u int32) int64 { return sample.Weight(turns.Graph, u) * sample.Weight(turns.Graph, to[i]) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum := make([]int64, turns.Size)
	for _, s := range spreaders {
		if s != nil {
			for e, w := range s.weight {
				sum[e] += w
			}
		}
	}
	return sum, nil
}

// spreader divides pairs of hosts over shortest paths.
type spreader struct {
	turns  *cdg.Index
	weight []int64 // by turn
	search *fabric.Search
	flow   []int64 // by channel
	in     []int32
}

func newSpreader(turns *cdg.Index, weight []int64) *spreader {
	g := turns.Graph
	return &spreader{turns: turns, weight: weight, search: g.NewSearch(g.Drained), flow: make([]int64, g.NumChannels)}
}

// add adds so many pairs of hosts from each switch to one.
func (s *spreader) add(to int32, pairs func(from int32) int64) {
	s.search.From(to)
	s.deal(to, pairs)
}

// deal divides the pairs to the switch of the last search over their shortest paths, farthest
// switches first.
func (s *spreader) deal(to int32, pairs func(from int32) int64) {
	turns, g, hops := s.turns, s.turns.Graph, s.search.Hops
	clear(s.flow)
	for _, u := range slices.Backward(s.search.Order[1:]) {
		s.in = s.in[:0]
		nearer := int64(0)
		for _, c := range g.OutOf(u) {
			switch v := g.To[c]; {
			case s.nearer(v, u, to):
				nearer++
			case hops[v] == hops[u]+1 && s.flow[c^1] > 0:
				s.in = append(s.in, c^1)
			}
		}
		own := pairs(u) * unit
		if own == 0 && len(s.in) == 0 {
			continue
		}
		for _, c := range g.OutOf(u) {
			if !s.nearer(g.To[c], u, to) {
				continue
			}
			s.flow[c] = own / nearer
			for _, x := range s.in {
				share := s.flow[x] / nearer
				s.weight[turns.Number(x, c)] += share
				s.flow[c] += share
			}
		}
	}
}

// nearer reports whether a shortest path to switch to leads from u to v.
func (s *spreader) nearer(v, u, to int32) bool {
	return s.search.Hops[v] == s.search.Hops[u]-1 && (v == to || !s.turns.Graph.Drained[v])
}
