package lanes

import (
	"context"
	"slices"

	"weft/fabric"
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
			if p.home[a] != p.home[b] {
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
		f.edges = p.edgesTo(p.home[a], p.lids[b][0], f.edges[:0])
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
	*layers
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
	if _, err := p.countAll(ctx); err != nil { // the tables may have a loop
		return nil, err
	}
	return &firstFit{layers: newLayers(p), most: most, lanes: []*cdg.Order{cdg.NewOrder(p.index, nil, cdg.MoveFewer)}}, nil
}

// put gives the next pairs their lanes. What a lane takes depends only on the pairs
// that come to it, so all are offered to a lane before those that it leaves go on to
// the next.
func (f *firstFit) put(ctx context.Context, pairs []pair) error {
	f.edges, f.rest = f.edges[:0], f.rest[:0]
	for _, x := range pairs {
		first := len(f.edges)
		f.edges = f.p.edges(x.a, x.b, f.edges)
		f.rest = append(f.rest, waiting{x, int32(first), int32(len(f.edges))})
	}
	for lane := 0; len(f.rest) > 0 && !f.gaveUp; lane++ {
		if lane == f.most {
			f.gaveUp = true
			break
		}
		if lane == len(f.lanes) {
			f.lanes = append(f.lanes, cdg.NewOrder(f.p.index, nil, cdg.MoveFewer))
		}
		f.rest = slices.DeleteFunc(f.rest, func(w waiting) bool {
			fits := f.lanes[lane].Add(f.edges[w.first:w.last])
			if fits {
				f.set(w.a, w.b, lane)
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
	return &Lanes{SL: f.sl, Need: len(f.lanes), each: f.p.pairs}
}

// edges lists the edges of all paths of a pair.
func (p *Paths) edges(a, b int32, into []cdg.Edge) []cdg.Edge {
	for _, lid := range p.lids[b] {
		into = p.edgesTo(p.home[a], lid, into)
	}
	for _, lid := range p.lids[a] {
		into = p.edgesTo(p.home[b], lid, into)
	}
	return into
}

func (p *Paths) edgesTo(s int32, lid fabric.LID, into []cdg.Edge) []cdg.Edge {
	for c := p.next(s, lid); c >= 0; {
		d := p.next(p.g.To[c], lid)
		if d >= 0 {
			into = append(into, cdg.Edge{C: c, D: d})
		}
		c = d
	}
	return into
}
