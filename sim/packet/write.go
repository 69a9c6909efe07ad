package packet

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// WriteBlock changes 64 entries of the forwarding table of a switch, as a manager does. Packets
// already in a buffer of the switch keep their port. LIDs above the top LID of the first Plan are
// ignored.
func (s *Sim) WriteBlock(sw int32, index int, b *route.Block) {
	if at := index * route.BlockSize; s.hasSwitch(sw) && index >= 0 && at < int(s.top) {
		copy(s.lft[int(sw)*int(s.top)+at:int(sw)*int(s.top)+int(s.top)], b[:])
	}
}

// Port returns the current egress port of a switch for a LID.
func (s *Sim) Port(sw int32, lid fabric.LID) uint8 {
	if !s.hasSwitch(sw) || int32(lid) >= s.top {
		return route.NoPort
	}
	return s.lft[int(sw)*int(s.top)+int(lid)]
}

// WriteLanes gives a switch the SL2VL and VL arbitration tables of another Plan of the fabric, as a
// manager does. Packets in its buffers keep their lanes; they wait if the new arbitration table
// does not serve their lane. Config.VLs must cover both Plans.
func (s *Sim) WriteLanes(sw int32, p *route.Plan) {
	if s.hasSwitch(sw) {
		s.adopt(int(sw), p)
		for port := range s.g.SwitchPorts[sw] + 1 {
			s.send(s.g.PortStart[sw] + port) // its table may now serve a lane that could not send before
		}
	}
}

// WriteHost gives an end port the lane tables of another Plan of the fabric. Messages that it is
// told to send from now on use the LIDs and service levels of that Plan, as if it had asked for its
// paths again.
func (s *Sim) WriteHost(end int32, p *route.Plan) {
	if end >= 0 && end < int32(s.g.NumEnds) {
		for _, do := range s.beforeLanes {
			do(s, end)
		}
		s.adopt(s.g.NumSwitches+int(end), p)
		s.send(s.firstEnd + end)
	}
}

// adopt makes a switch or end port use the lanes of a Plan.
func (s *Sim) adopt(at int, p *route.Plan) {
	if err := fits(s.g, p); err != nil {
		s.Fail(err)
		return
	}
	if vls := Lanes(p); vls > int(s.vls) {
		s.Fail(fmt.Errorf("packet: the new Plan has %d VLs, ports have %d: set Config.VLs", vls, s.vls))
		return
	}
	s.plans[at], s.oneTurn = p, s.oneTurn && sendsVL0(p)
}
