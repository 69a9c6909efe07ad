package gen

import (
	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// addAggregation puts an aggregation node on a new last port of every switch without one, in order
// of GUID.
func addAggregation(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	next := 0
	for _, s := range nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsSwitch(f, id) && !hasAggregation(f, id) }) {
		if f.Nodes[s].NumPorts() == fabric.MaxPorts {
			return nil, problemf(a.pos, "%s has %d ports, and none can be added", f.NodeName(s), fabric.MaxPorts)
		}
		f.Nodes[s].Ports = append(f.Nodes[s].Ports, fabric.Port{GUID: f.Nodes[s].GUID, Link: fabric.NoLink})
		guid := guidOfAggregation(nextFree(f, guidOfAggregation, &next))
		id, err := f.AddNode(fabric.CA, guid, 1, fabric.AggregationCaption)
		if err != nil {
			return nil, err
		}
		n := &f.Nodes[id]
		n.SystemGUID, n.VendorID, n.DeviceID = f.Nodes[s].SystemGUID, fabric.AggregationVendor, fabric.AggregationDevice
		n.Ports[1].GUID = guid
		last := fabric.End{Node: s, Port: uint8(f.Nodes[s].NumPorts())}
		if _, err := f.Connect(last, fabric.End{Node: id, Port: 1}, 4, fabric.EDR); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// hasAggregation reports whether a switch has an aggregation node.
func hasAggregation(f *fabric.Fabric, s fabric.NodeID) bool {
	for p := range f.Cabled(s, nil) {
		if f.IsAggregationNode(f.Peer(fabric.End{Node: s, Port: p}).Node) {
			return true
		}
	}
	return false
}
