package packet

import "weft/fabric"

// Relay makes some switches of the Graph routers between subnets. A router does not look into a forwarding table: it is asked by which port a
// packet leaves, and the packet gets new LIDs and an SL there, as the local routing header does.
//
// The Plan of such a run gives every subnet LIDs of its own; all LIDs together are at most as many as one subnet has.
type Relay interface {
	// First returns the LID and the SL by which an end port sends to another; LID 0 where there is no way.
	First(src, dst int32) (fabric.LID, uint8)
	// IsRouter reports whether a switch is a router.
	IsRouter(s int32) bool
	// Forward returns the port by which a router sends on a packet for an end port that came in by a port, with its new
	// header; ok is false where it drops it.
	Forward(s int32, in uint8, h Header, dst int32) (out uint8, next Header, ok bool)
}

// Header holds the fields of a packet that routers change.
type Header struct {
	Source, Destination fabric.LID
	SL                  uint8
}

// UseRelay has packets cross routers. It is called before Run.
func (s *Sim) UseRelay(r Relay) { s.relay = r }

// firstHeader is the LID and the SL of a message at a level of service, of which there is one where there are routers.
func (s *Sim) firstHeader(level uint8, src, dst int32) (fabric.LID, uint8) {
	if s.relay != nil {
		return s.relay.First(src, dst)
	}
	lid := s.lid(src, dst)
	return lid, s.sl(level, src, lid)
}

// routeBetween is route for a router.
func (s *Sim) routeBetween(sw int32, in uint8, p *packet) (out int32, vl uint8, why loss) {
	port, next, ok := s.relay.Forward(sw, in, Header{p.from, p.lid, p.sl}, s.messages[p.message].Dst)
	if !ok || int32(port) > s.g.SwitchPorts[sw] {
		return none, 0, lostNoEntry
	}
	p.from, p.lid, p.sl = next.Source, next.Destination, next.SL
	return s.egress(sw, in, port, p.sl)
}
