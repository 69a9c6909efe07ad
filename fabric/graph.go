package fabric

// Graph holds the parts of a Fabric that are up, for algorithms, as flat arrays. It is immutable.
// All indices are int32.
//
//   - Switches are 0 .. NumSwitches-1 in order of node GUID.
//   - A channel is one direction of a switch-to-switch link: 0 .. NumChannels-1,
//     c^1 is the reverse of c. Channels are numbered in order of the switch and
//     port of the link's lower end, and even channels leave that end. A cable
//     between two ports of one switch gives two channels with From equal to To.
//   - An end port has LIDs: 0 .. NumHosts-1 are the CA and router ports attached
//     to a switch, in order of node GUID and port; NumHosts+s is port 0 of switch
//     s. NumEnds = NumHosts + NumSwitches. The first NumHosts are hosts, except
//     aggregation nodes (see Fabric.IsAggregationNode): these have LIDs and are
//     routed like port 0 of their switch, and never count as hosts.
//
// CA ports cabled to another CA, ports without a cable, and parts that are down are not in the
// Graph.
type Graph struct {
	Name string

	NumSwitches int
	NumChannels int
	NumHosts    int
	NumEnds     int

	// By switch.
	SwitchGUID   []GUID
	SwitchDesc   []string
	SwitchPorts  []int32 // number of external ports
	SwitchFDBCap []int32 // entries of the forwarding table, 0 when unknown
	SwitchRole   []Role  // role in a tree, as assigned
	Drained      []bool  // lets no traffic through, serves only its own end ports

	// By channel.
	From, To         []int32 // switches
	FromPort, ToPort []uint8
	ChanRate         []int32 // Mbit/s, 0 when unknown

	// Channels that leave a switch, by port: Out[OutStart[s]:OutStart[s+1]].
	OutStart []int32
	Out      []int32

	// By end port.
	EndSwitch   []int32 // switch that it is attached to; for port 0, its own
	EndPort     []uint8 // port of that switch; 0 for port 0
	EndNode     []int32 // its node: equal for the ports of one CA
	EndGUID     []GUID  // port GUID
	EndNodeGUID []GUID
	EndSystem   []GUID // system image GUID of its node, 0 when unknown
	EndType     []NodeType
	EndNum      []uint8  // port number on its own node
	EndDesc     []string // description of its node
	EndRate     []int32  // Mbit/s of its link, 0 when unknown and for port 0
	EndLID      []LID    // base LID as seen, 0 when none
	EndLMC      []uint8
	Aggregation []bool // end port of an aggregation node

	// End ports of a switch: SwitchEnds[EndsStart[s]:EndsStart[s+1]]. Its hosts by port come first,
	// then from OthersStart[s] on its aggregation nodes by port, and port 0.
	SwitchEnds             []int32
	EndsStart, OthersStart []int32

	// End ports of a node: NodeEnds[NodeStart[n]:NodeStart[n+1]]. Nodes with no
	// end port in the Graph are not counted.
	NumNodes  int
	NodeStart []int32
	NodeEnds  []int32

	// Target of a switch port: Attached[PortStart[s]+port]. See At.
	PortStart []int32
	Attached  []int32
	// Data VLs of that port's link (the lesser of both ends), 0 when unknown.
	PortVLs []uint8
}

// Nothing stands for a port that leads nowhere, see At.
const Nothing int32 = -1

// At returns the target of port p of switch s: a channel (c >= 0, host < 0), a host end port (c <
// 0, host >= 0), or port 0 itself or nothing (both < 0).
func (g *Graph) At(s int32, p uint8) (c, host int32) {
	if int32(p) > g.SwitchPorts[s] {
		return Nothing, Nothing
	}
	v := g.Attached[g.PortStart[s]+int32(p)]
	if v >= 0 {
		return v, Nothing
	}
	if v == Nothing {
		return Nothing, Nothing
	}
	return Nothing, -2 - v
}

// HostVLs returns the number of data VLs of the switch port at a host, 0 if unknown.
func (g *Graph) HostVLs(h int32) uint8 {
	return g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])]
}

// LeastVLs returns the number of data VLs that every link between switches is known to have, 0 if
// nothing is known.
func (g *Graph) LeastVLs() int {
	least := 0
	for c := range g.NumChannels {
		v := int(g.PortVLs[g.PortStart[g.From[c]]+int32(g.FromPort[c])])
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	return least
}

// OutOf returns the channels that leave switch s, by port.
func (g *Graph) OutOf(s int32) []int32 { return g.Out[g.OutStart[s]:g.OutStart[s+1]] }

// HostsOf returns the host end ports attached to switch s, by port.
func (g *Graph) HostsOf(s int32) []int32 { return g.SwitchEnds[g.EndsStart[s]:g.OthersStart[s]] }

// HostCount returns the number of hosts attached to switch s.
func (g *Graph) HostCount(s int32) int32 { return g.OthersStart[s] - g.EndsStart[s] }

// OthersOf returns the end ports of switch s that are not hosts: aggregation nodes by port, then
// port 0.
func (g *Graph) OthersOf(s int32) []int32 { return g.SwitchEnds[g.OthersStart[s]:g.EndsStart[s+1]] }

// AttachedTo returns the end ports of CAs and routers attached to switch s: hosts by port, then
// aggregation nodes by port.
func (g *Graph) AttachedTo(s int32) []int32 { return g.SwitchEnds[g.EndsStart[s] : g.EndsStart[s+1]-1] }

// IsHost reports whether an end port belongs to a host, not to an aggregation node or a switch.
func (g *Graph) IsHost(end int32) bool { return end < int32(g.NumHosts) && !g.Aggregation[end] }

// PortZero returns the end port of switch s itself.
func (g *Graph) PortZero(s int32) int32 { return int32(g.NumHosts) + s }

// IsPortZero reports whether an end port is port 0 of a switch.
func (g *Graph) IsPortZero(end int32) bool { return end >= int32(g.NumHosts) }
