// Package intersubnet routes packets between subnets that have Plans of their own. It chooses the
// gateways, which are the router ports that a subnet sends packets for a GID to, and the ports
// through which routers send them on. Layers of lanes keep the whole free of deadlock.
//
// It builds on Bogdański, Johnsen, Reinemo and Flich, "Making the Network Scalable: Inter-subnet
// Routing in InfiniBand" (Euro-Par 2013; paper V of paper 004):
//
//   - the gateways of its listing "code 1" (mapping.go): find_router with whole GIDs, several
//     defaults and backup routes;
//   - Baseline: as OpenSM, one router port for each target subnet;
//   - ISSR (section 4.1): gateways round robin; a router hashes source and destination LID over its
//     ports;
//   - ISFR (section 4.2): routers use the port at the switch of the primary path;
//   - Nearest, of weft: the shortest paths; Auto: ISFR into fat-trees, Nearest into other subnets.
//
// # Deviations
//
// ISSR's random number comes from both LIDs, not only from their sum (Request.SumOfLIDs): with the
// sum, all pairs of equal sum share a port. ISFR's gateways are no plain round robin. Each target
// has a home port, dealt out round robin over the router ports at the switch of its primary path,
// and the subnets around use the same router. So on a whole tree each link down from a router
// carries as few targets as possible; the paper's order achieves that only if the numbers fit. The
// paper's managers ask through the routers; here the planning function reads the local tables.
// Transit subnets, which the paper leaves to a super subnet manager, are planned: routers get the
// gateways of the subnet in between. Freedom from deadlock on subnets that are no trees is not in
// the paper; see lanes.go and docs/design/2026-11-24-intersubnet.md.
//
// # Cost
//
// O(subnets squared x end ports) for gateways, times the gateways of a subnet with Nearest. ISFR
// adds O(leaves x end ports x hops) for each kind of subnet. Memory: 4 bytes for each end port and
// distinct row of gateways. Equal subnets behind the same routers have equal rows, because a row
// holds places. If a router has several ports into the next subnet, also a byte for each end port
// and distinct row of Egress.
package intersubnet

import (
	"weft/fabric"
	"weft/fabric/subnets"
	"weft/route"
)

// Plan holds the routing of all subnets and routers.
type Plan struct {
	Net   *subnets.Network
	Local []*route.Plan // by subnet; subnets of one Kind may share one
	// Gateway holds, by subnet, target subnet and target end port, the place in Subnet.Ports of the
	// router port that packets go to; -1 for none. A row is nil if there is no path, and in the
	// subnet itself. Equal rows are shared: never write to a row.
	Gateway [][][]int32
	// BySwitch holds, by subnet and target subnet, nil or a replacement for the row of Gateway: a
	// gateway for each switch of the senders and target end port, at switch x end ports of the
	// target + end port. It is nil if no switch has gateways of its own.
	BySwitch [][][]int32
	Egress   [][]Egress // by router and target subnet
	// LayerMap holds the new layer of lanes of packets that cross a router, by the subnet that they
	// leave, the subnet that they enter, and their layer so far. All start on layer 0. SL s of the
	// local Plan on layer l is l*SLs+s.
	LayerMap [][][route.NumSLs]uint8
	Layers   int
	SLs      int
	// SumOfLIDs makes Hash use the sum of both LIDs.
	SumOfLIDs bool
	Down      []bool // by router port: not used
}

// Egress holds the ports through which a router sends packets for one target subnet.
type Egress struct {
	Ports []int32 // admissible ports of the router; none where it has no way
	Pick  []uint8 // by target end port: index in Ports; nil: by Hash. Equal rows are shared.
}

// Address names an end port of a subnet.
type Address struct{ Subnet, End int32 }

// Hash chooses one of n ports for packets from a source to a destination LID: the same one each
// time.
func (p *Plan) Hash(source, destination fabric.LID, n int) int {
	if p.SumOfLIDs {
		return hash(uint64(source)+uint64(destination), n)
	}
	return Hash(source, destination, n)
}

// Hash is Plan.Hash of both LIDs, not of their sum.
func Hash(source, destination fabric.LID, n int) int {
	return hash(uint64(source)<<16|uint64(destination), n)
}

