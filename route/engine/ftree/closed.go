package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/fattree"
	"weft/internal/par"
	"weft/route"
)

// closedForm fills the tables by the closed form: each LID by itself. Most switches choose the same
// for most destinations, so most blocks are equal and are shared. With whole, LIDs of hosts keep
// their way in the whole tree, and get no entry where it is missing.
func closedForm(ctx context.Context, in *route.Input, r *reachability, l *lidOrder, whole *fattree.Whole) (*route.Tables, error) {
	rows := make([][]*route.Block, in.Graph.NumSwitches)
	div, below := r.t.divisors(whole)
	fillers := make([]*rowFiller, max(1, in.Workers))
	err := par.For(ctx, in.Workers, len(rows), func(worker, s int) error {
		f := fillers[worker]
		if f == nil {
			f = &rowFiller{
				r: r, ends: &in.Ends, divisor: div, below: below, whole: whole,
				blockWriter: newBlockWriter(l, in.Ends.Top()),
			}
			fillers[worker] = f
		}
		rows[s] = f.fillRow(int32(s))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return route.TablesOf(int(in.Ends.Top())/route.BlockSize+1, rows), nil
}

// rowFiller makes the rows of one switch after another.
type rowFiller struct {
	r              *reachability
	ends           *route.Ends
	divisor, below []int32
	whole          *fattree.Whole // nil if unknown
	blockWriter

	bundles          []int32     // first bundles of paths
	targets          []targetSet // the targets of each
	inOne, inSeveral targetSet   // targets over at least one bundle, over several
	candidates       []int32     // bundles to choose from
	words            [blockWords]int
}

// fillRow makes the row of a switch.
func (f *rowFiller) fillRow(s int32) []*route.Block {
	f.reset()
	for b := range f.r.blocks {
		block := &f.r.blocks[b]
		for k := 1; k < len(block.hops); k++ {
			if !block.hops[k][s].isEmpty() {
				f.findCandidates(block, s, k)
				f.chooseAll(s, f.chosen[b*blockTargets:])
			}
		}
	}
	f.chosen[f.l.placeOf[s]] = ownSwitch
	row := make([]*route.Block, len(f.start)-1)
	for b := range row {
		row[b] = f.block(b)
	}
	for _, end := range f.r.t.G.HostsOf(s) {
		f.routeOwnEnd(row, end)
	}
	for _, end := range f.r.t.G.OthersOf(s) {
		f.routeOwnEnd(row, end)
	}
	return row
}

// routeOwnEnd routes to an end port of the switch itself. Its blocks are not shared.
func (f *rowFiller) routeOwnEnd(row []*route.Block, end int32) {
	for k := range f.ends.Count(end) {
		lid := f.ends.Base[end] + fabric.LID(k)
		row[lid/route.BlockSize][lid%route.BlockSize] = f.r.t.G.EndPort[end]
	}
}

// findCandidates finds the first bundles of shortest legal paths to targets k hops away, and the
// targets of each.
func (f *rowFiller) findCandidates(b *targetBlock, s int32, k int) {
	f.bundles, f.targets, f.inOne, f.inSeveral = f.bundles[:0], f.targets[:0], targetSet{}, targetSet{}
	here := &b.hops[k][s]
	free := *here
	free.subtract(&b.downOnly[s])
	words := f.words[:0]
	for w, x := range here {
		if x != 0 {
			words = append(words, w)
		}
	}
	first, last := f.r.t.BundlesOf(s)
	for i := first; i < last; i++ {
		v := f.r.t.Neighbour[i]
		wanted, there := &free, (*targetSet)(nil)
		switch {
		case f.r.leadsUp[i]:
			there = &b.hops[k-1][v]
		case k < len(b.downHops) && !f.r.unused[i] && (k == 1 || !f.r.endsPath[i]):
			wanted, there = here, &b.downHops[k-1][v]
		default:
			continue
		}
		to, some := targetSet{}, uint64(0)
		for _, w := range words {
			x := wanted[w] & there[w]
			f.inSeveral[w] |= f.inOne[w] & x
			f.inOne[w] |= x
			to[w] = x
			some |= x
		}
		if some != 0 {
			f.bundles, f.targets = append(f.bundles, i), append(f.targets, to)
		}
	}
}

// chooseAll makes the choices for the targets of findCandidates.
func (f *rowFiller) chooseAll(s int32, chosen []int32) {
	for i, g := range f.bundles {
		to := f.targets[i]
		if to.subtract(&f.inSeveral); !to.isEmpty() {
			f.candidates = append(f.candidates[:0], g)
			f.addChoice(s, chosen, &to, f.divisor[s])
		}
	}
	for left := f.inSeveral; !left.isEmpty(); {
		alike := f.sameCandidates(&left)
		f.addChoice(s, chosen, &alike, f.divisorAt(s))
		left.subtract(&alike)
	}
}

// divisorAt returns the divisor of a choice among several bundles. Bundles down the tree are ways
// up from the destination, so their divisor is that of the level below.
func (f *rowFiller) divisorAt(s int32) int32 {
	if v := f.r.t.Neighbour[f.candidates[0]]; f.r.t.Level[v] < f.r.t.Level[s] {
		return f.below[v]
	}
	return f.divisor[s]
}

// sameCandidates lists the bundles to the first of some targets, and returns the targets with the
// same candidates.
func (f *rowFiller) sameCandidates(to *targetSet) targetSet {
	same, first := *to, to.first()
	f.candidates = f.candidates[:0]
	for i, g := range f.bundles {
		if f.targets[i].contains(first) {
			f.candidates = append(f.candidates, g)
			same.intersect(&f.targets[i])
		} else {
			same.subtract(&f.targets[i])
		}
	}
	return same
}

// addChoice makes the links of the candidates the choice for some targets: first one link of each
// bundle, then the next. If the whole tree is known, missing links are gaps.
func (f *rowFiller) addChoice(s int32, chosen []int32, to *targetSet, divisor int32) {
	from := len(f.ports)
	if f.whole == nil || !f.addWhole(s) {
		f.addLinks()
	}
	c := f.add(from, divisor)
	to.each(func(b int) { chosen[b] = c })
}

// addLinks adds the ports of the candidates: one link of each, then the next.
func (f *rowFiller) addLinks() {
	for link, more := 0, true; more; link++ {
		more = false
		for _, g := range f.candidates {
			if p := f.r.t.PortsOf(g); link < len(p) {
				f.ports = append(f.ports, p[link])
				more = more || link+1 < len(p)
			}
		}
	}
}

// addWhole adds the ports of the candidates at their places in the whole tree, with gaps for
// missing ones. It reports whether they have places: all lead to the level above, or a single one
// to the level below.
func (f *rowFiller) addWhole(s int32) bool {
	t, from, level := f.r.t, len(f.ports), f.r.t.Level
	ways, width := 1, int32(0)
	for _, g := range f.candidates {
		switch v := f.r.t.Neighbour[g]; {
		case level[v] == level[s]+1:
			ways, width = int(f.whole.Ways[s]), f.whole.Width[level[s]]
		case level[v] == level[s]-1 && len(f.candidates) == 1:
			width = f.whole.Width[level[v]]
		default:
			return false
		}
	}
	f.ports = slices.Grow(f.ports, ways*int(width))[:from+ways*int(width)]
	ports := f.ports[from:]
	fill(ports, route.NoPort)
	for _, g := range f.candidates {
		place := 0
		if ways > 1 {
			place = int(f.whole.Place[t.Neighbour[g]])
		}
		for link, p := range t.PortsOf(g)[:min(len(t.PortsOf(g)), int(width))] {
			ports[link*ways+place] = p
		}
	}
	return true
}

// divisors returns by switch the number of shortest ways up to it from one leaf: the product of the
// numbers of neighbours above, at each level below it, of the whole tree if that is given. below is
// that number for the level below the switch.
func (t *tree) divisors(whole *fattree.Whole) (divisor, below []int32) {
	divisor, below = make([]int32, t.G.NumSwitches), make([]int32, t.G.NumSwitches)
	for _, s := range t.ByLevel(false) {
		divisor[s], below[s] = max(divisor[s], 1), max(below[s], 1)
		up := int32(0)
		for _, v := range t.NeighboursOf(s) {
			if t.Level[v] > t.Level[s] {
				up++
			}
		}
		if whole != nil {
			up = max(up, whole.Ways[s])
		}
		for _, v := range t.NeighboursOf(s) {
			if t.Level[v] > t.Level[s] && divisor[s]*up > divisor[v] {
				divisor[v], below[v] = min(divisor[s]*up, 1<<20), divisor[s]
			}
		}
	}
	return divisor, below
}
