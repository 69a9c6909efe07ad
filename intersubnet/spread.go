package intersubnet

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// nearestSpread is nearest, and spread where the network is small enough for it.
func (p *Plan) nearestSpread(a *admissible) {
	p.nearest(a)
	if p.worthSpreading() {
		p.spread(a)
	}
}

// spread chooses gateways again, target by target, by what links carry when each host sends to each: a gateway costs, for each link of the ways over it, what the
// link carries of others, times what it would carry. So the sum of the squares of all loads falls. Subnets farther from a target choose first. It asks for the
// ways of all targets from all switches over all gateways, which small networks alone can pay for (worthSpreading).
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

// spreadPasses is the number of times that each target is looked at. A third pass changes little.
const spreadPasses = 2

// spreadWork bounds the ways that spread asks for, to a few seconds.
const spreadWork = 30_000_000

// worthSpreading reports whether a network is small enough for spread: by the ways from all switches of all subnets over all gateways, for all targets.
func (p *Plan) worthSpreading() bool {
	ways, ends := 0, 0
	for s := range p.Net.Subnets {
		ways, ends = ways+p.Net.Graph(int32(s)).NumSwitches*len(p.Net.Subnets[s].Ports), ends+p.Net.Subnets[s].Nodes
	}
	return ways*ends <= spreadWork
}

// spreader knows what links carry when each host sends to each, and chooses gateways by it.
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

// walkTarget adds, or with -1 takes away, what all hosts send to a target, subnet by subnet. With choose each subnet gets the gateway first that costs least.
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

// choose gives a subnet the gateway that costs least for a target; the one that it has where others cost as much.
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

// cost adds up the loads of links on the way that packets for a target take from their subnet's gateway on.
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

// carry follows what enters a subnet to a LID, and returns how much it is.
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

// lid is the LID to which a subnet sends for a target: its own, or that of the gateway.
func (sp *spreader) lid(s int32, to Address) fabric.LID {
	end := to.End
	if s != to.Subnet {
		end = sp.p.Net.Ports[sp.p.GatewayPort(s, to)].End
	}
	return sp.p.Local[s].Ends.Base[end]
}

// egressOf is the port by which the router of a gateway sends packets for a target; -1 for none.
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
