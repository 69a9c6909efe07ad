package ftree

import (
	"context"
	"math"
	"math/bits"

	"weft/internal/par"
	"weft/route"
)

// fillClosed writes the tables in closed form.
func fillClosed(ctx context.Context, in *route.Input, r *reach, l *list, plain bool) (*route.Tables, error) {
	n := in.Graph.NumSwitches
	tables := route.NewTables(n, in.Ends.Top())
	div, below := r.t.dividers()
	fillers := make([]*filler, max(1, in.Workers))
	err := par.For(ctx, in.Workers, n, func(worker, i int) error {
		f := fillers[worker]
		if f == nil {
			f = &filler{
				r: r, l: l, div: div, below: below, plain: plain,
				row: make([]uint8, int(in.Ends.Top())+1), once: make(set, r.words), often: make(set, r.words),
				dealers: make([]dealer, len(l.step)),
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
	plain      bool

	row         []uint8
	once, often set   // reached by one group at least, by several
	sets        []set // of the groups at hand
	these       []int32
	ports       []uint8 // candidates
	digit, skip int32
	dealers     []dealer
}

func (f *filler) fill(s int32) {
	r := f.r
	for i := range f.row {
		f.row[i] = route.NoPort
	}
	for _, e := range f.l.of(int(r.bit[s])) {
		f.row[e.lid] = e.port
	}
	for k := 1; k < len(r.falls); k++ {
		if need := r.at(r.falls[k], s); !need.empty() {
			f.has(need, r.down[s], func(into set, v int32) {
				if k == 1 || !r.drained[v] {
					into.add(r.at(r.falls[k-1], v))
				}
			})
			f.choose(s, r.down[s], true)
		}
	}
	for k := 1; k < len(r.climbs); k++ {
		if need := r.at(r.climbs[k], s); !need.empty() {
			f.has(need, r.up[s], func(into set, v int32) { r.beyond(k, v, into.add) })
			f.choose(s, r.up[s], false)
		}
	}
}

// has sets, by group, what of the switches needed its neighbour has.
func (f *filler) has(need set, groups []int32, from func(into set, v int32)) {
	for len(f.sets) < len(groups) {
		f.sets = append(f.sets, make(set, f.r.words))
	}
	clear(f.once)
	clear(f.often)
	for i, g := range groups {
		h := f.sets[i]
		clear(h)
		from(h, f.r.t.to[g])
		for w, x := range need {
			h[w] &= x
			f.often[w] |= f.once[w] & h[w]
			f.once[w] |= h[w]
		}
	}
}

// choose routes to the switches that has found. Going down, several candidates are
// ways up from the destination, so it is the digit of the level there that counts.
func (f *filler) choose(s int32, groups []int32, falls bool) {
	for i, g := range groups {
		f.only(f.sets[i], f.r.t.ports[g], f.div[s])
	}
	if f.often.empty() {
		return
	}
	same := f.common(groups)
	div := f.div[s]
	if falls {
		div = f.below[f.r.t.to[f.these[0]]]
	}
	f.start(div, !f.plain)
	for w, x := range f.often {
		for ; x != 0; x &= x - 1 {
			b := bits.TrailingZeros64(x)
			if !same {
				f.these = f.these[:0]
				for i, g := range groups {
					if f.sets[i][w]>>b&1 != 0 {
						f.these = append(f.these, g)
					}
				}
				f.start(div, !f.plain)
			}
			f.write(f.l.of(w*64 + b))
		}
	}
}

// only routes to what a single group reaches.
func (f *filler) only(has set, ports []uint8, div int32) {
	f.ports = append(f.ports[:0], ports...)
	f.begin(div, math.MaxInt32)
	for w, x := range has {
		for x &^= f.often[w]; x != 0; x &= x - 1 {
			entries := f.l.of(w*64 + bits.TrailingZeros64(x))
			if len(ports) > 1 {
				f.write(entries)
				continue
			}
			for _, e := range entries {
				f.row[e.lid] = ports[0]
			}
		}
	}
}

// common lists the groups that reach what several reach; same is true if each of
// them reaches all of it.
func (f *filler) common(groups []int32) (same bool) {
	same = true
	f.these = f.these[:0]
	for i, g := range groups {
		some, full := false, true
		for w, x := range f.often {
			h := f.sets[i][w] & x
			some = some || h != 0
			full = full && h == x
		}
		if some {
			f.these = append(f.these, g)
			same = same && full
		}
	}
	return same
}

// start lines up the links of the groups at hand, first one of each, then the next,
// and begins to deal. The plain form takes the next digit of t. The other goes round
// with every t, so that any consecutive ones are spread evenly over a level, and
// moves on by one whenever it would repeat what the levels below take.
func (f *filler) start(div int32, even bool) {
	f.ports = f.ports[:0]
	for link, more := 0, true; more; link++ {
		more = false
		for _, g := range f.these {
			if p := f.r.t.ports[g]; link < len(p) {
				f.ports = append(f.ports, p[link])
				more = more || link+1 < len(p)
			}
		}
	}
	switch {
	case !even:
		f.begin(div, math.MaxInt32)
	case div == 1:
		f.begin(1, math.MaxInt32)
	default:
		f.begin(1, lcm(div, int32(len(f.ports))))
	}
}

func lcm(a, b int32) int32 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// begin sets what a candidate is chosen by: t/digit + t/skip, modulo their number.
func (f *filler) begin(digit, skip int32) {
	f.digit, f.skip = digit, skip
	for i := range f.dealers {
		f.dealers[i].turn = -1
	}
}

// dealer goes round the candidates for consecutive end ports of one kind.
type dealer struct {
	turn        int32 // the next end port
	pick        int32
	digit, skip int32 // end ports before the candidate moves on for either
}

// write writes entries, each by the candidate whose turn it is.
func (f *filler) write(entries []entry) {
	n := int32(len(f.ports))
	for _, e := range entries {
		d := &f.dealers[e.kind]
		if d.turn != e.turn {
			d.turn = e.turn
			d.pick = (e.turn/f.digit + e.turn/f.skip + f.l.step[e.kind]) % n
			d.digit, d.skip = f.digit-e.turn%f.digit, f.skip-e.turn%f.skip
		}
		f.row[e.lid] = f.ports[d.pick]
		d.turn++
		if d.digit--; d.digit == 0 {
			d.digit = f.digit
			d.pick = next(d.pick, n)
		}
		if d.skip--; d.skip == 0 {
			d.skip = f.skip
			d.pick = next(d.pick, n)
		}
	}
}

func next(pick, n int32) int32 {
	if pick++; pick == n {
		return 0
	}
	return pick
}
