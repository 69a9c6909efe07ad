package batch

import (
	"slices"

	"weft/fabric"
	"weft/fabric/rails"
)

// network says which planes and rails a fabric has, by node index of its switches.
type network struct {
	planes int
	plane  []int32 // rails.None for a switch that no host reaches, and for other nodes
	rail   []int32 // rails.None outside all rails
	first  []int32 // by plane: the rail with the most host ports, rails.None without rails
}

func networkOf(f *fabric.Fabric) network {
	g := f.Compile()
	m := rails.Of(g, g.Servers())
	n := network{
		planes: m.Planes, plane: slices.Repeat([]int32{rails.None}, len(f.Nodes)), rail: slices.Repeat([]int32{rails.None}, len(f.Nodes)),
		first: slices.Repeat([]int32{rails.None}, m.Planes),
	}
	ports := make([][]int32, m.Planes) // host ports by rail
	for i := range ports {
		ports[i] = make([]int32, len(m.Rails))
	}
	for sw := range int32(g.NumSwitches) {
		id, _ := f.NodeByGUID(g.SwitchGUID[sw])
		n.plane[id], n.rail[id] = m.PlaneOf[sw], m.RailOf[sw]
		if p, r := m.PlaneOf[sw], m.RailOf[sw]; p != rails.None && r != rails.None {
			ports[p][r] += g.HostCount(sw)
		}
	}
	for p, counts := range ports {
		for r, count := range counts {
			if best := n.first[p]; count > 0 && (best == rails.None || count > counts[best]) {
				n.first[p] = int32(r)
			}
		}
	}
	return n
}

// isOtherRail reports whether the hosts of a switch are not on the rail that represents their
// plane.
func (n *network) isOtherRail(id fabric.NodeID) bool {
	return n.plane[id] != rails.None && n.rail[id] != rails.None && n.rail[id] != n.first[n.plane[id]]
}

// several reports whether a plane has several rails.
func (n *network) several() bool {
	for id := range n.rail {
		if n.isOtherRail(fabric.NodeID(id)) {
			return true
		}
	}
	return false
}
