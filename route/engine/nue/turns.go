package nue

import (
	"context"

	"weft/internal/par"
	"weft/route/cdg"
	"weft/route/engine/internal/sample"
)

const (
	unit       = 1 << 12 // of demand: a pair of hosts
	demandWork = 1 << 29 // turns looked at for the demand of a lane
	demandRoom = 1 << 24 // weights kept at once, by all workers
)

// demand weighs the turns by the pairs of hosts whose shortest paths make them; the
// pairs of two switches are dealt out evenly over their shortest paths, hop by hop
// towards the destination. Of many destinations with hosts a sample is taken: the others
// have no demand, and each that is left out is one whose turns nothing speaks for.
func demand(ctx context.Context, t *cdg.Index, workers int, to []int32) ([]int64, error) {
	to = sample.Spread(sample.Hosted(t.Graph, to), max(1, demandWork/(t.Size+1)))
	workers = max(1, min(workers, len(to), demandRoom/(t.Size+1)))
	shares := make([]*share, workers)
	err := par.For(ctx, workers, len(to), func(worker, i int) error {
		if shares[worker] == nil {
			shares[worker] = newShare(t, make([]int64, t.Size))
		}
		shares[worker].add(to[i], func(u int32) int64 { return sample.Weight(t.Graph, u) * sample.Weight(t.Graph, to[i]) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum := make([]int64, t.Size)
	for _, s := range shares {
		if s != nil {
			for e, w := range s.weight {
				sum[e] += w
			}
		}
	}
	return sum, nil
}

// share is the demand that one worker finds.
type share struct {
	t      *cdg.Index
	weight []int64 // by turn
	hops   []int32 // by switch
	queue  []int32
	flow   []int64 // by channel
	in     []int32
}

func newShare(t *cdg.Index, weight []int64) *share {
	return &share{
		t: t, weight: weight, hops: make([]int32, t.Graph.NumSwitches),
		queue: make([]int32, 0, t.Graph.NumSwitches), flow: make([]int64, t.Graph.NumChannels),
	}
}

// add adds so many pairs of hosts from each switch to one.
func (s *share) add(to int32, pairs func(from int32) int64) {
	s.search(to)
	s.deal(to, pairs)
}

// deal deals the pairs to the switch of the last search out over their shortest paths,
// farthest switches first.
func (s *share) deal(to int32, pairs func(from int32) int64) {
	t, g := s.t, s.t.Graph
	for k := len(s.queue) - 1; k > 0; k-- {
		u := s.queue[k]
		s.in = s.in[:0]
		nearer := int64(0)
		for _, c := range g.OutOf(u) {
			switch v := g.To[c]; {
			case s.nearer(v, u, to):
				nearer++
			case s.hops[v] == s.hops[u]+1 && s.flow[c^1] > 0:
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
				part := s.flow[x] / nearer
				s.weight[t.Number(x, c)] += part
				s.flow[c] += part
			}
		}
	}
}

// nearer tells whether a shortest path to switch to leads from u to v.
func (s *share) nearer(v, u, to int32) bool {
	return s.hops[v] == s.hops[u]-1 && (v == to || !s.t.Graph.Drained[v])
}

// search finds the hops from all switches, -1 where there is no way.
func (s *share) search(to int32) {
	g := s.t.Graph
	for u := range s.hops {
		s.hops[u] = -1
	}
	s.hops[to] = 0
	s.queue = append(s.queue[:0], to)
	for k := 0; k < len(s.queue); k++ {
		u := s.queue[k]
		for _, c := range g.OutOf(u) {
			s.flow[c] = 0
			if v := g.To[c]; s.hops[v] < 0 && (u == to || !g.Drained[u]) {
				s.hops[v] = s.hops[u] + 1
				s.queue = append(s.queue, v)
			}
		}
	}
}
