package lanes

import (
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
	var byLength [][]pair
	p.pairs(func(a, b int32) {
		f.edges = p.EdgesTo(p.Home[a], p.LIDs[b][0], f.edges[:0])
		for len(byLength) <= len(f.edges) {
			byLength = append(byLength, nil)
		}
		byLength[len(f.edges)] = append(byLength[len(f.edges)], pair{a, b})
	})
	for _, pairs := range slices.Backward(byLength) {
		for some := range slices.Chunk(pairs, 1024) {
			if err := f.put(ctx, some); err != nil {
				return nil, err
			}
		}
	}
	return f.result(), nil
}

// pair is a pair of classes.
type pair struct{ a, b int32 }

// firstFit gives pairs their lanes.
type firstFit struct {
	*Assignment
	p      *Paths
	most   int
	lanes  []*cdg.Order
	gaveUp bool

	edges []cdg.Edge
	rest  []waiting
}

// waiting is a pair that has no lane yet, and its place in the list of hops.
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

// put gives the next pairs their lanes. What a lane takes depends only on the pairs
// that come to it, so all are offered to a lane before those that it leaves go on to
// the next.
func (f *firstFit) put(ctx context.Context, pairs []pair) error {
	f.edges, f.rest = f.edges[:0], f.rest[:0]
	for _, x := range pairs {
		first := len(f.edges)
		f.edges = f.p.Edges(x.a, x.b, f.edges)
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

func (f *firstFit) result() *Lanes {
	if f.gaveUp {
		return &Lanes{Need: f.most + 1}
	}
	return f.Result(len(f.lanes))
}
