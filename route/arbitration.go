package route

import "weft/fabric"

// ArbEntry is one entry of a VL arbitration table: the VL may send Weight * 64 bytes before the
// next entry's turn. Weight 0 skips the entry.
type ArbEntry struct{ VL, Weight uint8 }

// ArbTable orders the VLs of an output port for sending (IBA volume 1, section 7.6.9). High goes
// before Low until it has sent Limit * 4,096 bytes while Low had packets waiting. Limit 0 means one
// packet, 255 no limit.
type ArbTable struct {
	High, Low []ArbEntry
	Limit     uint8
}

// Weight returns the total weight of a VL in one round of both lists, 0 if it never sends.
func (t *ArbTable) Weight(vl uint8) int {
	sum := 0
	for _, list := range [2][]ArbEntry{t.High, t.Low} {
		for _, e := range list {
			if e.VL == vl {
				sum += int(e.Weight)
			}
		}
	}
	return sum
}

// VLArbitration holds the VL arbitration tables of all output ports, from a pool.
type VLArbitration struct {
	Pool   []ArbTable
	Host   []uint16 // by host: the table of its own port
	Switch []uint16 // by switch and port: Switch[PortStart[s]+port] of the Graph
}

// maxArbEntries is the maximum length of a list of a VL arbitration table.
const maxArbEntries = 64

// UsualWeight is the weight of one VL's turn where all VLs are equal, in units of 64 bytes: half
// the largest MTU.
const UsualWeight = 32

// EqualArbitration returns tables with an equal turn, at low priority, for every VL in use by a
// Plan with so many lanes.
func EqualArbitration(g *fabric.Graph, lanes int) *VLArbitration {
	a := &VLArbitration{Host: make([]uint16, g.NumHosts), Switch: make([]uint16, len(g.Attached))}
	place := make([]int, int(DropVL)+1) // by number of VLs: 1 + index in the pool
	for slot, what := range g.Attached {
		n := lanes
		if vls := int(g.PortVLs[slot]); what != fabric.Nothing && vls > 0 {
			n = min(n, vls)
		}
		if place[n] == 0 {
			var t ArbTable
			for vl := range n {
				t.Low = append(t.Low, ArbEntry{uint8(vl), UsualWeight})
			}
			a.Pool = append(a.Pool, t)
			place[n] = len(a.Pool)
		}
		a.Switch[slot] = uint16(place[n] - 1)
	}
	for h := range int32(g.NumHosts) {
		a.Host[h] = a.Switch[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])]
	}
	return a
}

// OfHost returns the table of a host's own port.
func (a *VLArbitration) OfHost(h int32) *ArbTable { return &a.Pool[a.Host[h]] }

// OfSwitch returns the table of a port of switch s.
func (a *VLArbitration) OfSwitch(g *fabric.Graph, s int32, port uint8) *ArbTable {
	return &a.Pool[a.Switch[g.PortStart[s]+int32(port)]]
}
