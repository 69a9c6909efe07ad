package dor

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/coords"
)

// newGrid makes a grid of coordinates by switch. It refuses them unless every link
// joins neighbours and every neighbour is there. Dimensions of length 1 vanish and
// rings of 4 become two dimensions.
func newGrid(g *fabric.Graph, local, sw []int32, coords [][]int32) (*grid, error) {
	m := &grid{g: g, sw: sw, local: local}
	m.setCoords(coords)
	if err := m.checkLinks(); err != nil {
		return nil, err
	}
	if err := m.checkPlaces(); err != nil {
		return nil, err
	}
	m.splitFours()
	m.index()
	if err := m.addBundles(); err != nil {
		return nil, err
	}
	return m, nil
}

// setCoords takes over the dimensions that are longer than 1.
func (m *grid) setCoords(coords [][]int32) {
	var keep []int
	for dim := range coords[0] {
		size := int32(0)
		for _, x := range coords {
			size = max(size, x[dim]+1)
		}
		if size > 1 {
			keep = append(keep, dim)
			m.size = append(m.size, size)
		}
	}
	m.dims = len(keep)
	m.wrap = make([]bool, m.dims)
	m.coord = make([]int32, 0, len(coords)*m.dims)
	for _, x := range coords {
		for _, dim := range keep {
			m.coord = append(m.coord, x[dim])
		}
	}
}

// checkLinks refuses links between switches that are no neighbours, and notes
// which dimensions wrap.
func (m *grid) checkLinks() error {
	for s, sw := range m.sw {
		for _, c := range m.g.OutOf(sw) {
			t := m.local[m.g.To[c]]
			if t == int32(s) {
				continue
			}
			dim, _, ok := coords.Step(m.coords(int32(s)), m.coords(t), m.size)
			if !ok {
				return notAGrid("%s and %s are linked but no neighbours", m.name(int32(s)), m.name(t))
			}
			x, y := m.coord[s*m.dims+dim], m.coord[int(t)*m.dims+dim]
			if m.size[dim] > 2 && (x-y > 1 || y-x > 1) {
				m.wrap[dim] = true
			}
		}
	}
	return nil
}

// checkPlaces refuses coordinates that do not fill the box, and names a switch
// that has a gap beside it. Coordinates are distinct; with a gap some switch has
// one, as each is linked to all the others.
func (m *grid) checkPlaces() error {
	places := 1
	for _, k := range m.size {
		if places *= int(k); places > len(m.sw) {
			return m.gap()
		}
	}
	return nil
}

func (m *grid) gap() error {
	taken := make(map[string]bool, len(m.sw))
	for s := range m.sw {
		taken[place(m.coords(int32(s)))] = true
	}
	for s := range m.sw {
		x := slices.Clone(m.coords(int32(s)))
		for dim := range x {
			for _, dir := range [2]int{up, down} {
				old := x[dim]
				if y, ok := m.step(dim, old, dir); ok {
					x[dim] = y
					if p := place(x); !taken[p] {
						return notAGrid("%s has no neighbour at %s: a switch is missing", m.name(int32(s)), p)
					}
				}
				x[dim] = old
			}
		}
	}
	return notAGrid("the coordinates of %s and the others do not fill a box", m.name(0))
}

// splitFours turns rings of 4 into two dimensions of 2, by Gray code.
func (m *grid) splitFours() {
	for dim := 0; dim < m.dims; dim++ {
		if !m.wrap[dim] || m.size[dim] != 4 {
			continue
		}
		coord := make([]int32, 0, len(m.coord)+len(m.sw))
		for s := range m.sw {
			x := m.coords(int32(s))
			coord = append(coord, x[:dim]...)
			coord = append(coord, (x[dim]^x[dim]>>1)&1, x[dim]>>1)
			coord = append(coord, x[dim+1:]...)
		}
		m.coord = coord
		m.size = slices.Replace(m.size, dim, dim+1, 2, 2)
		m.wrap = slices.Replace(m.wrap, dim, dim+1, false, false)
		m.dims++
	}
}

// index fills at and odd.
func (m *grid) index() {
	m.at = make([]int32, len(m.sw))
	m.odd = make([]uint8, len(m.sw)*(m.dims+1))
	for s := range m.sw {
		x := m.coords(int32(s))
		m.at[m.rank(x)] = int32(s)
		for i := m.dims - 1; i >= 0; i-- {
			m.odd[s*(m.dims+1)+i] = m.odd[s*(m.dims+1)+i+1] ^ uint8(x[i]&1)
		}
	}
}

// addBundles sorts the channels of each switch by dimension and direction, and
// refuses a switch that lacks a link to a neighbour.
func (m *grid) addBundles() error {
	m.start = make([]int32, 1, 2*len(m.sw)*m.dims+1)
	by := make([][]int32, 2*m.dims)
	for s, sw := range m.sw {
		for k := range by {
			by[k] = by[k][:0]
		}
		for _, c := range m.g.OutOf(sw) {
			if dim, dir, ok := coords.Step(m.coords(int32(s)), m.coords(m.local[m.g.To[c]]), m.size); ok {
				by[2*dim+dir] = append(by[2*dim+dir], c)
			}
		}
		for k, channels := range by {
			if y, ok := m.step(k/2, m.coord[s*m.dims+k/2], k%2); ok && len(channels) == 0 {
				x := slices.Clone(m.coords(int32(s)))
				x[k/2] = y
				return notAGrid("%s has no link to its neighbour %s", m.name(int32(s)), m.name(m.at[m.rank(x)]))
			}
			m.bundle = append(m.bundle, channels...)
			m.start = append(m.start, int32(len(m.bundle)))
		}
	}
	return nil
}

// name names a switch with its coordinates.
func (m *grid) name(s int32) string {
	return route.SwitchName(m.g, m.sw[s]) + " at " + place(m.coords(s))
}

// place writes coordinates as (1,2,3).
func place(x []int32) string {
	text := []byte{'('}
	for i, v := range x {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Append(text, v)
	}
	return string(append(text, ')'))
}
