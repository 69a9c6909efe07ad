package names

import (
	"cmp"
	"context"
	"slices"

	"weft/internal/par"
	"weft/route"
	"weft/route/lids"
	"weft/route/names/colouring"
	"weft/route/paths"
)

// AssignStable assigns LIDs by a scheme and keeps the LIDs in use wherever the new paths allow it;
// the paper starts afresh after a change of the network (section VII). A port keeps its base LID
// unless lids.AssignEach says otherwise. If the sources' LIDs are known, it also keeps its LMC
// unless its paths need more LIDs, and paths keep their LIDs by keepOffsets.
//
// If the result does not fit the subnet or the forwarding tables, it first gives up LMCs larger
// than the paths need, then the LIDs of the paths.
func AssignStable(ctx context.Context, set *paths.Set, s *Scheme, opt Options, held *route.Held) (*Assignment, route.Ends, error) {
	a, err := Assign(ctx, set, s, opt)
	if err != nil {
		return nil, route.Ends{}, err
	}
	g := set.Graph()
	if held.Choice != nil {
		kept, lmc, err := a.withHeldOffsets(ctx, opt.Workers, held)
		if err != nil {
			return nil, route.Ends{}, err
		}
		for _, lmc := range [][]uint8{lmc, kept.LMC()} {
			if ends, err := lids.AssignEach(g, lmc, held); err == nil && ends.BeyondTable(g) < 0 {
				return kept, ends, nil
			}
		}
	}
	ends, err := lids.AssignEach(g, a.LMC(), held)
	return a, ends, err
}

// withHeldOffsets returns an Assignment to the same paths that keeps many LIDs, and LMCs of the end
// ports no smaller than the LMCs in use.
func (a *Assignment) withHeldOffsets(ctx context.Context, workers int, held *route.Held) (kept *Assignment, lmc []uint8, err error) {
	kept = &Assignment{Set: a.Set, Offset: slices.Clone(a.Offset), Need: slices.Clone(a.Need)}
	lmc = a.LMC()
	err = par.For(ctx, max(1, workers), len(lmc), func(_, i int) error {
		if held.Ends.Base[i] == 0 {
			return nil
		}
		lmc[i] = max(lmc[i], held.Ends.LMC[i])
		return kept.keepOffsets(held, int32(i), 1<<lmc[i])
	})
	return kept, lmc, err
}

// keepOffsets gives the paths to an end port offsets below limit so that many keep their previous
// one.
func (a *Assignment) keepOffsets(held *route.Held, dst int32, limit int) error {
	first, last := a.Set.To(dst)
	if first == last {
		return nil
	}
	c, err := newClasses(pathsTo(a.Set, dst))
	if err != nil {
		return err
	}
	offset := keepMost(c, a.Offset[first:last], previousOffsets(a.Set, held, dst, limit), limit)
	for i, o := range offset {
		a.Offset[first+i] = uint8(o)
	}
	a.Need[dst].Upper = int32(colouring.NumColours(offset))
	return nil
}

// keepMost tries two methods and returns the offsets of the one that keeps more paths. The first
// renumbers the offsets of the assignment. The second goes path by path, and takes the previous
// offset unless an earlier path is in the way.
func keepMost(c *classes, offset []uint8, previous []int32, limit int) []int32 {
	renumbered := renumber(offset, previous, limit)
	if fitted, ok := previousFirst(c, previous, limit); ok && countKept(fitted, previous) > countKept(renumbered, previous) {
		return fitted
	}
	return renumbered
}

// previousOffsets finds the previous offset of each path to an end port, -1 if it had none below
// limit: the i-th path of a pair had the pair's i-th offset.
func previousOffsets(set *paths.Set, held *route.Held, dst int32, limit int) []int32 {
	first, last := set.To(dst)
	previous := make([]int32, last-first)
	seen := map[int32]int{} // by source: earlier paths
	for i := range previous {
		src := set.Source(first + i)
		previous[i] = -1
		if offsets, k := held.Offsets(src, dst), seen[src]; k < len(offsets) && int(offsets[k]) < limit {
			previous[i] = int32(offsets[k])
		}
		seen[src]++
	}
	return previous
}

// countKept counts the paths with their previous offset.
func countKept(offset, previous []int32) int {
	n := 0
	for i, o := range offset {
		if o == previous[i] {
			n++
		}
	}
	return n
}

// renumber replaces offsets by others below limit, equal ones by equal ones, so that many paths
// have their previous offset: the pair of old and new offset with the most paths first.
func renumber(offset []uint8, previous []int32, limit int) []int32 {
	type pair struct{ from, to int32 }
	paths := map[pair]int{}
	most := uint8(0)
	for i, o := range offset {
		most = max(most, o)
		if previous[i] >= 0 {
			paths[pair{int32(o), previous[i]}]++
		}
	}
	pairs := make([]pair, 0, len(paths))
	for p := range paths {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(paths[b], paths[a]), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	replacement := slices.Repeat([]int32{-1}, int(most)+1)
	taken := make([]bool, limit)
	for _, p := range pairs {
		if replacement[p.from] < 0 && !taken[p.to] {
			replacement[p.from], taken[p.to] = p.to, true
		}
	}
	for o, to := range replacement {
		if to < 0 {
			lowest := slices.Index(taken, false)
			replacement[o], taken[lowest] = int32(lowest), true
		}
	}
	renumbered := make([]int32, len(offset))
	for i, o := range offset {
		renumbered[i] = replacement[o]
	}
	return renumbered
}

// previousFirst gives paths their previous offset if no earlier path splits from them there. It
// begins with the paths that split from the fewest others with the same previous offset. Then it
// gives the other paths the lowest offset below limit that accepts them. It returns false if some
// path finds none.
func previousFirst(c *classes, previous []int32, limit int) (offset []int32, ok bool) {
	f := configurations{nodes: int(c.routing.nodes)}
	for range limit {
		f.open()
	}
	rivals := countRivals(c, previous, limit)
	order := make([]int, len(previous))
	offset = make([]int32, len(previous))
	for i := range order {
		order[i], offset[i] = i, -1
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rivals[i], rivals[j]) })
	for _, i := range order {
		if o := previous[i]; o >= 0 && f.accepts(o, c, c.of[i]) {
			f.add(o, c, c.of[i])
			offset[i] = o
		}
	}
	for _, i := range order {
		for o := int32(0); offset[i] < 0 && int(o) < limit; o++ {
			if f.accepts(o, c, c.of[i]) {
				f.add(o, c, c.of[i])
				offset[i] = o
			}
		}
		if offset[i] < 0 {
			return nil, false
		}
	}
	return offset, true
}

// countRivals counts for each path the others with the same previous offset that split from it.
func countRivals(c *classes, previous []int32, limit int) []int32 {
	split := splitGraph(c)
	at := func(class, offset int32) int { return int(class)*limit + int(offset) }
	holders := make([]int32, c.len()*limit) // paths by class and previous offset
	for i, o := range previous {
		if o >= 0 {
			holders[at(c.of[i], o)]++
		}
	}
	ofClass := make([]int32, len(holders))
	var neighbours []int32
	for class := range int32(c.len()) {
		neighbours = colouring.Members(neighbours[:0], split.Row(class))
		for _, other := range neighbours {
			for o := range int32(limit) {
				ofClass[at(class, o)] += holders[at(other, o)]
			}
		}
	}
	rivals := make([]int32, len(previous))
	for i, o := range previous {
		if o >= 0 {
			rivals[i] = ofClass[at(c.of[i], o)]
		}
	}
	return rivals
}
