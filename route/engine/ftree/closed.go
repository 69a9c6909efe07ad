package ftree

import (
	"context"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// fillClosed writes the tables in closed form.
func fillClosed(ctx context.Context, in *route.Input, r *reach, l *list) (*route.Tables, error) {
	n := in.Graph.NumSwitches
	tables := route.NewTables(n, in.Ends.Top())
	div, below := r.t.dividers()
	fillers := make([]*filler, max(1, in.Workers))
	err := par.For(ctx, in.Workers, n, func(worker, i int) error {
		f := fillers[worker]
		if f == nil {
			f = &filler{
				r: r, l: l, div: div, below: below, ends: &in.Ends,
				row: make([]uint8, int(in.Ends.Top())+1),
			}
			fillers[worker] = f
		}
		f.fill(int32(i))
		tables.SetRun(int32(i), 0, f.row)
		return nil
	})
	return tables, err
}

// filler makes the row of one switch after the other.
type filler struct {
	r          *reach
	l          *list
	div, below []int32
	ends       *route.Ends

	row         []uint8
	first       int32   // place of the first target of the block
	groups      []int32 // that are on a way
	sets        []set   // the targets of each
	once, often set     // targets of one group at least, of several
	these       []int32 // groups to choose from
	ports       []uint8 // links to choose from
	digit       int32   // the link is number t/digit of them
}

func (f *filler) fill(s int32) {
	for i := range f.row {
		f.row[i] = route.NoPort
	}
	for _, h := range f.r.t.g.HostsOf(s) {
		f.own(h)
	}
	f.own(f.r.t.g.PortZero(s))
	for b := range f.r.blocks {
		block := &f.r.blocks[b]
		f.first = int32(b * setSize)
		for k := 1; k < len(block.hops); k++ {
			if block.hops[k][s].empty() {
				continue
			}
			f.groups, f.sets, f.once, f.often = f.groups[:0], f.sets[:0], set{}, set{}
			block.ways(f.r, s, k, func(group int32, to set) {
				f.groups, f.sets = append(f.groups, group), append(f.sets, to)
				again := to
				again.keep(&f.once)
				f.often.add(&again)
				f.once.add(&to)
			})
			f.choose(s)
		}
	}
}

// own routes to an end port of the switch.
func (f *filler) own(end int32) {
	for k := range f.ends.Count(end) {
		f.row[f.ends.Base[end]+fabric.LID(k)] = f.r.t.g.EndPort[end]
	}
}

// choose routes to the targets at hand. Where several groups lead down the tree they
// are ways up from the destination, so it is the digit of the level there that counts.
func (f *filler) choose(s int32) {
	t := f.r.t
	for i, g := range f.groups {
		f.only(f.sets[i], t.portsOf(g), f.div[s])
	}
	if f.often.empty() {
		return
	}
	same := f.common()
	div := f.div[s]
	if v := t.to[f.these[0]]; t.height[v] < t.height[s] {
		div = f.below[v]
	}
	f.start(div)
	f.often.all(func(b int) {
		if !same {
			f.these = f.these[:0]
			for i, g := range f.groups {
				if f.sets[i].has(int32(b)) {
					f.these = append(f.these, g)
				}
			}
			f.start(div)
		}
		f.write(f.l.of(f.first + int32(b)))
	})
}

// only routes to what a single group reaches.
func (f *filler) only(to set, ports []uint8, div int32) {
	if to.remove(&f.often); to.empty() {
		return
	}
	f.ports, f.digit = append(f.ports[:0], ports...), div
	to.all(func(b int) { f.write(f.l.of(f.first + int32(b))) })
}

// common lists the groups that reach what several reach; same is true if each of
// them reaches all of it.
func (f *filler) common() (same bool) {
	same = true
	f.these = f.these[:0]
	for i, g := range f.groups {
		to := f.sets[i]
		if to.keep(&f.often); !to.empty() {
			f.these = append(f.these, g)
			same = same && to == f.often
		}
	}
	return same
}

// start lines up the links of the groups at hand, first one of each, then the next.
func (f *filler) start(div int32) {
	f.digit = div
	f.ports = f.ports[:0]
	for link, more := 0, true; more; link++ {
		more = false
		for _, g := range f.these {
			if p := f.r.t.portsOf(g); link < len(p) {
				f.ports = append(f.ports, p[link])
				more = more || link+1 < len(p)
			}
		}
	}
}

// write writes runs of LIDs.
func (f *filler) write(runs []run) {
	n, digit := int32(len(f.ports)), f.digit
	for _, r := range runs {
		row := f.row[r.lid : int(r.lid)+int(r.n)]
		if n == 1 {
			fill(row, f.ports[0])
			continue
		}
		pick, left := (r.turn/digit+f.l.step[r.kind])%n, digit-r.turn%digit // the link, and LIDs before the next
		for len(row) > 0 {
			var m int32
			if digit == 1 {
				m = int32(copy(row, f.ports[pick:]))
				pick += m
			} else {
				m = min(left, int32(len(row)))
				fill(row[:m], f.ports[pick])
				pick, left = pick+1, digit
			}
			if row = row[m:]; pick == n {
				pick = 0
			}
		}
	}
}

func fill(row []uint8, port uint8) {
	for i := range row {
		row[i] = port
	}
}
