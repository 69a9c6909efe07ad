package between

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/route"
	"weft/sim/packet"
)

// Flat is a Plan as one network, to simulate packets of all subnets together: one Graph with
// switches for routers, and one Plan with a range of LIDs for each subnet. It is a packet.Relay.
type Flat struct {
	Graph  *fabric.Graph
	Plan   *route.Plan
	p      *intersubnet.Plan
	first  []int                 // by subnet: added to its LIDs
	place  []intersubnet.Address // by end port of Graph
	hosts  [][]int32             // by subnet and end port: end port of Graph, -1 for router ports
	router []int32               // by switch of Graph: router, -1
	ports  [][]int32             // by router and port number: router port
}

// flatBlock is the number of LIDs of an end port with the largest LMC: the ranges of subnets begin
// at multiples of it.
const flatBlock = 1 << fabric.MaxLMC

// Flatten makes the Flat of a Plan. It fails if all subnets together have more LIDs than one may
// have. Links have their own rates, or mbps if it is not 0.
func Flatten(p *intersubnet.Plan, mbps int32) (*Flat, error) {
	whole, err := subnets.Whole(p.Net)
	if err != nil {
		return nil, err
	}
	f := &Flat{Graph: whole.Compile(), p: p}
	g := f.Graph
	if mbps > 0 {
		f.setRates(mbps)
	}
	next := 0
	for s := range p.Net.Subnets {
		f.first = append(f.first, next)
		next += (int(p.Local[s].Ends.Top())/flatBlock + 1) * flatBlock
	}
	if next > int(fabric.MaxUnicastLID) {
		return nil, fmt.Errorf("intersubnet: all subnets together have LIDs up to %d, more than packets can be simulated with (%d)", next, fabric.MaxUnicastLID)
	}
	f.placeEnds()
	out := &route.Plan{Recipe: route.Recipe{Paths: "intersubnet", Names: route.LMCName(0)}, Tables: route.NewTables(g.NumSwitches, fabric.LID(next)), VLs: 1}
	out.Ends = route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}
	for e, at := range f.place {
		if at.Subnet >= 0 {
			local := p.Local[at.Subnet]
			out.Ends.Base[e], out.Ends.LMC[e] = local.Ends.Base[at.End]+fabric.LID(f.first[at.Subnet]), local.Ends.LMC[at.End]
			out.VLs = max(out.VLs, local.VLs)
		}
	}
	out.SL = route.UniformSL(&out.Ends, 0) // First says
	out.Service.ReplySameSL = true
	f.Plan = out
	f.fillTables()
	f.fillLanes()
	out.Arbitration, out.Ports = route.EqualArbitration(g, out.VLs), route.UsualPorts(g)
	return f, nil
}

// setRates sets the rates of all links.
func (f *Flat) setRates(mbps int32) {
	for c := range f.Graph.ChanRate {
		f.Graph.ChanRate[c] = mbps
	}
	for e := range f.Graph.NumHosts {
		f.Graph.EndRate[e] = mbps
	}
}

// placeEnds finds the end ports of the subnets in the Graph, and its routers.
func (f *Flat) placeEnds() {
	n, g := f.p.Net, f.Graph
	byGUID := map[fabric.GUID]int32{} // port GUID
	for e := range int32(g.NumEnds) {
		byGUID[g.EndGUID[e]] = e
	}
	f.place = slices.Repeat([]intersubnet.Address{{Subnet: -1, End: -1}}, g.NumEnds)
	for s := range n.Subnets {
		from := n.Graph(int32(s))
		hosts := slices.Repeat([]int32{-1}, from.NumEnds)
		for e := range int32(from.NumEnds) {
			if !n.IsRouter(int32(s), e) {
				at := byGUID[from.EndGUID[e]+n.Subnets[s].Shift]
				hosts[e], f.place[at] = at, intersubnet.Address{Subnet: int32(s), End: e}
			}
		}
		f.hosts = append(f.hosts, hosts)
	}
	f.router, f.ports = slices.Repeat([]int32{-1}, g.NumSwitches), make([][]int32, len(n.Routers))
	for s := range g.NumSwitches {
		for r := range n.Routers {
			if n.Routers[r].GUID == g.SwitchGUID[s] {
				f.router[s] = int32(r)
				f.ports[r] = slices.Repeat([]int32{-1}, int(g.SwitchPorts[s])+1)
				for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
					f.ports[r][n.Ports[p].Number] = p
				}
			}
		}
	}
}

