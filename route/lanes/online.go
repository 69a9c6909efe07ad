package lanes

import (
	"cmp"
	"context"
	"slices"

	"weft/route/cdg"
)

// Online puts the paths of one pair of classes after the other on the first lane in
// which they close no cycle (section IV of the paper, as LASH does). Pairs are taken
// in order of their classes. It gives up after most lanes.
func Online(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	f, err := newFirstFit(ctx, p, most)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for i, a := range p.at {
		pairs = pairs[:0]
		for _, b := range p.at[i+1:] {
			if p.Home[a] != p.Home[b] {
				pairs = append(pairs, pair{a, b})
			}
		}
		if err := f.put(ctx, pairs); err != nil {
			return nil, err
		}
	}
	return f.result(), nil
}

// LongestFirst is Online for pairs in falling order of the length of their (first)
// path, which mostly takes fewer lanes. All pairs are listed for it: 8 bytes each.
func LongestFirst(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	f, err := newFirstFit(ctx, p, most)
	if err != nil {
		return nil, err
	}
	var all []pair
	p.pairs(func(a, b int32) { all = append(all, pair{a, b}) })
	if err := f.putAll(ctx, p.longestFirst(all)); err != nil {
		return nil, err
	}
	return f.result(), nil
}

// longestFirst lists pairs in falling order of the length of their (first) path.
func (p *Paths) longestFirst(pairs []pair) []pair {
	var byLength [][]pair
	var edges []cdg.Edge
	for _, x := range pairs {
		edges = p.EdgesTo(p.Home[x.a], p.LIDs[x.b][0], edges[:0])
		for len(byLength) <= len(edges) {
			byLength = append(byLength, nil)
		}
		byLength[len(edges)] = append(byLength[len(edges)], x)
	}
	slices.Reverse(byLength)
	return slices.Concat(byLength...)
}

// pair is a pair of classes.
type pair struct{ a, b int32 }

// firstFit gives pairs their lanes, each the first that takes it.
type firstFit struct {
	*Assignment
	p      *Paths
	most   int          // lanes that may be used
	lanes  []*cdg.Order // by lane: its dependencies
	gaveUp bool         // most lanes were not enough

	edges []cdg.Edge // of the pairs in rest
	rest  []waiting
	seen  []int32 // by number of an edge: the last pair that has it
	pair  int32   // number of pairs so far
}

// waiting is a pair that has no lane yet. Its dependencies are edges[first:last].
type waiting struct {
	pair
	first, last int32
}

func newFirstFit(ctx context.Context, p *Paths, most int) (*firstFit, error) {
	if err := p.EachTree(ctx, func(int, *Tree) {}); err != nil { // the tables may have a loop
		return nil, err
	}
	return &firstFit{p: p, Assignment: NewAssignment(p, false), most: most, lanes: []*cdg.Order{cdg.NewOrder(p.Index, nil, cdg.MoveFewer)}}, nil
}

// putAll gives many pairs their lanes, some of them at a time.
func (f *firstFit) putAll(ctx context.Context, pairs []pair) error {
	for some := range slices.Chunk(pairs, 1024) {
		if err := f.put(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// refill puts pairs on lanes again in several rounds: those of one lane after those of another,
// in another order of lanes each time. As the pairs of a lane fit on one, no round takes more
// lanes than the one before; and where pairs that come early fill lanes that others had, it often
// takes fewer. The first keep lanes are not touched. It ends early once enough lanes are left.
//
// This is iterated greedy colouring (Culberson, "Iterated Greedy Graph Coloring and the
// Difficulty Landscape", University of Alberta TR 92-07, 1992), of pairs in place of nodes.
func (f *firstFit) refill(ctx context.Context, pairs []pair, keep, rounds, enough int) error {
	for round := 0; round < rounds && !f.gaveUp && len(f.lanes) > max(keep+1, enough); round++ {
		byLane := make([][]pair, len(f.lanes))
		for _, x := range pairs {
			lane := f.Lane(x.a, x.b)
			byLane[lane] = append(byLane[lane], x)
		}
		again := byLane[keep:]
		switch half := len(again) / 2; round % 3 {
		case 0:
			slices.Reverse(again)
		case 1:
			slices.SortStableFunc(again, func(x, y []pair) int { return cmp.Compare(len(x), len(y)) })
		case 2:
			again = slices.Concat(again[half:], again[:half])
		}
		clear(f.lanes[keep:])
		f.lanes = f.lanes[:keep]
		for _, x := range again {
			if err := f.putAll(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// put gives the next pairs their lanes. What a lane takes depends only on the pairs
// that come to it, so all are offered to a lane before those that it leaves go on to
// the next.
func (f *firstFit) put(ctx context.Context, pairs []pair) error {
	f.edges, f.rest = f.edges[:0], f.rest[:0]
	for _, x := range pairs {
		first := len(f.edges)
		f.edges = f.once(f.p.Edges(x.a, x.b, f.edges), first)
		f.rest = append(f.rest, waiting{x, int32(first), int32(len(f.edges))})
	}
	for lane := 0; len(f.rest) > 0 && !f.gaveUp; lane++ {
		if lane == f.most {
			f.gaveUp = true
			break
		}
		if lane == len(f.lanes) {
			f.lanes = append(f.lanes, cdg.NewOrder(f.p.Index, nil, cdg.MoveFewer))
		}
		f.rest = slices.DeleteFunc(f.rest, func(w waiting) bool {
			fits := f.lanes[lane].Add(f.edges[w.first:w.last])
			if fits {
				f.Set(w.a, w.b, lane)
			}
			return fits
		})
	}
	return ctx.Err()
}

// once removes repeated edges from a list, from a place on.
func (f *firstFit) once(list []cdg.Edge, from int) []cdg.Edge {
	if f.seen == nil {
		f.seen = make([]int32, f.p.Index.Size)
	}
	f.pair++
	kept := list[:from]
	for _, e := range list[from:] {
		if at := f.p.Index.Number(e.C, e.D); f.seen[at] != f.pair {
			f.seen[at] = f.pair
			kept = append(kept, e)
		}
	}
	return kept
}

func (f *firstFit) result() *Lanes {
	if f.gaveUp {
		return &Lanes{Need: f.most + 1}
	}
	return f.Result(len(f.lanes))
}
