package coords

import (
	"context"
	"slices"

	"weft/internal/par"
	"weft/route"
)

// DatelineSL returns the SL of packets from s to d: for each of some dimensions, those with a dateline, a bit that says
// whether the short way crosses it.
func (b *Box) DatelineSL(datelines []int, s, d int32) uint8 {
	sl := uint8(0)
	for k, dim := range datelines {
		if b.crosses(dim, b.Coords(s)[dim], b.Coords(d)[dim], b.Parity(s, d, dim)) {
			sl |= 1 << k
		}
	}
	return sl
}

// FillSLs enters the SLs between all switches of the part.
func (m *Grid) FillSLs(ctx context.Context, workers int, datelines []int, sl *route.SLs) error {
	return par.For(ctx, workers, len(m.Switches), func(_, d int) error {
		for s := range m.Switches {
			sl.Set(m.Switches[s], m.Switches[d], m.DatelineSL(datelines, int32(s), int32(d)))
		}
		return nil
	})
}

// FillVLs makes the ports to switches choose the VL by the SL bit of their dimension. After a
// turn against the order of the dimensions the VL is so much higher (against).
func (m *Grid) FillVLs(datelines []int, against uint8, lanes *route.SL2VL) {
	first, second := make([]uint16, m.Dims), make([]uint16, m.Dims) // by dimension: in order, and against it
	for dim := range m.Dims {
		var table route.VLTable
		for k := range datelines {
			if datelines[k] == dim {
				for sl := range table {
					table[sl] = uint8(sl>>k) & 1
				}
			}
		}
		first[dim] = lanes.Intern(table)
		if against > 0 {
			for sl := range table {
				table[sl] += against
			}
			second[dim] = lanes.Intern(table)
		}
	}
	for s, sw := range m.Switches {
		dims := m.dimensions(int32(s))
		by := route.SwitchSL2VL{By: route.ByOut, Index: make([]uint16, len(dims))}
		for out, dim := range dims {
			if dim >= 0 {
				by.Index[out] = first[dim]
			}
		}
		if against > 0 {
			rows := make([]uint16, 0, len(dims)*len(dims))
			for in := range dims {
				rows = append(rows, by.Index...)
				for out, dim := range dims {
					if dim >= 0 && dims[in] > dim {
						rows[in*len(dims)+out] = second[dim]
					}
				}
			}
			by = route.SwitchSL2VL{By: route.ByInOut, Index: rows}
		}
		lanes.Switch[sw] = by
	}
}

// dimensions lists, by port of a switch, the dimension in which its link leads, -1 for hosts.
func (m *Grid) dimensions(s int32) []int {
	dims := slices.Repeat([]int{-1}, int(m.G.SwitchPorts[m.Switches[s]])+1)
	for k := range 2 * m.Dims {
		for _, c := range m.Links(int32(2*int(s)*m.Dims + k)) {
			dims[m.G.FromPort[c]] = k / 2
		}
	}
	return dims
}
