package ftree

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// fillClosed writes the tables in closed form. Most switches choose alike for most
// destinations, so most blocks are equal: those are made once and shared.
func fillClosed(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	rows := make([][]*route.Block, in.Graph.NumSwitches)
	div, below := r.t.dividers()
	fillers := make([]*filler, max(1, in.Workers))
	err := par.For(ctx, in.Workers, len(rows), func(worker, s int) error {
		f := fillers[worker]
		if f == nil {
			f = &filler{
				r: r, ends: &in.Ends, div: div, below: below,
				writer: newWriter(l, in.Ends.Top()),
			}
			fillers[worker] = f
		}
		rows[s] = f.row(int32(s))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return route.TablesOf(int(in.Ends.Top())/route.BlockSize+1, rows), nil
}

// filler makes the row of one switch after the other.
type filler struct {
	r          *reach
	ends       *route.Ends
	div, below []int32
	writer

	groups      []int32 // that are on a way
	sets        []set   // the targets of each
	once, often set     // targets of one group at least, of several
	these       []int32 // groups to choose from
	words       [setWords]int
}

func (f *filler) row(s int32) []*route.Block {
	f.reset()
	for b := range f.r.blocks {
		block := &f.r.blocks[b]
		for k := 1; k < len(block.hops); k++ {
			if !block.hops[k][s].empty() {
				f.ways(block, s, k)
				f.choose(s, f.chosen[b*setSize:])
			}
		}
	}
	f.chosen[f.l.bit[s]] = here
	row := make([]*route.Block, len(f.start)-1)
	for b := range row {
		row[b] = f.block(b)
	}
	for _, h := range f.r.t.g.HostsOf(s) {
		f.own(row, h)
	}
	f.own(row, f.r.t.g.PortZero(s))
	return row
}

// own routes to an end port of the switch. Its blocks are not shared.
func (f *filler) own(row []*route.Block, end int32) {
	for k := range f.ends.Count(end) {
		lid := f.ends.Base[end] + fabric.LID(k)
		row[lid/route.BlockSize][lid%route.BlockSize] = f.r.t.g.EndPort[end]
	}
}

// ways lists the groups of a switch that are on the shortest ways to targets k hops
// away, with those targets.
func (f *filler) ways(b *block, s int32, k int) {
	f.groups, f.sets, f.once, f.often = f.groups[:0], f.sets[:0], set{}, set{}
	here := &b.hops[k][s]
	free := *here
	free.remove(&b.must[s])
	words := f.words[:0]
	for w, x := range here {
		if x != 0 {
			words = append(words, w)
		}
	}
	first, last := f.r.t.groupsOf(s)
	for i := first; i < last; i++ {
		v := f.r.t.to[i]
		wanted, there := &free, (*set)(nil)
		switch {
		case f.r.rises[i]:
			there = &b.hops[k-1][v]
		case k < len(b.falls) && !f.r.left[i] && (k == 1 || !f.r.ends[i]):
			wanted, there = here, &b.falls[k-1][v]
		default:
			continue
		}
		to, some := set{}, uint64(0)
		for _, w := range words {
			x := wanted[w] & there[w]
			f.often[w] |= f.once[w] & x
			f.once[w] |= x
			to[w] = x
			some |= x
		}
		if some != 0 {
			f.groups, f.sets = append(f.groups, i), append(f.sets, to)
		}
	}
}

// choose chooses for the targets at hand.
func (f *filler) choose(s int32, chosen []int32) {
	for i, g := range f.groups {
		to := f.sets[i]
		if to.remove(&f.often); !to.empty() {
			f.these = append(f.these[:0], g)
			f.put(chosen, &to, f.div[s])
		}
	}
	for left := f.often; !left.empty(); {
		alike := f.alike(&left)
		f.put(chosen, &alike, f.digit(s))
		left.remove(&alike)
	}
}

// digit is what the turns of destinations are divided by at a switch. Where several
// groups lead down the tree they are ways up from the destination, so it is the digit of
// the level there that counts.
func (f *filler) digit(s int32) int32 {
	if v := f.r.t.to[f.these[0]]; f.r.t.height[v] < f.r.t.height[s] {
		return f.below[v]
	}
	return f.div[s]
}

// alike lists the groups that reach the first of some targets, and finds the targets
// that the same ones reach.
func (f *filler) alike(to *set) set {
	same, first := *to, to.first()
	f.these = f.these[:0]
	for i, g := range f.groups {
		if f.sets[i].has(first) {
			f.these = append(f.these, g)
			same.keep(&f.sets[i])
		} else {
			same.remove(&f.sets[i])
		}
	}
	return same
}

// put makes the links of the groups at hand the choice for some targets, first one link
// of each, then the next.
func (f *filler) put(chosen []int32, to *set, digit int32) {
	from := len(f.ports)
	for link, more := 0, true; more; link++ {
		more = false
		for _, g := range f.these {
			if p := f.r.t.portsOf(g); link < len(p) {
				f.ports = append(f.ports, p[link])
				more = more || link+1 < len(p)
			}
		}
	}
	c := f.add(from, digit)
	to.all(func(b int) { chosen[b] = c })
}

// first is the first target of a set that has one.
func (s *set) first() int32 {
	for w, x := range s {
		if x != 0 {
			return int32(w*64 + bits.TrailingZeros64(x))
		}
	}
	return -1
}
