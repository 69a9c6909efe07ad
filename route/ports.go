package route

import "weft/fabric"

// PortParams are the parameters of a port besides LIDs and lanes. Times are codes of the
// specification: code v is 4.096 us * 2^v; 20 and more waits for ever.
type PortParams struct {
	MTU        uint8 // most that a packet may carry, as a code: 1 is 256 bytes, 5 is 4096; 0: as much as both ends can
	VLs        uint8 // operational data VLs, a number; 0: as many as both ends can
	HOQLife    uint8 // how long the first packet of a queue may wait at a switch's output before it is discarded
	StallCount uint8 // packets discarded in a row until a VL of a switch's output counts as stalled
}

// Ports are the parameters of all ports, from a pool, and those of whole nodes.
type Ports struct {
	Pool   []PortParams
	Host   []uint16 // by host: those of its own port
	Switch []uint16 // by switch and port: Switch[PortStart[s]+port] of the Graph
	// PacketLife bounds the time of a packet in a switch, a code of time.
	PacketLife uint8
}

// Codes of time that suit fabrics of any size: those of OpenSM's defaults.
const (
	usualPacketLife = 18 // 1 s
	usualHOQLife    = 18 // 1 s
	hostHOQLife     = 16 // 0.27 s: a host that takes nothing blocks no switch for long
	usualStallCount = 7
)

// UsualPorts gives the ports of a fabric the usual parameters: as large packets and as
// many VLs as both ends of a cable can, and less patience towards hosts than between
// switches.
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

// SwitchPortCount counts the ports of all switches, port 0 included: the length of arrays by
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
