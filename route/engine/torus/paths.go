package torus

import (
	"context"

	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/coords"
)

// plan finds the hops of all pairs and, where something is missing, verifies them.
func (m *torus) plan(ctx context.Context, workers int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.FitsSL(Name, useOther, m.name(0), datelineFrom); err != nil {
		return err
	}
	n := len(m.sw)
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

// hop is the place of the link that s takes towards d.
func (m *torus) hop(s, d int32) int32 {
	return 2*s*int32(m.Dims) + int32(m.hops[int(d)*len(m.sw)+int(s)])
}

// whole tells whether no link and no switch is missing or drained.
func (m *torus) whole() bool {
	for k := range m.ports {
		dim, dir := k/2%m.Dims, k%2
		s := int32(k / 2 / m.Dims)
		x := m.Coords(s)[dim]
		edge := !m.Wrap[dim] && (dir == up && x == m.Size[dim]-1 || dir == down && x == 0)
		if !edge && len(m.ports[k]) == 0 || !m.through(s) {
			return false
		}
	}
	return true
}

// next is the dimension and direction in which s sends what goes to d: the first
// dimension in which they differ. If the switch at which the path would turn into the
// next dimension is missing, it turns one hop before.
func (m *torus) next(s, d int32) (dim, dir int, ok bool) {
	x, y := m.Coords(s), m.Coords(d)
	for x[dim] == y[dim] {
		dim++
	}
	corner := m.moved(s, dim, y[dim])
	if corner == d || m.through(corner) {
		dir, ok = m.along(s, d, dim)
		return dim, dir, ok
	}
	dir, ok = m.towards(s, d, dim)
	if ok && m.distance(s, dim, dir, y[dim]) == 1 {
		return m.aside(s, d, dim, dir)
	}
	return dim, dir, ok
}

// along is the direction in which s reaches the coordinate of d: the short way, or
// the other one if the ring is broken there.
func (m *torus) along(s, d int32, dim int) (dir int, ok bool) {
	dir = m.short(s, d, dim)
	to := m.Coords(d)[dim]
	for range 2 {
		if n := m.distance(s, dim, dir, to); n > 0 && m.reach[m.place(s, dim, dir)] >= n {
			return dir, true
		}
		dir = 1 - dir
	}
	return 0, false
}

// towards is the direction in which s comes next to the coordinate of d, where no
// switch is.
func (m *torus) towards(s, d int32, dim int) (dir int, ok bool) {
	dir = m.short(s, d, dim)
	to := m.Coords(d)[dim]
	for range 2 {
		if n := m.distance(s, dim, dir, to); n > 0 && m.open[m.place(s, dim, dir)] >= n-1 {
			return dir, true
		}
		dir = 1 - dir
	}
	return 0, false
}

// aside finds the way round a missing switch, next to s in dimension dim and
// direction dir: into the next dimension in which s and d differ, past the
// missing switch, and then against the order in dim. Of both directions it takes one
// in which a single hop leads past, the short one first.
func (m *torus) aside(s, d int32, dim, dir int) (second, side int, ok bool) {
	x, y := m.Coords(s), m.Coords(d)
	for second = dim + 1; x[second] == y[second]; {
		second++
	}
	side = m.short(s, d, second)
	for _, far := range [2]bool{false, true} {
		for range 2 {
			if m.passes(s, d, dim, dir, second, side, far) {
				return second, side, true
			}
			side = 1 - side
		}
	}
	return 0, 0, false
}

// passes tells whether the way aside leads to d; far says that the ring beside the
// missing switch may be taken the long way.
func (m *torus) passes(s, d int32, dim, dir, second, side int, far bool) bool {
	to := m.Coords(d)[dim]
	for range m.Size[second] {
		if m.open[m.place(s, second, side)] == 0 {
			return false
		}
		s = m.beside(s, second, side)
		r := m.moved(s, dim, to)
		if r == d || m.through(r) {
			direct := m.reach[m.place(s, dim, dir)] >= 1
			_, around := m.along(s, d, dim)
			return (direct || far && around) && m.goesOn(r, d)
		}
	}
	return false
}

// goesOn tells whether r, which is at the coordinate of d in the first dimensions,
// can do the next one.
func (m *torus) goesOn(r, d int32) bool {
	if r == d {
		return true
	}
	x, y := m.Coords(r), m.Coords(d)
	dim := 0
	for x[dim] == y[dim] {
		dim++
	}
	ok := false
	if corner := m.moved(r, dim, y[dim]); corner == d || m.through(corner) {
		_, ok = m.along(r, d, dim)
	} else {
		_, ok = m.towards(r, d, dim)
	}
	return ok
}

// distance is the number of hops from s to a coordinate in one direction, -1 where a
// line ends before it.
func (m *torus) distance(s int32, dim, dir int, to int32) int32 {
	n := to - m.Coords(s)[dim]
	if dir == down {
		n = -n
	}
	if n < 0 {
		if !m.Wrap[dim] {
			return -1
		}
		n += m.Size[dim]
	}
	return n
}

// short is the direction of the short way from s to d in a dimension.
func (m *torus) short(s, d int32, dim int) int {
	return m.Short(dim, m.Coords(s)[dim], m.Coords(d)[dim], m.Parity(s, d, dim))
}

// noWay is the refusal of a network where s cannot send to d.
func (m *torus) noWay(s, d int32) error {
	x, y := m.Coords(s), m.Coords(d)
	dim := 0
	for x[dim] == y[dim] {
		dim++
	}
	var missing []string
	for v := range m.Size[dim] {
		if t := m.moved(s, dim, v); !m.through(t) {
			at := append([]int32(nil), x...)
			at[dim] = v
			missing = append(missing, coords.Place(at))
		}
	}
	if len(missing) > 1 {
		return route.Refuse(Name, useOther, "two failed switches on the ring of %s in dimension %d: at %s and %s", m.name(s), dim, missing[0], missing[1])
	}
	return route.Refuse(Name, useOther, "the ring of %s in dimension %d is broken into disjoint segments: no way to %s", m.name(s), dim, m.name(d))
}
