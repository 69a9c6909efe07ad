package fabric

import (
	"fmt"
	"strings"
)

// Signs of aggregation nodes: vendor, device, description. NVIDIA's (formerly Mellanox's) switches from
// Switch-IB 2 on have one each: a CA inside the switch that adds up what hosts send for
// collective operations (SHARP; Graham et al., Scalable Hierarchical Aggregation Protocol,
// 2016). Dumps of Quantum and Quantum-2 switches show it on the port after the last one of
// the case: 41 of MQM8700, 65 of MQM9700.
const (
	AggregationDesc          = "Aggregation Node" // part of the description
	AggregationVendor uint32 = 0x2c9
	AggregationDevice uint32 = 0xcf09
)

// AggregationCaption is the whole description that such a node has from its firmware.
const AggregationCaption = "Mellanox Technologies " + AggregationDesc

// IsAggregationNode reports whether a node is a CA inside a switch that adds up what hosts send,
// and so no host. It decides that alone, for all of weft: a node is one if vendor and device say so,
// or if the description does and no other vendor is named. Ports and system images do not decide.
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

// AggregationEvidence lists in words, for reports, the signs that a node is an aggregation node: those
// that IsAggregationNode decides by, and its port and system image, which it does not need. It is
// empty where IsAggregationNode says no.
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
