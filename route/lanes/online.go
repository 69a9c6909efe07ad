package lanes

import (
	"cmp"
	"context"
	"slices"

	"weft/route/internal/cdg"
)

// Online assigns the paths of one pair of classes after another to the first lane where they close
// no cycle (section IV of the paper, as in LASH). Pairs come in order of their classes. It gives up
// after most lanes.
func Online(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	return OnlineBy(ctx, p, p.at, most)
}

// OnlineBy is Online for pairs in an order of classes, which lists all classes with LIDs.
func OnlineBy(ctx context.Context, p *Paths, order []int32, most int) (*Lanes, error) {
	f, err := newFirstFit(ctx, p, most)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for i, a := range order {
		pairs = pairs[:0]
		for _, b := range order[i+1:] {
			if p.Home[a] != p.Home[b] {
				pairs = append(pairs, pair{a, b})
			}
		}
		f.edges = f.edges[:0]
		if err := f.put(ctx, f.listEdges(pairs)); err != nil {
			return nil, err
		}
	}
	return f.result(), nil
}

// LongestFirst is Online for pairs in falling order of the length of their (first) path, which
// usually takes fewer lanes. It lists all pairs, at 8 bytes each.
func LongestFirst(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	f, err := newFirstFit(ctx, p, most)
	if err != nil {
		return nil, err
	}
	var all []pair
	p.pairs(func(a, b int32) { all = append(all, pair{a, b}) })
	if err := f.putAll(ctx, all); err != nil {
		return nil, err
	}
	return f.result(), nil
}

// Refilled is LongestFirst, followed by refill until most lanes are enough. It gives up if that is
// too much work.
func Refilled(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	f, err := newFirstFit(ctx, p, min(MaxLanes, most+refillGain))
	if err != nil {
		return nil, err
	}
	var all []pair
	p.pairs(func(a, b int32) { all = append(all, pair{a, b}) })
	rounds := min(refillRounds, refillWork/(len(all)+1))
	if rounds < refillLeast {
		return &Lanes{Need: most + 1}, nil
	}
	if err := f.putAndRefill(ctx, all, 0, rounds, most); err != nil {
		return nil, err
	}
	f.gaveUp, f.most = f.gaveUp || len(f.lanes) > most, most
	return f.result(), nil
}

// length returns the length of the (first) path of a pair.
func (p *Paths) length(x pair) int {
	n, lid := 0, p.LIDs[x.b][0]
	for c := p.Next(p.Home[x.a], lid); c >= 0; c = p.Next(p.Graph.To[c], lid) {
		n++
	}
	return n
}

// longestFirst sorts a list by falling length.
func longestFirst[T any](list []T, length func(T) int) []T {
	var byLength [][]T
	for _, x := range list {
		n := length(x)
		for len(byLength) <= n {
			byLength = append(byLength, nil)
		}
		byLength[n] = append(byLength[n], x)
	}
	slices.Reverse(byLength)
	return slices.Concat(byLength...)
}

// pair is a pair of classes.
type pair struct{ a, b int32 }

// firstFit gives each pair the first lane that accepts it.
type firstFit struct {
	*Assignment
	p      *Paths
	most   int          // number of allowed lanes
	lanes  []*cdg.Order // by lane: its dependencies
	gaveUp bool         // most lanes were not enough

	edges []cdg.Edge // of waiting pairs
	seen  []int32    // by number of an edge: the last pair with it
	pair  int32      // number of pairs so far
}

// waiting is a pair without a lane. Its dependencies are edges[first:last].
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

// refill assigns lanes to pairs again in several rounds: first all pairs of one lane, then all
// pairs of the next, each time in another order of lanes. The pairs of a lane fit on one, so no
// round takes more lanes than the previous one. It often takes fewer, when early pairs fill up the
// lanes of others. The first keep lanes stay unchanged. refill ends early once few enough lanes are
// left.
//
// This is iterated greedy colouring (Culberson, "Iterated Greedy Graph Coloring and the Difficulty
// Landscape", University of Alberta TR 92-07, 1992), of pairs instead of nodes.
func (f *firstFit) refill(ctx context.Context, list []waiting, keep, rounds, enough int) error {
	for round := 0; round < rounds && !f.gaveUp && len(f.lanes) > max(keep+1, enough); round++ {
		byLane := make([][]waiting, len(f.lanes))
		for _, x := range list {
			lane := f.Lane(x.a, x.b)
			byLane[lane] = append(byLane[lane], x)
		}
		again := byLane[keep:]
		switch half := len(again) / 2; round % 3 {
		case 0:
			slices.Reverse(again)
		case 1:
			slices.SortStableFunc(again, func(x, y []waiting) int { return cmp.Compare(len(x), len(y)) })
		case 2:
			again = slices.Concat(again[half:], again[:half])
		}
		clear(f.lanes[keep:])
		f.lanes = f.lanes[:keep]
		for _, x := range again {
			if err := f.put(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// putAndRefill gives pairs their lanes, the longest first, and then refills lanes.
func (f *firstFit) putAndRefill(ctx context.Context, pairs []pair, keep, rounds, enough int) error {
	list := f.listEdges(pairs)
	if err := f.put(ctx, longestFirst(list, func(w waiting) int { return f.p.length(w.pair) })); err != nil {
		return err
	}
	return f.refill(ctx, list, keep, rounds, enough)
}

// putAll gives many pairs their lanes, the longest first, with the dependencies of some at a time.
func (f *firstFit) putAll(ctx context.Context, pairs []pair) error {
	for some := range slices.Chunk(longestFirst(pairs, f.p.length), 1024) {
		f.edges = f.edges[:0]
		if err := f.put(ctx, f.listEdges(some)); err != nil {
			return err
		}
	}
	return nil
}

// listEdges appends the dependencies of pairs to f.edges, and returns the range of each.
func (f *firstFit) listEdges(pairs []pair) []waiting {
	list := make([]waiting, len(pairs))
	for i, x := range pairs {
		first := len(f.edges)
		f.edges = f.withoutRepeats(f.p.Edges(x.a, x.b, f.edges), first)
		list[i] = waiting{x, int32(first), int32(len(f.edges))}
	}
	return list
}

// put gives pairs their lanes. A lane's choice depends only on the pairs offered to it, so put
// offers all pairs to a lane before the refused ones move on to the next.
func (f *firstFit) put(ctx context.Context, list []waiting) error {
	for lane := 0; len(list) > 0 && !f.gaveUp; lane++ {
		if lane == f.most {
			f.gaveUp = true
			break
		}
		if lane == len(f.lanes) {
			f.lanes = append(f.lanes, cdg.NewOrder(f.p.Index, nil, cdg.MoveFewer))
		}
		var left []waiting
		for _, w := range list {
			if f.lanes[lane].Add(f.edges[w.first:w.last]) {
				f.Set(w.a, w.b, lane)
			} else {
				left = append(left, w)
			}
		}
		list = left
	}
	return ctx.Err()
}

// withoutRepeats removes repeated edges from a list, from a place on.
func (f *firstFit) withoutRepeats(list []cdg.Edge, from int) []cdg.Edge {
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
