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
func newGrid(g *fabric.Graph, local, sw []int32, places [][]int32) (*grid, error) {
	m := &grid{g: g, sw: sw, local: local, Box: coords.NewBox(places)}
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

// checkLinks refuses links between switches that are no neighbours, and notes
// which dimensions wrap.
func (m *grid) checkLinks() error {
	for s, sw := range m.sw {
		for _, c := range m.g.OutOf(sw) {
			t := m.local[m.g.To[c]]
			if t == int32(s) {
				continue
			}
			if _, _, ok := m.Link(int32(s), t); !ok {
				return fmt.Errorf("%s and %s are linked but no neighbours", m.name(int32(s)), m.name(t))
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
	for _, k := range m.Size {
		if places *= int(k); places > len(m.sw) {
			return m.gap()
		}
	}
	return nil
}

func (m *grid) gap() error {
	taken := make(map[string]bool, len(m.sw))
	for s := range m.sw {
		taken[coords.Place(m.Coords(int32(s)))] = true
	}
	for s := range m.sw {
		x := slices.Clone(m.Coords(int32(s)))
		for dim := range x {
			for _, dir := range [2]int{up, down} {
				old := x[dim]
				if y, ok := m.step(dim, old, dir); ok {
					x[dim] = y
					if p := coords.Place(x); !taken[p] {
						return fmt.Errorf("%s has no neighbour at %s: a switch is missing", m.name(int32(s)), p)
					}
				}
				x[dim] = old
			}
		}
	}
	return fmt.Errorf("the coordinates of %s and the others do not fill a box", m.name(0))
}

// splitFours turns rings of 4 into two dimensions of 2, by Gray code.
func (m *grid) splitFours() {
	for dim := 0; dim < m.Dims; dim++ {
		if !m.Wrap[dim] || m.Size[dim] != 4 {
			continue
		}
		coord := make([]int32, 0, len(m.Coord)+len(m.sw))
		for s := range m.sw {
			x := m.Coords(int32(s))
			coord = append(coord, x[:dim]...)
			coord = append(coord, (x[dim]^x[dim]>>1)&1, x[dim]>>1)
			coord = append(coord, x[dim+1:]...)
		}
		m.Coord = coord
		m.Size = slices.Replace(m.Size, dim, dim+1, 2, 2)
		m.Wrap = slices.Replace(m.Wrap, dim, dim+1, false, false)
		m.Dims++
		m.SumUp(len(m.sw))
	}
}

// index fills at.
func (m *grid) index() {
	m.at = make([]int32, len(m.sw))
	for s := range m.sw {
		m.at[m.rank(m.Coords(int32(s)))] = int32(s)
	}
}

// addBundles sorts the channels of each switch by dimension and direction, and
// refuses a switch that lacks a link to a neighbour.
func (m *grid) addBundles() error {
	m.start = make([]int32, 1, 2*len(m.sw)*m.Dims+1)
	by := make([][]int32, 2*m.Dims)
	for s, sw := range m.sw {
		for k := range by {
			by[k] = by[k][:0]
		}
		for _, c := range m.g.OutOf(sw) {
			if dim, dir, ok := coords.Step(m.Coords(int32(s)), m.Coords(m.local[m.g.To[c]]), m.Size); ok {
				by[2*dim+dir] = append(by[2*dim+dir], c)
			}
		}
		for k, channels := range by {
			if y, ok := m.step(k/2, m.Coord[s*m.Dims+k/2], k%2); ok && len(channels) == 0 {
				x := slices.Clone(m.Coords(int32(s)))
				x[k/2] = y
				return fmt.Errorf("%s has no link to its neighbour %s", m.name(int32(s)), m.name(m.at[m.rank(x)]))
			}
			m.bundle = append(m.bundle, channels...)
			m.start = append(m.start, int32(len(m.bundle)))
		}
	}
	return nil
}

// name names a switch with its coordinates.
func (m *grid) name(s int32) string {
	return route.SwitchName(m.g, m.sw[s]) + " at " + coords.Place(m.Coords(s))
}
