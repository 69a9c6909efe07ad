package intersubnet

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// nearestSpread is nearest, followed by spread if the network is small enough.
func (p *Plan) nearestSpread(a *admissible) {
	p.nearest(a)
	if p.worthSpreading() {
		p.spread(a)
	}
}

// spread chooses gateways again, target by target, by the load of links when each host sends to
// each. A gateway costs, for each link of its paths, the load of others times the load that it
// would add. So the sum of the squares of all loads falls. Subnets farther from a target choose
// first. It walks the paths to all targets from all switches over all gateways, which only small
// networks can afford (worthSpreading).
func (p *Plan) spread(a *admissible) {
	sp := newSpreader(p, a)
	for s := range int32(len(p.Net.Subnets)) {
		for _, e := range targets(p.Net, s) {
			sp.walkTarget(Address{s, e}, false, 1)
		}
	}
	for range spreadPasses {
		for s := range int32(len(p.Net.Subnets)) {
			for _, e := range targets(p.Net, s) {
				sp.walkTarget(Address{s, e}, false, -1)
				sp.walkTarget(Address{s, e}, true, 1)
			}
		}
	}
	for s := range p.Gateway {
		for t, row := range p.Gateway[s] {
			if row != nil {
				p.Gateway[s][t] = a.rows.row(row)
			}
		}
	}
}

// spreadPasses is the number of passes over all targets. A third pass changes little.
const spreadPasses = 2

// spreadWork bounds the number of paths that spread walks, to a few seconds.
const spreadWork = 30_000_000

// worthSpreading reports whether a network is small enough for spread, by the number of paths to
// all targets from all switches over all gateways.
func (p *Plan) worthSpreading() bool {
	ways, ends := 0, 0
	for s := range p.Net.Subnets {
		ways, ends = ways+p.Net.Graph(int32(s)).NumSwitches*len(p.Net.Subnets[s].Ports), ends+p.Net.Subnets[s].Nodes
	}
	return ways*ends <= spreadWork
}

// spreader holds the load of links when each host sends to each, and chooses gateways by it.
type spreader struct {
	p     *Plan
	a     *admissible
	first []int32     // numbers of links, as FirstLinks has them
	load  []float64   // by link
	hosts [][]float64 // by subnet and switch
	order [][]int32   // by target subnet: subnets with a way, the farthest first
	flow  [][]float64 // of the target that is walked, by subnet and switch: what enters there
}

func newSpreader(p *Plan, a *admissible) *spreader {
	n := p.Net
	sp := &spreader{p: p, a: a, first: p.FirstLinks()}
	sp.load = make([]float64, sp.first[len(sp.first)-1])
	for s := range int32(len(n.Subnets)) {
		g := n.Graph(s)
		hosts := make([]float64, g.NumSwitches)
		for _, e := range targets(n, s) {
			if g.IsHost(e) {
				hosts[g.EndSwitch[e]]++
			}
		}
		sp.hosts, sp.flow = append(sp.hosts, hosts), append(sp.flow, make([]float64, g.NumSwitches))
		var order []int32
		for t := range int32(len(n.Subnets)) {
			if a.distance[s][t] >= 0 {
				order = append(order, t)
			}
			if row := p.Gateway[t][s]; row != nil {
				p.Gateway[t][s] = slices.Clone(row) // rows are shared until here
			}
		}
		slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(a.distance[s][y], a.distance[s][x]) })
		sp.order = append(sp.order, order)
	}
	return sp
}

