package dor

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/route"
)

// grid is one connected part with its coordinates, without holes.
type grid struct{ *coords.Grid }

// findGrids gives coordinates to every connected part, in order of its first switch. It
// refuses a network of another shape.
func findGrids(g *fabric.Graph) ([]grid, error) {
	var grids []grid
	for _, part := range coords.Parts(g) {
		m, err := coords.Find(part, func(places [][]int32) (grid, error) { return newGrid(part, places) })
		if err != nil {
			return nil, route.Refuse(Name, "", "not a mesh or torus: %v", err)
		}
		grids = append(grids, m)
	}
	return grids, nil
}

// newGrid makes a grid of coordinates by switch. It refuses them unless every link
// joins neighbours and every neighbour is there. Rings of 4 become two dimensions.
func newGrid(part coords.Part, places [][]int32) (grid, error) {
	var m grid
	var err error
	if m.Grid, err = coords.NewGrid(part, places); err != nil {
		return m, err
	}
	if err := m.checkPlaces(); err != nil {
		return m, err
	}
	m.splitFours()
	if err := m.Index(); err != nil {
		return m, err
	}
	return m, m.checkNeighbours()
}

// checkPlaces refuses coordinates that do not fill the box, and names a switch next to a gap.
// Coordinates are distinct; if there is a gap, some switch is next to one, as each is linked to all
// others.
func (m grid) checkPlaces() error {
	places := 1
	for _, k := range m.Size {
		if places *= int(k); places > len(m.Switches) {
			return m.gap()
		}
	}
	return nil
}

func (m grid) gap() error {
	taken := make(map[string]bool, len(m.Switches))
	for s := range m.Switches {
		taken[coords.Format(m.Coords(int32(s)))] = true
	}
	for s := range m.Switches {
		x := slices.Clone(m.Coords(int32(s)))
		for dim := range x {
			for _, dir := range [2]int{coords.Up, coords.Down} {
				old := x[dim]
				if y, ok := m.Next(dim, old, dir); ok {
					x[dim] = y
					if p := coords.Format(x); !taken[p] {
						return fmt.Errorf("%s has no neighbour at %s: a switch is missing", m.Name(int32(s)), p)
					}
				}
				x[dim] = old
			}
		}
	}
	return fmt.Errorf("the coordinates of %s and the others do not fill a box", m.Name(0))
}

// splitFours turns rings of 4 into two dimensions of 2, by Gray code.
func (m grid) splitFours() {
	for dim := 0; dim < m.Dims; dim++ {
		if !m.Wrap[dim] || m.Size[dim] != 4 {
			continue
		}
		coord := make([]int32, 0, len(m.Coord)+len(m.Switches))
		for s := range m.Switches {
			x := m.Coords(int32(s))
			coord = append(coord, x[:dim]...)
			coord = append(coord, (x[dim]^x[dim]>>1)&1, x[dim]>>1)
			coord = append(coord, x[dim+1:]...)
		}
		m.Coord = coord
		m.Size = slices.Replace(m.Size, dim, dim+1, 2, 2)
		m.Wrap = slices.Replace(m.Wrap, dim, dim+1, false, false)
		m.Dims++
		m.SetParities(len(m.Switches))
	}
}

// checkNeighbours refuses a switch that lacks a link to a neighbour.
func (m grid) checkNeighbours() error {
	for k := range int32(m.NumLinkGroups()) {
		s, dim, dir := k/int32(2*m.Dims), int(k/2)%m.Dims, int(k%2)
		if t := m.Beside(s, dim, dir); t >= 0 && len(m.Links(k)) == 0 {
			return fmt.Errorf("%s has no link to its neighbour %s", m.Name(s), m.Name(t))
		}
	}
	return nil
}

// next returns the dimension and direction of packets from s to another switch d.
func (m grid) next(s, d int32) (dim, dir int) {
	dim = m.FirstDiffering(s, d)
	return dim, m.Short(dim, m.Coords(s)[dim], m.Coords(d)[dim], m.Parity(s, d, dim))
}

// flows counts end ports: flow[i][s] is the number of those at switches with the same coordinates
// as s in dimension i and later ones. Once dimension i is next to correct, their packets are all at
// s.
func (m grid) flows() [][]int64 {
	flow := make([][]int64, m.Dims)
	for i := range flow {
		flow[i] = make([]int64, len(m.Switches))
		for s, sw := range m.Switches {
			if i == 0 {
				flow[0][s] = 1 + int64(len(m.G.HostsOf(sw)))
				continue
			}
			for x := range m.Size[i-1] {
				flow[i][s] += flow[i-1][m.Moved(int32(s), i-1, x)]
			}
		}
	}
	return flow
}

// through counts the end ports whose packets to d leave s in this direction.
func (m grid) through(flow [][]int64, s, d int32, dim, dir int) int64 {
	x, y := m.Coords(s)[dim], m.Coords(d)[dim]
	odd := m.Parity(s, d, dim)
	sum, ok := int64(0), true
	for ok && x != y && m.Short(dim, x, y, odd) == dir {
		sum += flow[dim][m.Moved(s, dim, x)]
		x, ok = m.Next(dim, x, 1-dir)
	}
	return sum
}
