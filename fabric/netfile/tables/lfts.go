// Package tables reads and writes forwarding tables, service levels of paths and SL to VL mapping
// tables, as OpenSM and infiniband-diags print them.
package tables

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// NoPort is the entry of a forwarding table for a LID without a path: 255, which makes a switch
// drop packets.
const NoPort uint8 = 255

// UnknownHops is the hop count of an entry if the file does not give it.
const UnknownHops uint8 = 255

// LFTs are the linear forwarding tables of a subnet's switches, from a file.
type LFTs struct {
	Switches []SwitchLFT // in the order of the file; each GUID once
	Targets  []Target    // ports of LIDs, as far as the file names them, in order of LID
}

// Target is the port with a LID.
type Target struct {
	LID  fabric.LID
	GUID fabric.GUID     // port GUID
	Type fabric.NodeType // 0 when unknown
	Desc string          // description of its node
}

// SwitchLFT is the table of one switch.
type SwitchLFT struct {
	GUID fabric.GUID
	LID  fabric.LID // base LID of port 0; 0 if the file does not give it
	Desc string
	// Ports is the egress port by LID, NoPort if there is none. LIDs beyond its length have no
	// entry.
	Ports []uint8
	// Claims are hop counts, nil when the file has none.
	Claims *Claims
}

// Claims are the hop counts of an .fdbs file, by LID, as long as Ports.
type Claims struct {
	Hops    []uint8 // hops of the entry's path, or UnknownHops
	Best    []uint8 // fewest hops possible, or UnknownHops
	BestVia []uint8 // port of a path with Best hops when Hops is more, else NoPort
}

// Port returns the egress port for a LID, NoPort if there is none.
func (s *SwitchLFT) Port(lid fabric.LID) uint8 {
	if int(lid) < len(s.Ports) {
		return s.Ports[lid]
	}
	return NoPort
}

// Entries counts the LIDs with a path.
func (s *SwitchLFT) Entries() int {
	n := 0
	for _, p := range s.Ports {
		if p != NoPort {
			n++
		}
	}
	return n
}

// top returns the highest LID with an entry.
func (s *SwitchLFT) top() int {
	for l := len(s.Ports) - 1; l > 0; l-- {
		if s.Ports[l] != NoPort {
			return l
		}
	}
	return 0
}

// TopLID returns the highest LID with a path from any switch.
func (t *LFTs) TopLID() fabric.LID {
	top := 0
	for i := range t.Switches {
		top = max(top, t.Switches[i].top())
	}
	return fabric.LID(top)
}

// target finds the port with a LID.
func (t *LFTs) target(lid fabric.LID) *Target {
	i, ok := slices.BinarySearchFunc(t.Targets, lid, func(x Target, l fabric.LID) int { return cmp.Compare(x.LID, l) })
	if !ok {
		return nil
	}
	return &t.Targets[i]
}

// Set sets an entry, growing the table.
func (s *SwitchLFT) Set(lid fabric.LID, port uint8) {
	s.Ports = growTo(s.Ports, int(lid)+1)
	s.Ports[lid] = port
}

// growTo lengthens a slice to n, filling with 255: no port, hops unknown.
func growTo(s []uint8, n int) []uint8 {
	for len(s) < n {
		s = append(s, NoPort)
	}
	return s
}

// nodeTypeNames are the names of node types in OpenSM and infiniband-diags.
var nodeTypeNames = [...]string{0: "UNKNOWN", fabric.CA: "Channel Adapter", fabric.Switch: "Switch", fabric.Router: "Router"}