// walkTarget adds the load of all hosts that send to a target, subnet by subnet; sign -1 subtracts
// it. With choose, each subnet first gets its cheapest gateway.
func (sp *spreader) walkTarget(to Address, choose bool, sign float64) {
	p := sp.p
	for _, s := range sp.order[to.Subnet] {
		copy(sp.flow[s], sp.hosts[s])
	}
	for _, s := range sp.order[to.Subnet] {
		if s != to.Subnet {
			if p.Gateway[s][to.Subnet] == nil || p.Gateway[s][to.Subnet][to.End] < 0 {
				continue
			}
			if choose {
				sp.choose(s, to)
			}
		}
		total := sp.carry(s, sp.lid(s, to), func(link int32, flow float64) { sp.load[link] += sign * flow })
		if s == to.Subnet {
			continue
		}
		if port := p.egressOf(p.GatewayPort(s, to), to); port >= 0 {
			at := &p.Net.Ports[port]
			sp.load[sp.outOf(port)] += sign * total
			sp.flow[at.Subnet][p.Net.Graph(at.Subnet).EndSwitch[at.End]] += total
		}
	}
}

// choose gives a subnet its cheapest gateway for a target. On a tie the subnet keeps its gateway.
func (sp *spreader) choose(s int32, to Address) {
	p := sp.p
	row := p.Gateway[s][to.Subnet]
	best, least := row[to.End], sp.cost(s, to)
	for _, place := range sp.a.gateways(s, to.Subnet) {
		if row[to.End] = place; place != best {
			if cost := sp.cost(s, to); cost < least*(1-1e-9) {
				best, least = place, cost
			}
		}
	}
	row[to.End] = best
}

// cost returns the cost of a subnet's present gateway for a target: the loads on the links of its
// packets.
func (sp *spreader) cost(s int32, to Address) (cost float64) {
	p := sp.p
	total := sp.carry(s, sp.lid(s, to), func(link int32, flow float64) { cost += flow * (sp.load[link] + flow/2) })
	for range p.Net.Subnets {
		port := p.egressOf(p.GatewayPort(s, to), to)
		if port < 0 {
			break
		}
		at := &p.Net.Ports[port]
		s = at.Subnet
		cost += total * (sp.load[sp.outOf(port)] + total/2)
		sp.way(s, p.Net.Graph(s).EndSwitch[at.End], sp.lid(s, to), func(link int32) { cost += total * (sp.load[link] + total/2) })
		if s == to.Subnet {
			break
		}
	}
	return cost
}

// carry follows all traffic that enters a subnet to a LID, and returns its amount.
func (sp *spreader) carry(s int32, lid fabric.LID, visit func(link int32, flow float64)) (total float64) {
	for sw, flow := range sp.flow[s] {
		if flow > 0 {
			total += flow
			sp.way(s, int32(sw), lid, func(link int32) { visit(link, flow) })
		}
	}
	return total
}

// way visits the links from a switch to a LID.
func (sp *spreader) way(s, sw int32, lid fabric.LID, visit func(link int32)) {
	g, tables := sp.p.Net.Graph(s), sp.p.Local[s].Tables
	for range g.NumSwitches {
		port := tables.Port(sw, lid)
		if port == 0 {
			return
		}
		c, host := g.At(sw, port)
		if c < 0 && host < 0 {
			return
		}
		visit(sp.first[s] + g.PortStart[sw] + int32(port))
		if host >= 0 {
			return
		}
		sw = g.To[c]
	}
}

// outOf is the link from a router port into its subnet.
func (sp *spreader) outOf(port int32) int32 {
	at := &sp.p.Net.Ports[port]
	return sp.first[at.Subnet] + int32(len(sp.p.Net.Graph(at.Subnet).Attached)) + at.End
}

// lid returns the LID that a subnet sends to for a target: the target's own, or the gateway's.
func (sp *spreader) lid(s int32, to Address) fabric.LID {
	end := to.End
	if s != to.Subnet {
		end = sp.p.Net.Ports[sp.p.GatewayPort(s, to)].End
	}
	return sp.p.Local[s].Ends.Base[end]
}

// egressOf returns the port through which the router of a gateway sends packets for a target, the
// first if it hashes; -1 for none.
func (p *Plan) egressOf(gateway int32, to Address) int32 {
	e := &p.Egress[p.Net.Ports[gateway].Router][to.Subnet]
	switch {
	case len(e.Ports) == 0:
		return -1
	case e.Pick != nil:
		return e.Ports[e.Pick[to.End]]
	}
	return e.Ports[0]
}
