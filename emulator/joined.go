package emulator

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// Joined is several Subnets in one time, joined by routers. A router forwards a datagram with a
// global route header that arrives at one of its ports for another GID. The router's Way chooses
// the output port, the LID and the SL. The hop limit falls by one.
type Joined struct {
	Subnets []*Subnet
}

// RouterPort is a port of a router, named as an end port of its subnet.
type RouterPort struct {
	Subnet int // index in Joined.Subnets
	At     fabric.End
}

// Onward is a router's next hop for a datagram: the output port, and the LID and SL there.
type Onward struct {
	Port int
	LID  uint16
	SL   uint8
}

// Way finds the next hop in a router for datagrams to a GID, given their input port, source LID and
// SL; ok is false if there is none.
type Way func(in int, source uint16, sl uint8, to mad.GID) (on Onward, ok bool)

// Agent answers a request of mad.ClassRouter at a port of a router, in place. from is the sender's
// LID, master the LID of the port's subnet manager.
type Agent func(in int, from, master uint16, m mad.Datagram) mad.Status

// answerHops is the hop limit of answers.
const answerHops = 64

// router is a router of a Joined.
type router struct {
	*Joined
	ports []RouterPort
	way   Way
	agent Agent
}

// routerPort is a port of a router, in its Subnet.
type routerPort struct {
	router *router
	number int // in router.ports
}

// AddRouter makes some end ports the ports of one router. A router without an agent does not answer
// to mad.ClassRouter.
func (j *Joined) AddRouter(ports []RouterPort, way Way, agent Agent) error {
	r := &router{j, ports, way, agent}
	for i, at := range ports {
		if at.Subnet < 0 || at.Subnet >= len(j.Subnets) {
			return fmt.Errorf("emulator: a router port in subnet %d, but there are %d subnets", at.Subnet, len(j.Subnets))
		}
		s := j.Subnets[at.Subnet]
		p, err := s.external(at.At)
		if err != nil {
			return err
		}
		if s.agentPort(p) != p || s.routers[p].router != nil {
			return fmt.Errorf("emulator: %s is a switch, or already belongs to a router", s.fab.EndName(at.At))
		}
		if s.routers == nil {
			s.routers = map[int32]routerPort{}
		}
		s.routers[p] = routerPort{r, i}
	}
	return nil
}

// passesOn lets a router forward a datagram, and reports whether it did.
func (s *Subnet) passesOn(t *arrival, d *wire.Datagram) bool {
	c := d.MAD.Class()
	if !d.Addr.GRH.Present || s.routers == nil || c == mad.ClassSMP || c == mad.ClassDirectedSMP {
		return false
	}
	at := s.routers[t.port]
	if at.router == nil || t.to == s.gid(t.port) {
		return false
	}
	at.router.pass(s, at.number, d, t.to)
	return true
}

// asksRouter lets a router answer a datagram at one of its ports, and reports whether it was for
// its agent.
func (s *Subnet) asksRouter(port int32, d *wire.Datagram, by origin) bool {
	at := s.routers[port]
	if d.MAD.Class() != mad.ClassRouter || d.MAD.Method().IsResponse() || at.router == nil || at.router.agent == nil {
		return false
	}
	if s.nodes[s.ports[port].node].silent {
		s.lose(d, by, LostSilent)
		return true
	}
	master := uint16(mad.PortInfoMasterSMLID.Get(s.ports[port].info[:]))
	s.answer(port, 0, d, by, at.router.agent(at.number, d.Addr.SLID, master, d.MAD))
	return true
}

// pass forwards a datagram that entered at a port. Losses in another subnet are reported to nobody.
func (r *router) pass(s *Subnet, in int, d *wire.Datagram, to mad.GID) {
	a := &d.Addr
	on, ok := r.way(in, a.SLID, a.SL, to)
	if !ok || on.Port < 0 || on.Port >= len(r.ports) || a.GRH.HopLimit <= 1 {
		s.lose(d, origin{client: -1}, LostRouter)
		return
	}
	a.GRH.HopLimit--
	out := r.ports[on.Port]
	next := r.Subnets[out.Subnet]
	next.Advance(s.now) // first its own events up to now
	from := next.nodes[out.At.Node].first + int32(out.At.Port)
	if next.nodes[out.At.Node].off {
		next.lose(d, origin{client: -1}, LostDown)
		return
	}
	a.SLID, a.DLID, a.SL = next.lid(from), on.LID, on.SL
	next.carry(from, d, origin{client: -1}, to)
}

// Next returns the time of Advance's next event; ok is false if there is none.
func (j *Joined) Next() (at time.Duration, ok bool) {
	for _, s := range j.Subnets {
		if t, some := s.Next(); some && (!ok || t < at) {
			at, ok = t, true
		}
	}
	return at, ok
}

// Advance moves the time of all subnets forward, and executes due events in order.
func (j *Joined) Advance(to time.Duration) {
	for {
		at, ok := j.Next()
		if !ok || at > to {
			break
		}
		for _, s := range j.Subnets {
			s.Advance(at)
		}
	}
	for _, s := range j.Subnets {
		s.Advance(to)
	}
}
