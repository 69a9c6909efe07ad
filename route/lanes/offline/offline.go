// Package offline is algorithm 2 of Domke, Hoefler and Nagel, "Deadlock-Free Oblivious Routing for
// Arbitrary Topologies" (paper 003, section IV): it assigns lanes to paths that were chosen without
// regard to lanes, by cutting cycles of channel dependencies.
//
// An edge counts its (class, LID) paths. It does not store lists of them, which are most of the
// paper's memory: in forwarding tables they are the branches of in-trees above the edge, and a cut
// finds them from the tables.
//
// Options.Refill goes beyond the paper: it gives back to a lane the pairs that need not have moved.
//
// The cost is O(switches x LIDs) for the first lane, then O(channels + edges) a lane and the paths
// through cut edges. Memory: 4 bytes an edge place and lane, and half a byte an ordered pair of
// classes.
package offline

import (
	"context"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
	"weft/route/lanes"
)

// Heuristic says which edge of a cycle to cut.
type Heuristic string

// The heuristics of the paper, which calls First pseudo-random. Random is an addition.
const (
	Weakest   Heuristic = "weakest"   // the edge with the fewest paths
	Strongest Heuristic = "strongest" // the edge with the most paths
	First     Heuristic = "first"     // the edge of the cycle that the search found first
	Random    Heuristic = "random"    // any
)

// Options are the options of Layer.
type Options struct {
	Heuristic Heuristic
	Seed      uint64 // for Random
	// Refill moves pairs back to their earlier lane if they close no cycle there once all cycles
	// are cut. It takes fewer lanes and several times as long.
	Refill bool
	OneWay bool // layer each direction separately, as in the paper; without Refill
	Most   int  // lanes after which to give up, at most MaxLanes
}

// Layer puts all paths on the first lane. It then moves the paths of one edge of each cycle to the
// next lane, until no lane has a cycle (algorithm 2). After a cycle the search continues from the
// same place.
func Layer(ctx context.Context, p *lanes.Paths, opt Options) (*lanes.Lanes, error) {
	count, err := countAll(ctx, p)
	if err != nil {
		return nil, err
	}
	n := p.Graph.NumChannels
	s := &search{
		counts:  &counts{Assignment: lanes.NewAssignment(p, opt.OneWay), p: p, oneWay: opt.OneWay, count: [][]uint32{count}},
		Options: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x6c616e6573)),
		colour: make([]uint8, n), tried: make([]int32, n), depth: make([]int32, n),
	}
	for lane := 0; lane < len(s.count); lane++ {
		ok, err := s.run(ctx, lane)
		if err != nil {
			return nil, err
		}
		if !ok {
			return &lanes.Lanes{Need: opt.Most + 1}, nil
		}
	}
	return s.Result(len(s.count)), nil
}

// Colours of channels in the search.
const (
	white uint8 = iota // not seen
	grey               // on the stack
	black              // on no cycle
)

// search is a depth-first search for cycles in the graph of one lane, which loses edges meanwhile.
// A black channel stays black then.
type search struct {
	*counts
	Options
	rng *rand.Rand

	lane   int
	colour []uint8
	tried  []int32 // by channel: number of edges finished for good
	depth  []int32 // by grey channel: place on the stack
	stack  []int32
	closed []int32 // black channels, each after its successors
	moved  [][2]int32
	up     []int32 // switches still to visit above a cut edge
}

