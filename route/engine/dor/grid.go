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
	at    []int32 // switch by rank (see rank)
	coords.Box

	// Channels that lead from s to the next switch in a dimension and direction:
	// bundle[start[k]:start[k+1]], k = 2*(s*Dims+dim)+dir.
	start  []int32
	bundle []int32
}

// rank numbers coordinates, the first dimension fastest.
func (m *grid) rank(x []int32) int32 {
	r := int32(0)
	for i := m.Dims - 1; i >= 0; i-- {
		r = r*m.Size[i] + x[i]
	}
	return r
}

// bundleAt gives the range of bundle that leads from s in a dimension and direction.
func (m *grid) bundleAt(s int32, dim, dir int) (lo, hi int32) {
	k := 2*(int(s)*m.Dims+dim) + dir
	return m.start[k], m.start[k+1]
}

// next is the dimension and direction in which s sends what goes to d, another switch.
func (m *grid) next(s, d int32) (dim, dir int) {
	x, y := m.Coords(s), m.Coords(d)
	for x[dim] == y[dim] {
		dim++
	}
	return dim, m.Short(dim, x[dim], y[dim], m.Parity(s, d, dim))
}

// step is the coordinate one further; ok is false beyond the end of a line.
func (m *grid) step(dim int, x int32, dir int) (y int32, ok bool) {
	y = x + 1 - 2*int32(dir)
	if y >= 0 && y < m.Size[dim] {
		return y, true
	}
	if !m.Wrap[dim] {
		return y, false
	}
	return m.Size[dim] - 1 - x, true
}

// stride is the difference in rank of neighbours in a dimension.
func (m *grid) stride(dim int) int32 {
	n := int32(1)
	for _, k := range m.Size[:dim] {
		n *= k
	}
	return n
}

// flows counts end ports: flow[i][s] are those of the switches that have the
// coordinates of s in dimension i and later ones. When dimension i is corrected
// their packets are all at s.
func (m *grid) flows() [][]int64 {
	flow := make([][]int64, m.Dims)
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
			x := m.Coord[s*m.Dims+i-1]
			first := m.rank(m.Coords(int32(s))) - x*stride
			for k := range m.Size[i-1] {
				flow[i][s] += flow[i-1][m.at[first+k*stride]]
			}
		}
	}
	return flow
}

// through counts the end ports whose packets to d leave s in this direction.
func (m *grid) through(flow [][]int64, s, d int32, dim, dir int) int64 {
	stride := m.stride(dim)
	x, y := m.Coord[int(s)*m.Dims+dim], m.Coord[int(d)*m.Dims+dim]
	rank := m.rank(m.Coords(s)) - x*stride
	odd := m.Parity(s, d, dim)
	sum, ok := int64(0), true
	for ok && x != y && m.Short(dim, x, y, odd) == dir {
		sum += flow[dim][m.at[rank+x*stride]]
		x, ok = m.step(dim, x, 1-dir)
	}
	return sum
}
