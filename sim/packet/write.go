package packet

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// WriteBlock changes 64 entries of the forwarding table of a switch, as a manager writes them. A packet that
// is in a buffer of the switch keeps its port. There is no room for LIDs above those of the Plan that the run began with.
func (s *Sim) WriteBlock(sw int32, index int, b *route.Block) {
	if at := index * route.BlockSize; s.hasSwitch(sw) && index >= 0 && at < int(s.top) {
		copy(s.lft[int(sw)*int(s.top)+at:int(sw)*int(s.top)+int(s.top)], b[:])
	}
}

// Port is the egress port of a switch for a LID at present.
func (s *Sim) Port(sw int32, lid fabric.LID) uint8 {
	if !s.hasSwitch(sw) || int32(lid) >= s.top {
		return route.NoPort
	}
	return s.lft[int(sw)*int(s.top)+int(lid)]
}

// WriteLanes gives a switch the SL2VL and VL arbitration tables of another Plan of the fabric, as a manager writes them. Packets that are in
// its buffers keep their lanes, and wait on one that the new arbitration table does not name. Config.VLs must be as many as either Plan has.
func (s *Sim) WriteLanes(sw int32, p *route.Plan) {
	if s.hasSwitch(sw) {
		s.adopt(int(sw), p)
		for port := range s.g.SwitchPorts[sw] + 1 {
			s.send(s.g.PortStart[sw] + port) // its table may let a lane send that could not before
		}
	}
}

// WriteHost gives an end port the lane tables of another Plan of the fabric. The messages that it is told to send from now on have the LIDs
// and service levels of that Plan, as if it asked for its paths again.
func (s *Sim) WriteHost(end int32, p *route.Plan) {
	if end >= 0 && end < int32(s.g.NumEnds) {
		for _, do := range s.beforeLanes {
			do(s, end)
		}
		s.adopt(s.g.NumSwitches+int(end), p)
		s.send(s.firstEnd + end)
	}
}

// adopt lets a switch or end port have the lanes of a Plan.
func (s *Sim) adopt(at int, p *route.Plan) {
	if err := fits(s.g, p); err != nil {
		s.Fail(err)
		return
	}
	if vls := Lanes(p); vls > int(s.vls) {
		s.Fail(fmt.Errorf("packet: a Plan of %d VLs is written where ports have %d: set Config.VLs", vls, s.vls))
		return
	}
	s.plans[at], s.oneTurn = p, s.oneTurn && sendsVL0(p)
}