func hash(x uint64, n int) int {
	x += 0x9e3779b97f4a7c15 // splitmix64 (Steele, Lea and Flood, OOPSLA 2014)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

// DLID returns the destination LID of packets from an end port to a target: the target's own, or
// that of the gateway in the end port's subnet; 0 for none.
func (p *Plan) DLID(from, to Address) fabric.LID {
	end := to.End
	if from.Subnet != to.Subnet {
		port := p.gatewayOf(from.Subnet, switchOf(p.Net, from), to)
		if port < 0 {
			return 0
		}
		end = p.Net.Ports[port].End
	}
	return p.Local[from.Subnet].Ends.Base[end]
}

// GatewayPort returns the router port that a subnet uses for a target in another, unless BySwitch
// has another; -1 for none.
func (p *Plan) GatewayPort(subnet int32, to Address) int32 {
	row := p.Gateway[subnet][to.Subnet]
	if row == nil || row[to.End] < 0 {
		return -1
	}
	return p.Net.Subnets[subnet].Ports[row[to.End]]
}

// SL returns the service level of packets from an end port to a LID of its subnet, on a layer.
func (p *Plan) SL(subnet, end int32, lid fabric.LID, layer uint8) uint8 {
	return layer*uint8(p.SLs) + p.Local[subnet].SL.At(end, lid)
}

// Send says how a packet leaves a router: the port, and its new LIDs and SL.
type Send struct {
	Port                int32 // -1: the router drops it
	Source, Destination fabric.LID
	SL                  uint8
}

// Forward chooses the port through which a router sends a packet on, and its new LIDs and SL. The
// packet entered through port in, with a source LID and an SL, and is for a target.
func (p *Plan) Forward(in int32, source fabric.LID, sl uint8, to Address) Send {
	from := &p.Net.Ports[in]
	e := &p.Egress[from.Router][to.Subnet]
	if len(e.Ports) == 0 {
		return Send{Port: -1}
	}
	port := e.Ports[0]
	if e.Pick != nil {
		port = e.Ports[e.Pick[to.End]]
	} else {
		port = e.Ports[p.Hash(source, p.sentTo(port, to), len(e.Ports))]
	}
	at, lid := &p.Net.Ports[port], p.sentTo(port, to)
	if lid == 0 || p.Down[port] {
		return Send{Port: -1}
	}
	layer := p.LayerMap[from.Subnet][at.Subnet][sl/uint8(p.SLs)]
	return Send{port, p.Local[at.Subnet].Ends.Base[at.End], lid, p.SL(at.Subnet, at.End, lid, layer)}
}

// sentTo is DLID from a router port; 0 if the port is gone.
func (p *Plan) sentTo(port int32, to Address) fabric.LID {
	at := &p.Net.Ports[port]
	if at.End < 0 {
		return 0
	}
	return p.DLID(Address{at.Subnet, at.End}, to)
}

// Hop is a link of a path, named by its sender: a port of a switch, or an end port.
type Hop struct {
	Subnet int32
	Switch int32 // -1: end port End sends
	Port   uint8
	End    int32 // the sender, or the end port behind the port, or -1
	SL     uint8
}

// Path returns the links of packets from a source to a target, links of end ports included. It
// fills buf from its start; ok is false if the packets do not arrive.
func (p *Plan) Path(from, to Address, buf []Hop) (path []Hop, ok bool) {
	path = buf[:0]
	at := from
	lid := p.DLID(from, to)
	if lid == 0 || from == to {
		return path, from == to
	}
	sl := p.SL(from.Subnet, from.End, lid, 0)
	for range len(p.Net.Routers) + 1 { // packets that come to a router twice loop
		end, more := p.walk(at, lid, sl, path)
		path = more
		if end < 0 {
			return path, false
		}
		if at.Subnet == to.Subnet && end == to.End {
			return path, true
		}
		if !p.Net.IsRouter(at.Subnet, end) || p.Local[at.Subnet].Ends.Base[end] != lid { // a port drops packets for others
			return path, false
		}
		port := p.Net.Subnets[at.Subnet].PortOf[end]
		if p.Down[port] {
			return path, false
		}
		send := p.Forward(port, p.Local[at.Subnet].Ends.Base[at.End], sl, to)
		if send.Port < 0 {
			return path, false
		}
		next := &p.Net.Ports[send.Port]
		at, lid, sl = Address{next.Subnet, next.End}, send.Destination, send.SL
	}
	return path, false
}

// walk appends the links from an end port to a LID of its subnet. It returns the end port that
// takes the packets, -1 for none.
func (p *Plan) walk(at Address, lid fabric.LID, sl uint8, path []Hop) (int32, []Hop) {
	g, tables := p.Net.Graph(at.Subnet), p.Local[at.Subnet].Tables
	if !g.IsPortZero(at.End) {
		path = append(path, Hop{at.Subnet, -1, 0, at.End, sl})
	}
	s := g.EndSwitch[at.End]
	for range g.NumSwitches + 1 {
		port := tables.Port(s, lid)
		if port == 0 {
			return g.PortZero(s), path
		}
		if port == route.NoPort {
			return -1, path
		}
		c, host := g.At(s, port)
		if c < 0 && host < 0 {
			return -1, path
		}
		path = append(path, Hop{at.Subnet, s, port, host, sl})
		if host >= 0 {
			return host, path
		}
		s = g.To[c]
	}
	return -1, path
}