// run frees a lane of cycles; ok is false if there is no lane left to move paths to.
func (s *search) run(ctx context.Context, lane int) (ok bool, err error) {
	s.lane = lane
	clear(s.colour)
	clear(s.tried)
	s.closed, s.moved = s.closed[:0], s.moved[:0]
	for c := range int32(s.p.Graph.NumChannels) {
		if s.colour[c] != white {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.push(c)
		for len(s.stack) > 0 {
			if !s.step() {
				if lane+1 == s.Most {
					return false, nil
				}
				s.cut()
			}
		}
	}
	if s.Refill && len(s.moved) > 0 {
		return true, s.refill(ctx)
	}
	return true, nil
}

// refill moves back the moved pairs that close no cycle now. A cut moves all paths of an edge, and
// most cycles need fewer to go. Some must stay away: they closed a cycle.
func (s *search) refill(ctx context.Context) error {
	slices.Reverse(s.closed)
	count := s.count[s.lane]
	o := cdg.NewOrder(s.p.Index, s.closed, cdg.MoveFewer)
	for c, row := range s.p.Index.Row {
		for k := range s.p.Graph.OutOf(s.p.Graph.To[c]) {
			if count[row+k] > 0 {
				o.Link(int32(c), int32(k))
			}
		}
	}
	var edges []cdg.Edge
	for i, m := range s.moved {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if edges = s.p.Edges(m[0], m[1], edges[:0]); o.Add(edges) {
			for _, e := range edges {
				count[s.p.Index.Number(e.C, e.D)]++
			}
			s.Set(m[0], m[1], s.lane)
			s.recount(m[0], m[1], s.lane+1, none)
		}
	}
	return nil
}

func (s *search) push(c int32) {
	s.colour[c] = grey
	s.depth[c] = int32(len(s.stack))
	s.stack = append(s.stack, c)
}

// step takes the next edge of the channel on top of the stack. It returns false if that edge closes
// a cycle.
func (s *search) step() bool {
	c := s.stack[len(s.stack)-1]
	out := s.p.Graph.OutOf(s.p.Graph.To[c])
	count := s.count[s.lane][s.p.Index.Row[c]:]
	for i := s.tried[c]; int(i) < len(out); i++ {
		if count[i] == 0 || s.colour[out[i]] == black {
			continue
		}
		s.tried[c] = i
		if s.colour[out[i]] == grey {
			return false
		}
		s.push(out[i])
		return true
	}
	s.colour[c] = black
	s.closed = append(s.closed, c)
	s.stack = s.stack[:len(s.stack)-1]
	return true
}

// cut moves the paths of one edge of the found cycle to the next lane, and takes the search back to
// the part of its way that still exists.
func (s *search) cut() {
	top := s.stack[len(s.stack)-1]
	back := s.p.Graph.OutOf(s.p.Graph.To[top])[s.tried[top]]
	cycle := s.stack[s.depth[back]:]
	i := s.choose(cycle)
	s.moveEdge(cycle[i], cycle[(i+1)%len(cycle)])
	keep := 1
	for keep < len(s.stack) && s.count[s.lane][s.p.Index.Number(s.stack[keep-1], s.stack[keep])] > 0 {
		keep++
	}
	for _, c := range s.stack[keep:] {
		s.colour[c] = white
	}
	s.stack = s.stack[:keep]
}

// choose picks the edge from cycle[i] to the channel after it.
func (s *search) choose(cycle []int32) int {
	if s.Heuristic == Random {
		return s.rng.IntN(len(cycle))
	}
	best := 0
	if s.Heuristic == First {
		return best
	}
	for i := 1; i < len(cycle); i++ {
		a, b := s.edgeCount(cycle, i), s.edgeCount(cycle, best)
		if s.Heuristic == Weakest && a < b || s.Heuristic == Strongest && a > b {
			best = i
		}
	}
	return best
}

func (s *search) edgeCount(cycle []int32, i int) uint32 {
	return s.count[s.lane][s.p.Index.Number(cycle[i], cycle[(i+1)%len(cycle)])]
}

// moveEdge moves every pair of the lane with a path over channel c and then d. For each LID these
// are the branches of its tree above c.
func (s *search) moveEdge(c, d int32) {
	p, g := s.p, s.p.Graph
	if len(s.count) == s.lane+1 {
		s.count = append(s.count, make([]uint32, p.Index.Size))
	}
	from, to := g.From[c], g.To[c]
	for b := range p.Tables.NumBlocks() {
		first, second := p.Tables.Block(from, b), p.Tables.Block(to, b)
		for k, port := range first {
			if lid := b*route.BlockSize + k; port == g.FromPort[c] && second[k] == g.FromPort[d] && p.Followed[lid] >= 0 {
				s.moveAbove(from, fabric.LID(lid))
			}
		}
	}
}

// moveAbove moves the pairs of the lane whose paths to a LID start at or pass a switch.
func (s *search) moveAbove(x int32, lid fabric.LID) {
	p, g := s.p, s.p.Graph
	target := p.Followed[lid]
	s.up = append(s.up[:0], x)
	for len(s.up) > 0 {
		x := s.up[len(s.up)-1]
		s.up = s.up[:len(s.up)-1]
		for _, a := range p.ClassesAt(x) {
			if s.Lane(a, target) == s.lane {
				s.move(a, target, s.lane, s.lane+1)
				s.moved = append(s.moved, [2]int32{a, target})
			}
		}
		for _, c := range g.OutOf(x) {
			if w := g.To[c]; p.Tables.Port(w, lid) == g.FromPort[c^1] {
				s.up = append(s.up, w)
			}
		}
	}
}
