package names

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/lids"
	"weft/route/paths"
)

// Stable assigns LIDs as a scheme does and keeps those in use wherever the new paths
// allow it: the paper leaves a change of the network to a new start (section VII). A
// port keeps its base LID unless lids.AssignEach says otherwise. Where the LIDs that sources
// used are known, it also keeps its LMC unless its paths need more LIDs than it has,
// and each path keeps the LID of its pair as long as the paths that do so split from
// none under it; the others take the first LID of the port that they fit under. Where
// that runs out of LIDs the scheme's own assignment is taken, its LIDs renumbered so
// that most paths keep theirs.
//
// What does not fit the subnet or the forwarding tables gives way: first LMCs larger
// than the paths use, then the LIDs of the paths.
func Stable(ctx context.Context, set *paths.Set, s *Scheme, opt Options, held *route.Held) (*Assignment, route.Ends, error) {
	a, err := Assign(ctx, set, s, opt)
	if err != nil {
		return nil, route.Ends{}, err
	}
	g := set.Graph()
	if held.Choice != nil {
		kept, lmc, err := a.keeping(ctx, opt.Workers, held)
		if err != nil {
			return nil, route.Ends{}, err
		}
		for _, lmc := range [][]uint8{lmc, kept.LMC()} {
			if ends, err := lids.AssignEach(g, lmc, held); err == nil && fits(g, &ends) {
				return kept, ends, nil
			}
		}
	}
	ends, err := lids.AssignEach(g, a.LMC(), held)
	return a, ends, err
}

// fits reports whether the forwarding tables of all switches hold the LIDs.
func fits(g *fabric.Graph, ends *route.Ends) bool {
	top := int32(ends.Top())
	return !slices.ContainsFunc(g.SwitchFDBCap, func(size int32) bool { return size > 0 && top >= size })
}

// keeping is the assignment changed to what is in use, with LMCs that are no smaller.
func (a *Assignment) keeping(ctx context.Context, workers int, held *route.Held) (kept *Assignment, lmc []uint8, err error) {
	kept = &Assignment{Set: a.Set, Offset: slices.Clone(a.Offset), Need: slices.Clone(a.Need)}
	lmc = a.LMC()
	workers = max(1, workers)
	memory := make([]keeper, workers)
	err = par.For(ctx, workers, len(lmc), func(w, i int) error {
		if held.Ends.Base[i] == 0 {
			return nil
		}
		lmc[i] = max(lmc[i], held.Ends.LMC[i])
		return memory[w].keep(kept, held, int32(i), 1<<lmc[i])
	})
	return kept, lmc, err
}

// keeper is the memory of one goroutine.
type keeper struct {
	worker
	want     []int32 // by path: offset in use before, -1 when none
	best     []int32 // by path: offset of the better answer so far
	now      []int32
	order    []int32
	excludes []int32 // by path: those that it would push out
	held     []int32 // of exclude
	sum      []int32
	near     []int32
}

// keep changes the offsets of the paths to one destination, which may be below most.
func (k *keeper) keep(a *Assignment, held *route.Held, dst int32, most int) error {
	first, last := a.Set.To(dst)
	if first == last {
		return nil
	}
	k.read(a.Set, first, last)
	if err := k.c.condense(&k.r); err != nil {
		return err
	}
	k.split.build(&k.c)
	n := last - first
	k.want, k.best, k.now = resize(k.want, n), resize(k.best, n), resize(k.now, n)
	k.wants(a.Set, held, dst, first)
	for p := range n {
		k.best[p] = int32(a.Offset[first+p])
	}
	k.renumber(most)
	if k.refill(most) && k.kept(k.now) > k.kept(k.best) {
		copy(k.best, k.now)
	}
	for p := range n {
		a.Offset[first+p] = uint8(k.best[p])
	}
	a.Need[dst].Upper = numColours(k.best)
	return nil
}