// subnetOf returns the subnet of a switch of the Graph and its number there.
func (f *Flat) subnetOf(s int32) (subnet, local int32) {
	at := f.place[f.Graph.PortZero(s)]
	if at.Subnet < 0 {
		return -1, -1
	}
	return at.Subnet, f.p.Net.Graph(at.Subnet).EndSwitch[at.End]
}

// fillTables copies the forwarding tables of all subnets, each at its range of LIDs.
func (f *Flat) fillTables() {
	for s := range int32(f.Graph.NumSwitches) {
		subnet, local := f.subnetOf(s)
		if subnet < 0 {
			continue
		}
		plan := f.p.Local[subnet]
		for lid := range plan.Ends.Top() + 1 {
			if port := plan.Tables.Port(local, lid); port != route.NoPort {
				f.Plan.Tables.Set(s, lid+fabric.LID(f.first[subnet]), port)
			}
		}
	}
}

// fillLanes gives switches and hosts the SL2VL tables of their subnet, and each port of a router
// its own table as an end port.
func (f *Flat) fillLanes() {
	g, n := f.Graph, f.p.Net
	m := &route.SL2VL{Pool: []route.VLTable{{}}, Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	for e := range g.NumHosts {
		at := f.place[e]
		m.Host[e] = m.Intern(*f.p.Local[at.Subnet].SL2VL.HostTable(at.End))
	}
	for s := range int32(g.NumSwitches) {
		subnet, local := f.subnetOf(s)
		if subnet < 0 {
			index := make([]uint16, g.SwitchPorts[s]+1)
			for number, p := range f.ports[f.router[s]] {
				if p >= 0 {
					index[number] = m.Intern(*f.p.Local[n.Ports[p].Subnet].SL2VL.HostTable(n.Ports[p].End))
				}
			}
			m.Switch[s] = route.SwitchSL2VL{By: route.ByOut, Index: index}
			continue
		}
		from := f.p.Local[subnet].SL2VL
		m.Switch[s] = route.SwitchSL2VL{By: from.Switch[local].By, Index: slices.Clone(from.Switch[local].Index)}
		for i, at := range m.Switch[s].Index {
			m.Switch[s].Index[i] = m.Intern(from.Pool[at])
		}
	}
	f.Plan.SL2VL = m
}

// First returns the LID, in the range of the source's subnet, and the SL of packets to an end port
// of the Graph.
func (f *Flat) First(src, dst int32) (fabric.LID, uint8) { return f.firstBy(f.p, src, dst) }

// firstBy is First if the hosts follow p.
func (f *Flat) firstBy(p *intersubnet.Plan, src, dst int32) (fabric.LID, uint8) {
	from, to := f.place[src], f.place[dst]
	lid := p.DLID(from, to)
	if lid == 0 {
		return 0, 0
	}
	return lid + fabric.LID(f.first[from.Subnet]), p.SL(from.Subnet, from.End, lid, 0)
}

// IsRouter reports whether a switch of the Graph is a router.
func (f *Flat) IsRouter(s int32) bool { return f.router[s] >= 0 }

// Forward chooses the port through which a router sends a packet on, and its new header, as
// Plan.Forward does.
func (f *Flat) Forward(s int32, in uint8, h packet.Header, dst int32) (uint8, packet.Header, bool) {
	return f.forwardBy(f.p, s, in, h, dst)
}

// forwardBy is Forward if the routers follow p.
func (f *Flat) forwardBy(p *intersubnet.Plan, s int32, in uint8, h packet.Header, dst int32) (uint8, packet.Header, bool) {
	n := f.p.Net
	port := f.ports[f.router[s]][in]
	send := p.Forward(port, h.Source-fabric.LID(f.first[n.Ports[port].Subnet]), h.SL, f.place[dst])
	if send.Port < 0 {
		return 0, h, false
	}
	at := &n.Ports[send.Port]
	first := fabric.LID(f.first[at.Subnet])
	return at.Number, packet.Header{Source: send.Source + first, Destination: send.Destination + first, SL: send.SL}, true
}

// Hosts lists the hosts of a subnet as end ports of the Graph, by switch and port.
func (f *Flat) Hosts(subnet int32) (list []int32) {
	for _, at := range f.p.Hosts() {
		if at.Subnet == subnet {
			list = append(list, f.hosts[subnet][at.End])
		}
	}
	return list
}
