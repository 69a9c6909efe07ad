package dor

import (
	"weft/fabric"
	"weft/route/engine/internal/coords"
)

const (
	up   = coords.Up
	down = coords.Down
)

// datelineFrom is the least length of a ring that needs a dateline (see doc.go).
const datelineFrom = 5

// grid is one connected part with its coordinates. Switches are numbered within
// the part, by their order in the Graph.
type grid struct {
	g     *fabric.Graph
	sw    []int32 // the switches as the Graph numbers them, ascending
	local []int32 // number in the part of every switch of the Graph
	dims  int
	size  []int32 // length of each dimension, 2 or more
	wrap  []bool  // whether it is a ring; only with 3 or more
	coord []int32 // coord[s*dims+i]
	at    []int32 // switch by rank (see rank)

	// Channels that lead from s to the next switch in a dimension and direction:
	// bundle[start[k]:start[k+1]], k = 2*(s*dims+dim)+dir.
	start  []int32
	bundle []int32

	// odd[s*(dims+1)+i] is the parity of the sum of coordinates i and later.
	odd []uint8
}

// coords are the coordinates of a switch.
func (m *grid) coords(s int32) []int32 { return m.coord[int(s)*m.dims : (int(s)+1)*m.dims] }

// rank numbers coordinates, the first dimension fastest.
func (m *grid) rank(x []int32) int32 {
	r := int32(0)
	for i := m.dims - 1; i >= 0; i-- {
		r = r*m.size[i] + x[i]
	}
	return r
}

// bundleAt gives the range of bundle that leads from s in a dimension and direction.
func (m *grid) bundleAt(s int32, dim, dir int) (lo, hi int32) {
	k := 2*(int(s)*m.dims+dim) + dir
	return m.start[k], m.start[k+1]
}

// dateline reports whether a dimension needs an SL bit.
func (m *grid) dateline(dim int) bool { return m.wrap[dim] && m.size[dim] >= datelineFrom }

// crosses reports whether the way from coordinate x to y of a ring takes the link
// between its last and first coordinate. It is symmetric. Ties go by parity.
func crosses(size, x, y int32, odd uint8) bool {
	apart := 2 * (max(x, y) - min(x, y))
	if apart == size {
		return (min(x, y)^int32(odd))&1 != 0
	}
	return apart > size
}

// parity is what ties in a dimension are broken by, symmetric in both switches.
func (m *grid) parity(s, d int32, dim int) uint8 {
	return m.odd[int(s)*(m.dims+1)+dim+1] ^ m.odd[int(d)*(m.dims+1)+dim+1]
}

// direction is the way from coordinate x to y, which differ.
func (m *grid) direction(dim int, x, y int32, odd uint8) int {
	rises := x < y
	if m.wrap[dim] && crosses(m.size[dim], x, y, odd) {
		rises = !rises
	}
	if rises {
		return up
	}
	return down
}

// next is the dimension and direction in which s sends what goes to d, another switch.
func (m *grid) next(s, d int32) (dim, dir int) {
	x, y := m.coords(s), m.coords(d)
	for x[dim] == y[dim] {
		dim++
	}
	return dim, m.direction(dim, x[dim], y[dim], m.parity(s, d, dim))
}

// step is the coordinate one further; ok is false beyond the end of a line.
func (m *grid) step(dim int, x int32, dir int) (y int32, ok bool) {
	y = x + 1 - 2*int32(dir)
	if y >= 0 && y < m.size[dim] {
		return y, true
	}
	if !m.wrap[dim] {
		return y, false
	}
	return m.size[dim] - 1 - x, true
}

// stride is the difference in rank of neighbours in a dimension.
func (m *grid) stride(dim int) int32 {
	n := int32(1)
	for _, k := range m.size[:dim] {
		n *= k
	}
	return n
}

// flows counts end ports: flow[i][s] are those of the switches that have the
// coordinates of s in dimension i and later ones. When dimension i is corrected
// their packets are all at s.
func (m *grid) flows() [][]int64 {
	flow := make([][]int64, m.dims)
	for i := range flow {
		flow[i] = make([]int64, len(m.sw))
		if i == 0 {
			for s, sw := range m.sw {
				flow[0][s] = 1 + int64(len(m.g.HostsOf(sw)))
			}
			continue
		}
		stride := m.stride(i - 1)
		for s := range m.sw {
			x := m.coord[s*m.dims+i-1]
			first := m.rank(m.coords(int32(s))) - x*stride
			for k := range m.size[i-1] {
				flow[i][s] += flow[i-1][m.at[first+k*stride]]
			}
		}
	}
	return flow
}

// through counts the end ports whose packets to d leave s in this direction.
func (m *grid) through(flow [][]int64, s, d int32, dim, dir int) int64 {
	stride := m.stride(dim)
	x, y := m.coord[int(s)*m.dims+dim], m.coord[int(d)*m.dims+dim]
	rank := m.rank(m.coords(s)) - x*stride
	odd := m.parity(s, d, dim)
	sum, ok := int64(0), true
	for ok && x != y && m.direction(dim, x, y, odd) == dir {
		sum += flow[dim][m.at[rank+x*stride]]
		x, ok = m.step(dim, x, 1-dir)
	}
	return sum
}
