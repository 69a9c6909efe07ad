// Package datelines fills in the SLs and SL2VL tables of meshes and tori whose rings have
// datelines. An SL has a bit for each such dimension: whether a path crosses its dateline.
package datelines

import (
	"context"
	"slices"

	"weft/fabric/shape/coords"
	"weft/internal/par"
	"weft/route"
)

// slBits is the number of bits of a service level.
const slBits = 4

// FitSL refuses more datelines than an SL has bits. name is a switch of the part.
func FitSL(m *coords.Grid, engine, name string) error {
	if n := len(m.Datelines()); n > slBits {
		return route.Refuse(engine, "",
			"the torus of %s has %d dimensions that wrap with length %d or more: each needs an SL bit for its dateline, and an SL has %d",
			name, n, coords.DatelineFrom, slBits)
	}
	return nil
}

// FillSLs fills in the SLs between all switches of the part.
func FillSLs(ctx context.Context, m *coords.Grid, workers int, datelines []int, sl *route.SLs) error {
	return par.For(ctx, workers, len(m.Switches), func(_, d int) error {
		for s := range m.Switches {
			sl.Set(m.Switches[s], m.Switches[d], m.DatelineSL(datelines, int32(s), int32(d)))
		}
		return nil
	})
}

// FillVLs makes the ports to switches choose the VL by the SL bit of their dimension. After a turn
// against the order of the dimensions the VL is higher by against.
func FillVLs(m *coords.Grid, datelines []int, against uint8, lanes *route.SL2VL) {
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
		dims := dimensions(m, int32(s))
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

// dimensions lists by port of a switch the dimension of its link, -1 for hosts.
func dimensions(m *coords.Grid, s int32) []int {
	dims := slices.Repeat([]int{-1}, int(m.G.SwitchPorts[m.Switches[s]])+1)
	for k := range 2 * m.Dims {
		for _, c := range m.Links(int32(2*int(s)*m.Dims + k)) {
			dims[m.G.FromPort[c]] = k / 2
		}
	}
	return dims
}
