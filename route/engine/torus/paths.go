package torus

import (
	"context"

	"weft/fabric/shape/coords"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/datelines"
)

// findHops finds the hops of all pairs and verifies them if something is missing.
func (m *torus) findHops(ctx context.Context, workers int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := datelines.FitSL(m.Grid, Name, m.Name(0)); err != nil {
		return err
	}
	n := len(m.Switches)
	m.hops = make([]uint8, n*n)
	err := par.For(ctx, workers, n, func(_, d int) error {
		for s := range n {
			if s == d {
				continue
			}
			dim, dir, ok := m.next(int32(s), int32(d))
			if !ok {
				return m.noWay(int32(s), int32(d))
			}
			m.hops[d*n+s] = uint8(2*dim + dir)
		}
		return nil
	})
	if err != nil || m.whole() {
		return err
	}
	return m.verify(ctx, workers)
}

// hop returns the link group of s's next hop towards d.
func (m *torus) hop(s, d int32) int32 {
	return 2*s*int32(m.Dims) + int32(m.hops[int(d)*len(m.Switches)+int(s)])
}

// whole reports whether no link and no switch is missing or drained.
func (m *torus) whole() bool {
	for k := range m.NumLinkGroups() {
		dim, dir := k/2%m.Dims, k%2
		s := int32(k / 2 / m.Dims)
		_, inside := m.Next(dim, m.Coords(s)[dim], dir)
		if inside && len(m.Links(int32(k))) == 0 || !m.isOpen(s) {
			return false
		}
	}
	return true
}

// next returns the dimension and direction of packets from s to d: the first dimension with
// different coordinates. If the switch where the path would turn into the next dimension is
// missing, the path turns one hop before.
func (m *torus) next(s, d int32) (dim, dir int, ok bool) {
	y := m.Coords(d)
	dim = m.FirstDiffering(s, d)
	corner := m.Moved(s, dim, y[dim])
	if corner == d || m.isOpen(corner) {
		dir, ok = m.directionTo(s, d, dim)
		return dim, dir, ok
	}
	dir, ok = m.directionBeside(s, d, dim)
	if ok && m.distance(s, dim, dir, y[dim]) == 1 {
		return m.wayRound(s, d, dim, dir)
	}
	return dim, dir, ok
}

// directionTo returns the direction from s to the coordinate of d: the short way, or the other one
// if the ring is broken there.
func (m *torus) directionTo(s, d int32, dim int) (dir int, ok bool) {
	dir = m.short(s, d, dim)
	to := m.Coords(d)[dim]
	for range 2 {
		if n := m.distance(s, dim, dir, to); n > 0 && m.reach[m.LinkGroup(s, dim, dir)] >= n {
			return dir, true
		}
		dir = 1 - dir
	}
	return 0, false
}

// directionBeside returns the direction from s to the position before the coordinate of d, whose
// switch is missing.
func (m *torus) directionBeside(s, d int32, dim int) (dir int, ok bool) {
	dir = m.short(s, d, dim)
	to := m.Coords(d)[dim]
	for range 2 {
		if n := m.distance(s, dim, dir, to); n > 0 && m.open[m.LinkGroup(s, dim, dir)] >= n-1 {
			return dir, true
		}
		dir = 1 - dir
	}
	return 0, false
}

// wayRound finds the way round a missing switch, next to s in dimension dim and direction dir. The
// way leads into the next dimension with different coordinates of s and d, past the missing switch,
// and then against the order in dim. wayRound tries both directions, the short one first, and
// prefers one where a single hop leads past.
func (m *torus) wayRound(s, d int32, dim, dir int) (second, side int, ok bool) {
	x, y := m.Coords(s), m.Coords(d)
	for second = dim + 1; x[second] == y[second]; {
		second++
	}
	side = m.short(s, d, second)
	for _, far := range [2]bool{false, true} {
		for range 2 {
			if m.leadsRound(s, d, dim, dir, second, side, far) {
				return second, side, true
			}
			side = 1 - side
		}
	}
	return 0, 0, false
}

// leadsRound reports whether that way leads to d; far says that it may take the ring beside the
// missing switch the long way.
func (m *torus) leadsRound(s, d int32, dim, dir, second, side int, far bool) bool {
	to := m.Coords(d)[dim]
	for range m.Size[second] {
		if m.open[m.LinkGroup(s, second, side)] == 0 {
			return false
		}
		s = m.Beside(s, second, side)
		r := m.Moved(s, dim, to)
		if r == d || m.isOpen(r) {
			direct := m.reach[m.LinkGroup(s, dim, dir)] >= 1
			_, around := m.directionTo(s, d, dim)
			return (direct || far && around) && m.goesOn(r, d)
		}
	}
	return false
}

// goesOn reports whether r, which is at the coordinate of d in the first dimensions, can correct
// the next one.
func (m *torus) goesOn(r, d int32) bool {
	if r == d {
		return true
	}
	dim, ok := m.FirstDiffering(r, d), false
	if corner := m.Moved(r, dim, m.Coords(d)[dim]); corner == d || m.isOpen(corner) {
		_, ok = m.directionTo(r, d, dim)
	} else {
		_, ok = m.directionBeside(r, d, dim)
	}
	return ok
}

// distance returns the number of hops from s to a coordinate in one direction, -1 if a line ends
// before it.
func (m *torus) distance(s int32, dim, dir int, to int32) int32 {
	return m.Distance(dim, dir, m.Coords(s)[dim], to)
}

// short returns the direction of the short way from s to d in a dimension.
func (m *torus) short(s, d int32, dim int) int {
	return m.Short(dim, m.Coords(s)[dim], m.Coords(d)[dim], m.Parity(s, d, dim))
}

// noWay returns the refusal of a network without a path from s to d.
func (m *torus) noWay(s, d int32) error {
	x, dim := m.Coords(s), m.FirstDiffering(s, d)
	var missing []string
	for v := range m.Size[dim] {
		if t := m.Moved(s, dim, v); !m.isOpen(t) {
			at := append([]int32(nil), x...)
			at[dim] = v
			missing = append(missing, coords.Format(at))
		}
	}
	if len(missing) > 1 {
		return route.Refuse(Name, "", "two failed switches on the ring of %s in dimension %d: at %s and %s", m.Name(s), dim, missing[0], missing[1])
	}
	return route.Refuse(Name, "", "the ring of %s in dimension %d is broken into disjoint segments: no way to %s", m.Name(s), dim, m.Name(d))
}
