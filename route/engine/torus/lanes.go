package torus

import (
	"slices"

	"weft/route"
)

// lanes returns the number of lanes without and with turns against the order.
func (m *torus) lanes() (ordered, all int) {
	ordered = min(2, 1+len(m.Datelines(datelineFrom)))
	all = ordered
	if m.turns {
		all *= 2
	}
	return ordered, all
}

// sl returns the service level between two switches: a bit for each dateline that the
// short way crosses, whichever way is taken.
func (m *torus) sl(bits []int, s, d int32) uint8 {
	level := uint8(0)
	for b, dim := range bits {
		if m.Crosses(dim, m.Coords(s)[dim], m.Coords(d)[dim], m.Parity(s, d, dim)) {
			level |= 1 << b
		}
	}
	return level
}

// table returns the SL2VL table of a link in a dimension.
func (m *torus) table(bits []int, dim int, against bool) route.VLTable {
	ordered, _ := m.lanes()
	var t route.VLTable
	for sl := range t {
		for b := range bits {
			if bits[b] == dim {
				t[sl] = uint8(sl>>b) & 1
			}
		}
		if against {
			t[sl] += uint8(ordered)
		}
	}
	return t
}

// addLanes fills in SL and SL2VL if any part needs more than one lane. The class of
// a source and of a LID is its switch.
func addLanes(in *route.Input, tori []*torus, plan *route.Plan) error {
	g := in.Graph
	most := 1
	for _, m := range tori {
		ordered, all := m.lanes()
		if all > in.MaxVLs {
			return route.Refuse(Name, "allow as many, or use updn",
				"needs %d lanes, %d allowed: the torus of %s takes %d, twice that to step round a switch",
				all, in.MaxVLs, route.SwitchName(g, m.Switches[0]), ordered)
		}
		most = max(most, all)
	}
	if most == 1 {
		return nil
	}
	plan.VLs = most
	plan.SL = route.NewSLs(g.EndSwitch, in.Ends.SwitchByLID(g), g.NumSwitches, g.NumSwitches)
	plan.SL2VL = route.UniformVL(g, route.VLTable{})
	for _, m := range tori {
		bits := m.Datelines(datelineFrom)
		for d := range m.Switches {
			for s := range m.Switches {
				plan.SL.Set(m.Switches[s], m.Switches[d], m.sl(bits, int32(s), int32(d)))
			}
		}
		m.fillVLs(bits, plan.SL2VL)
	}
	return nil
}

// fillVLs makes the ports to switches choose the VL by the dimension's SL bit, and
// after a turn against the order one of the other lanes.
func (m *torus) fillVLs(bits []int, lanes *route.SL2VL) {
	ordered := make([]uint16, m.Dims)
	against := make([]uint16, m.Dims)
	for dim := range m.Dims {
		ordered[dim] = lanes.Intern(m.table(bits, dim, false))
		if m.turns {
			against[dim] = lanes.Intern(m.table(bits, dim, true))
		}
	}
	for s, sw := range m.Switches {
		ports := int(m.G.SwitchPorts[sw]) + 1
		dims := slices.Repeat([]int{-1}, ports) // by port: dimension, -1 for hosts
		for k := range 2 * m.Dims {
			for _, c := range m.Links(int32(2*s*m.Dims + k)) {
				dims[m.G.FromPort[c]] = k / 2
			}
		}
		by := route.SwitchSL2VL{By: route.ByOut, Index: make([]uint16, ports)}
		for out, dim := range dims {
			if dim >= 0 {
				by.Index[out] = ordered[dim]
			}
		}
		if m.turns {
			rows := make([]uint16, 0, ports*ports)
			for in := range ports {
				rows = append(rows, by.Index...)
				for out, dim := range dims {
					if dim >= 0 && dims[in] > dim {
						rows[in*ports+out] = against[dim]
					}
				}
			}
			by = route.SwitchSL2VL{By: route.ByInOut, Index: rows}
		}
		lanes.Switch[sw] = by
	}
}
