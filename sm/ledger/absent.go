package ledger

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sm/terms"
)

// DescribeAbsent returns the name of a missing end port, its sides, and all ports of its node, by
// the ledger before. Without one its name is that in the stored Plan, which may be nil.
func DescribeAbsent(before *Ledger, stored *planner.Kept, a route.Absent) (name string, ports []fabric.GUID, sides []terms.Side) {
	name, ports = "the port "+a.Name(), []fabric.GUID{a.GUID}
	if before == nil {
		if stored != nil {
			name = nameIn(stored.Graph(), a)
		}
		return name, ports, nil
	}
	if id, ok := before.ByGUID[a.Node]; ok {
		name = before.NodeName(id)
		if node, ok := before.Fabric.NodeByGUID(a.Node); ok {
			sides = nodeSides(before.Fabric, node)
		}
		for slot := range before.PortsOf(id) {
			ports = append(ports, before.GUID[slot])
		}
	}
	return name, ports, sides
}

// nameIn returns the name that a missing end port has in an earlier Graph.
func nameIn(g *fabric.Graph, a route.Absent) string {
	for end, guid := range g.EndGUID {
		if guid == a.GUID && guid != 0 || g.EndNodeGUID[end] == a.Node && g.EndNum[end] == a.Port {
			return g.EndName(int32(end)).String()
		}
	}
	return "the port " + a.Name()
}