// wants finds the offset that each path had: the i-th of a pair that its i-th path
// had.
func (k *keeper) wants(set *paths.Set, held *route.Held, dst int32, first int) {
	used := map[int32]int{}
	for p := range k.want {
		src := set.Source(first + p)
		offsets := held.Offsets(src, dst)
		k.want[p] = -1
		if i := used[src]; i < len(offsets) {
			k.want[p] = int32(offsets[i])
		}
		used[src]++
	}
}

func (k *keeper) kept(offset []int32) int {
	n := 0
	for p, o := range offset {
		if o == k.want[p] {
			n++
		}
	}
	return n
}

// renumber gives the colours of best other offsets, so that many paths keep theirs:
// the colour and offset with most paths in common first.
func (k *keeper) renumber(most int) {
	type common struct{ colour, offset, paths int32 }
	count := map[[2]int32]int32{}
	for p, o := range k.best {
		if w := k.want[p]; w >= 0 && int(w) < most {
			count[[2]int32{o, w}]++
		}
	}
	list := make([]common, 0, len(count))
	for key, n := range count {
		list = append(list, common{key[0], key[1], n})
	}
	slices.SortFunc(list, func(a, b common) int {
		switch {
		case a.paths != b.paths:
			return int(b.paths - a.paths)
		case a.colour != b.colour:
			return int(a.colour - b.colour)
		}
		return int(a.offset - b.offset)
	})
	to := make([]int32, numColours(k.best))
	taken := make([]bool, most)
	for i := range to {
		to[i] = -1
	}
	for _, c := range list {
		if to[c.colour] < 0 && !taken[c.offset] {
			to[c.colour], taken[c.offset] = c.offset, true
		}
	}
	free := int32(0)
	for i := range to {
		if to[i] >= 0 {
			continue
		}
		for taken[free] {
			free++
		}
		to[i], taken[free] = free, true
	}
	for p := range k.best {
		k.best[p] = to[k.best[p]]
	}
}

// refill puts the paths that can keep their offset there, those first that keep
// fewest others from it, and the others where they fit. It reports false when some
// path finds no place.
func (k *keeper) refill(most int) bool {
	k.fit.nodes, k.fit.out = int(k.r.nodes), k.fit.out[:0]
	for range most {
		k.fit.open()
	}
	k.order = k.order[:0]
	for p := range int32(len(k.want)) {
		k.order, k.now[p] = append(k.order, p), -1
	}
	k.exclude(most)
	slices.SortStableFunc(k.order, func(p, q int32) int { return int(k.excludes[p] - k.excludes[q]) })
	for _, p := range k.order {
		if w := k.want[p]; w >= 0 && int(w) < most && k.fit.fits(&k.c, k.c.class[p:p+1], w) {
			k.place(p, w)
		}
	}
	for _, p := range k.order {
		for o := int32(0); k.now[p] < 0 && int(o) < most; o++ {
			if k.fit.fits(&k.c, k.c.class[p:p+1], o) {
				k.place(p, o)
			}
		}
		if k.now[p] < 0 {
			return false
		}
	}
	return true
}

// exclude counts for each path those that it would push out of the offset that they
// had: paths that split from it.
func (k *keeper) exclude(most int) {
	held := zeros(k.held, k.c.size()*most) // paths by class and offset
	at := func(p int) int { return int(k.c.class[p])*most + int(k.want[p]) }
	for p, w := range k.want {
		if w >= 0 && int(w) < most {
			held[at(p)]++
		}
	}
	sum := zeros(k.sum, len(held))
	for class := range int32(k.c.size()) {
		k.near = members(k.near[:0], k.split.g.row(class))
		for _, other := range k.near {
			for o, n := range held[int(other)*most : int(other+1)*most] {
				sum[int(class)*most+o] += n
			}
		}
	}
	k.excludes = zeros(k.excludes, len(k.want))
	for p, w := range k.want {
		if w >= 0 && int(w) < most {
			k.excludes[p] = sum[at(p)]
		}
	}
	k.held, k.sum = held, sum
}

func (k *keeper) place(p, offset int32) {
	k.now[p] = offset
	k.fit.put(&k.c, k.c.class[p:p+1], offset)
}
