package route

import "weft/fabric"

// PortParams holds the parameters of a port besides LIDs and lanes. Times are codes of the
// specification: code v is 4.096 us * 2^v; 20 and more waits forever.
type PortParams struct {
	MTU        uint8 // maximum payload of a packet, as a code: 1 is 256 bytes, 5 is 4096; 0: the maximum of both ends
	VLs        uint8 // number of operational data VLs; 0: the maximum of both ends
	HOQLife    uint8 // how long the first packet of a switch's output queue may wait before the switch discards it
	StallCount uint8 // packets discarded in a row before a VL of a switch's output counts as stalled
}

// Ports holds the parameters of all ports, from a pool, and of whole nodes.
type Ports struct {
	Pool   []PortParams
	Host   []uint16 // by host: parameters of its own port
	Switch []uint16 // by switch and port: Switch[PortStart[s]+port] of the Graph
	// PacketLife limits a packet's time in a switch, as a code of time.
	PacketLife uint8
}

// Codes of time for fabrics of any size: OpenSM's defaults.
const (
	usualPacketLife = 18 // 1 s
	usualHOQLife    = 18 // 1 s
	hostHOQLife     = 16 // 0.27 s: a host that accepts no packets blocks no switch for long
	usualStallCount = 7
)

// UsualPorts gives all ports the usual parameters: the largest packets and the most VLs that both
// ends of a cable have, and less patience towards hosts than between switches.
func UsualPorts(g *fabric.Graph) *Ports {
	const between, toHost = 0, 1
	p := &Ports{
		Pool: []PortParams{
			between: {HOQLife: usualHOQLife, StallCount: usualStallCount},
			toHost:  {HOQLife: hostHOQLife, StallCount: usualStallCount},
		},
		Host: make([]uint16, g.NumHosts), Switch: make([]uint16, len(g.Attached)), PacketLife: usualPacketLife,
	}
	for h := range int32(g.NumHosts) {
		p.Switch[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = toHost
	}
	return p
}

// SwitchPortCount counts the ports of all switches, including port 0: the length of arrays by
// switch and port.
func SwitchPortCount(g *fabric.Graph) int {
	n := 0
	for _, ports := range g.SwitchPorts {
		n += int(ports) + 1
	}
	return n
}

// OfHost returns the parameters of a host's own port.
func (p *Ports) OfHost(h int32) *PortParams { return &p.Pool[p.Host[h]] }

// OfSwitch returns the parameters of a port of switch s.
func (p *Ports) OfSwitch(g *fabric.Graph, s int32, port uint8) *PortParams {
	return &p.Pool[p.Switch[g.PortStart[s]+int32(port)]]
}
