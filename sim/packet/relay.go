package packet

import "weft/fabric"

// Relay makes some switches of the Graph routers between subnets. A router has no forwarding table:
// Relay returns a packet's output port, and the new LIDs and SL of its local routing header.
//
// The Plan of such a run uses distinct LIDs in all subnets; all of them together must fit into the
// LIDs of one subnet.
type Relay interface {
	// First returns the LID and the SL from an end port to another; LID 0 if there is no path.
	First(src, dst int32) (fabric.LID, uint8)
	// IsRouter reports whether a switch is a router.
	IsRouter(s int32) bool
	// Forward returns the output port and the new header of a packet that entered a router by a
	// port; ok is false if the router drops it.
	Forward(s int32, in uint8, h Header, dst int32) (out uint8, next Header, ok bool)
}

// Header holds the fields of a packet that routers change.
type Header struct {
	Source, Destination fabric.LID
	SL                  uint8
}

// UseRelay adds routers to a run. Call it before Run.
func (s *Sim) UseRelay(r Relay) { s.relay = r }

// firstHeader returns the LID and the SL of a message at a level of service. With routers there is
// only one level.
func (s *Sim) firstHeader(level uint8, src, dst int32) (fabric.LID, uint8) {
	if s.relay != nil {
		return s.relay.First(src, dst)
	}
	lid := s.lid(src, dst)
	return lid, s.sl(level, src, lid)
}

// routeBetween routes a packet at a router; see route.
func (s *Sim) routeBetween(sw int32, in uint8, p *packet) (out int32, vl uint8, why loss) {
	port, next, ok := s.relay.Forward(sw, in, Header{p.from, p.lid, p.sl}, s.messages[p.message].Dst)
	if !ok || int32(port) > s.g.SwitchPorts[sw] {
		return none, 0, lostNoEntry
	}
	p.from, p.lid, p.sl = next.Source, next.Destination, next.SL
	return s.egress(sw, in, port, p.sl)
}
