package names

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/paths"
)

// Held is what a subnet had in use before a change, by the end ports of the Graph
// after it.
type Held struct {
	Ends route.Ends // base LID 0 for a port that is new
	// offsets are those that a source used for a destination.
	offsets func(src, dst int32) []uint8
}

// Hold binds what a Plan told the fabric to the Graph after a change, by the GUIDs
// of the end ports. Ports that are gone free their LIDs.
func Hold(old *fabric.Graph, p *route.Plan, g *fabric.Graph) *Held {
	before := map[fabric.GUID]int32{}
	for e := range int32(old.NumEnds) {
		before[old.EndGUID[e]] = e
	}
	h := &Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	was := make([]int32, g.NumEnds)
	for e := range was {
		o, ok := before[g.EndGUID[e]]
		if !ok || old.IsPortZero(o) != g.IsPortZero(int32(e)) || p.Ends.Base[o] == 0 {
			was[e] = -1
			continue
		}
		was[e], h.Ends.Base[e], h.Ends.LMC[e] = o, p.Ends.Base[o], p.Ends.LMC[o]
	}
	h.offsets = func(src, dst int32) []uint8 {
		switch {
		case was[src] < 0 || was[dst] < 0:
			return nil
		case p.Choice == nil:
			return []uint8{0}
		default:
			return p.Choice.Offsets(was[src], was[dst])
		}
	}
	return h
}

// Moves tells what a new assignment did to the LIDs in use.
type Moves struct {
	Ports, PortsMoved int // that had LIDs; whose base LID is another one now
	Paths, PathsMoved int // of pairs that had a LID; that go under another LID now
	New               int // paths of pairs that had none
}

// Stable assigns LIDs as a scheme does and keeps those in use wherever the new paths
// allow it: the paper leaves a change of the network to a new start (section VII). A
// port keeps its base LID and LMC unless its paths need more LIDs than it has. Each
// path keeps the LID of its pair as long as the paths that do so split from none
// under it; the others take the first LID of the port that they fit under. Where that
// runs out of LIDs the scheme's own assignment is taken, its LIDs renumbered so that
// most paths keep theirs.
func Stable(ctx context.Context, set *paths.Set, s *Scheme, opt Options, held *Held) (*Assignment, route.Ends, Moves, error) {
	a, err := Assign(ctx, set, s, opt)
	if err != nil {
		return nil, route.Ends{}, Moves{}, err
	}
	g := set.Graph()
	lmc := a.LMC()
	workers := max(1, opt.Workers)
	memory := make([]keeper, workers)
	err = par.For(ctx, workers, g.NumEnds, func(w, i int) error {
		dst := int32(i)
		if held.Ends.Base[dst] != 0 {
			lmc[dst] = max(lmc[dst], held.Ends.LMC[dst])
			return memory[w].keep(a, held, dst, 1<<lmc[dst])
		}
		return nil
	})
	if err != nil {
		return nil, route.Ends{}, Moves{}, err
	}
	ends, err := Name(g, lmc, held.Ends)
	if err != nil { // larger LMCs than need be are kept only where there is room
		if ends, err = Name(g, a.LMC(), held.Ends); err != nil {
			return nil, route.Ends{}, Moves{}, err
		}
	}
	return a, ends, moves(a, ends, held), nil
}

// keeper is the memory of one goroutine.
type keeper struct {
	worker
	want     []int32 // by path: offset in use before, -1 when none
	best     []int32 // by path: offset of the better answer so far
	now      []int32
	order    []int32
	excludes []int32 // by path: weight of those that it would push out
}

// keep changes the offsets of the paths to one destination, which may be below most.
func (k *keeper) keep(a *Assignment, held *Held, dst int32, most int) error {
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
func (k *keeper) wants(set *paths.Set, held *Held, dst int32, first int) {
	used := map[int32]int{}
	for p := range k.want {
		src := set.Source(first + p)
		offsets := held.offsets(src, dst)
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
	n := len(k.want)
	k.excludes, k.order = zeros(k.excludes, n), k.order[:0]
	for p := range int32(n) {
		k.order = append(k.order, p)
		k.now[p] = -1
		for q := range p {
			if a, b := k.c.class[p], k.c.class[q]; k.want[p] == k.want[q] && a != b && k.split.g.HasEdge(int(a), int(b)) {
				k.excludes[p]++
				k.excludes[q]++
			}
		}
	}
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

func (k *keeper) place(p, offset int32) {
	k.now[p] = offset
	k.fit.put(&k.c, k.c.class[p:p+1], offset)
}

// moves compares LIDs before and after.
func moves(a *Assignment, ends route.Ends, held *Held) Moves {
	var m Moves
	for dst, base := range held.Ends.Base {
		if base != 0 {
			m.Ports++
			if ends.Base[dst] != base {
				m.PortsMoved++
			}
		}
		first, last := a.Set.To(int32(dst))
		used := map[int32]int{}
		for p := first; p < last; p++ {
			src := a.Set.Source(p)
			var offsets []uint8
			if base != 0 {
				offsets = held.offsets(src, int32(dst))
			}
			i := used[src]
			used[src]++
			if i >= len(offsets) {
				m.New++
				continue
			}
			m.Paths++
			if base+fabric.LID(offsets[i]) != ends.Base[dst]+fabric.LID(a.Offset[p]) {
				m.PathsMoved++
			}
		}
	}
	return m
}
