package fabric

import (
	"fmt"
	"strings"
)

// Signs of aggregation nodes: vendor, device, description. NVIDIA's (formerly Mellanox's) switches
// from Switch-IB 2 on contain one each: a CA inside the switch that adds up data of hosts for
// collective operations (SHARP; Graham et al., Scalable Hierarchical Aggregation Protocol, 2016).
// Dumps of Quantum and Quantum-2 switches show it on the port after the last one of the case: 41 of
// MQM8700, 65 of MQM9700.
const (
	AggregationDesc          = "Aggregation Node" // part of the description
	AggregationVendor uint32 = 0x2c9
	AggregationDevice uint32 = 0xcf09
)

// AggregationCaption is the whole description that the firmware gives such a node.
const AggregationCaption = "Mellanox Technologies " + AggregationDesc

// IsAggregationNode reports whether a node is a CA inside a switch that adds up data of hosts, and
// so no host. All of weft decides by this function. A node is one if its vendor and device say so,
// or if its description does and no other vendor is named. Ports and system images do not count.
func (f *Fabric) IsAggregationNode(id NodeID) bool {
	n := &f.Nodes[id]
	switch {
	case n.Type != CA:
		return false
	case n.VendorID == AggregationVendor && n.DeviceID == AggregationDevice:
		return true
	}
	return strings.Contains(n.Desc, AggregationDesc) && (n.VendorID == 0 || n.VendorID == AggregationVendor)
}

// AggregationEvidence describes for reports why a node is an aggregation node: the signs that
// IsAggregationNode checks, and its port and system image. It returns "" for other nodes.
func (f *Fabric) AggregationEvidence(id NodeID) string {
	if !f.IsAggregationNode(id) {
		return ""
	}
	n := &f.Nodes[id]
	var signs []string
	if n.VendorID == AggregationVendor && n.DeviceID == AggregationDevice {
		signs = append(signs, fmt.Sprintf("vendor 0x%x and device 0x%x", n.VendorID, n.DeviceID))
	}
	if strings.Contains(n.Desc, AggregationDesc) {
		signs = append(signs, fmt.Sprintf("description %q", n.Desc))
	}
	for p := range f.Cabled(id, nil) {
		at := f.Peer(End{id, p})
		s := &f.Nodes[at.Node]
		if s.Type != Switch {
			continue
		}
		if int(at.Port) == s.NumPorts() {
			signs = append(signs, "on the last port of its switch")
		}
		if n.SystemGUID != 0 && n.SystemGUID == s.SystemGUID {
			signs = append(signs, "system image GUID of its switch")
		}
	}
	return strings.Join(signs, ", ")
}
