package intersubnet

import "weft/fabric/subnets"

// bySwitch returns the gateways of a subnet for a target subnet, by switch and target end port: at
// switch x (end ports of the target) + end port. It returns nil if Gateway holds for all switches.
func (p *Plan) bySwitch(s, target int32) []int32 {
	if p.BySwitch == nil {
		return nil
	}
	return p.BySwitch[s][target]
}

// noneBySwitch makes an empty Plan.BySwitch.
func noneBySwitch(subnets int) [][][]int32 {
	rows := make([][][]int32, subnets)
	for s := range rows {
		rows[s] = make([][]int32, subnets)
	}
	return rows
}

// placeOf returns the place of the router port that the end ports of a switch use as gateway for a
// target, -1 for none.
func (p *Plan) placeOf(s, sw int32, to Address) int32 {
	if row := p.bySwitch(s, to.Subnet); row != nil {
		return row[int(sw)*p.Net.Graph(to.Subnet).NumEnds+int(to.End)]
	}
	if row := p.Gateway[s][to.Subnet]; row != nil {
		return row[to.End]
	}
	return -1
}

// gatewayOf returns the router port that the end ports of a switch use as gateway for a target in
// another subnet, -1 for none.
func (p *Plan) gatewayOf(s, sw int32, to Address) int32 {
	if place := p.placeOf(s, sw, to); place >= 0 {
		return p.Net.Subnets[s].Ports[place]
	}
	return -1
}

// chooseBySwitch gives each switch gateways of its own, target by target. Like spread, it goes by
// the load of links when each host sends to each, but spread chooses one gateway for all switches
// of a subnet. An engine that sees the whole network also uses several routers of a subnet for one
// target. Subnets for which may returns false keep their gateways, and so do large networks
// (worthSpreading). It is weft's own, not the paper's. Cost: in each pass a path over each
// admissible gateway, for each target and switch.
func (p *Plan) chooseBySwitch(a *admissible, may func(s, target int32) bool) {
	n := p.Net
	if !p.worthSpreading() {
		return
	}
	p.BySwitch = noneBySwitch(len(n.Subnets))
	some := false
	for s := range p.BySwitch {
		for t, row := range p.Gateway[s] {
			if row != nil && len(a.gateways(int32(s), int32(t))) > 1 && may(int32(s), int32(t)) {
				some = true
				for range n.Graph(int32(s)).NumSwitches {
					p.BySwitch[s][t] = append(p.BySwitch[s][t], row...)
				}
			}
		}
	}
	if !some {
		p.BySwitch = nil
		return
	}
	sp := newSpreader(p, a)
	each := func(do func(to Address)) {
		for s := range int32(len(n.Subnets)) {
			for _, e := range targets(n, s) {
				do(Address{s, e})
			}
		}
	}
	each(func(to Address) { sp.walkSwitches(to, false, 1) })
	for range spreadPasses {
		each(func(to Address) {
			sp.walkSwitches(to, false, -1)
			sp.walkSwitches(to, true, 1)
		})
	}
	known := shared[int32]{}
	for s := range p.BySwitch {
		for t, row := range p.BySwitch[s] {
			if row != nil {
				p.BySwitch[s][t] = known.row(row)
			}
		}
	}
}

// leftToNearest returns a function that reports whether ISFR kept the paths of Nearest from a
// subnet into another.
func (p *Plan) leftToNearest(fallbacks []Fallback) func(s, target int32) bool {
	left := map[[2]string]bool{}
	for _, f := range fallbacks {
		left[[2]string{f.From, f.To}] = true
	}
	return func(s, target int32) bool {
		from, to := p.Net.Subnets[s].Name, p.Net.Subnets[target].Name
		return left[[2]string{"", to}] || left[[2]string{from, to}]
	}
}

// walkSwitches adds the load of all hosts that send to a target, switch by switch; sign -1
// subtracts it. With choose, each switch first gets its cheapest gateway.
func (sp *spreader) walkSwitches(to Address, choose bool, sign float64) {
	p := sp.p
	for _, s := range sp.order[to.Subnet] {
		copy(sp.flow[s], sp.hosts[s])
	}
	for _, s := range sp.order[to.Subnet] {
		for sw := range int32(len(sp.flow[s])) {
			flow := sp.flow[s][sw]
			row := p.bySwitch(s, to.Subnet)
			if choose && row != nil {
				sp.chooseFor(s, sw, to, row, flow)
			}
			if flow == 0 {
				continue
			}
			port := sp.step(s, sw, to, func(link int32) { sp.load[link] += sign * flow })
			if port >= 0 {
				at := &p.Net.Ports[port]
				sp.flow[at.Subnet][p.Net.Graph(at.Subnet).EndSwitch[at.End]] += flow
			}
		}
	}
}

// chooseFor gives one switch the cheapest gateway for its packets to a target. On a tie the switch
// keeps its gateway. A switch that sends nothing counts as one host.
func (sp *spreader) chooseFor(s, sw int32, to Address, row []int32, flow float64) {
	p := sp.p
	flow = max(flow, 1)
	cost := func() (cost float64) {
		s, sw := s, sw
		for range p.Net.Subnets {
			port := sp.step(s, sw, to, func(link int32) { cost += sp.load[link] + flow/2 })
			if port < 0 {
				break
			}
			at := &p.Net.Ports[port]
			s, sw = at.Subnet, p.Net.Graph(at.Subnet).EndSwitch[at.End]
		}
		return cost
	}
	place := &row[int(sw)*p.Net.Graph(to.Subnet).NumEnds+int(to.End)]
	best, least := *place, cost()
	for _, *place = range sp.a.gateways(s, to.Subnet) {
		if cost := cost(); cost < least*(1-1e-9) {
			best, least = *place, cost
		}
	}
	*place = best
}

// step visits the links from a switch to a target of its subnet, or to the gateway and out of its
// router. It returns the router port through which packets enter the next subnet; -1 at the target,
// and if there is no path.
func (sp *spreader) step(s, sw int32, to Address, visit func(link int32)) int32 {
	p := sp.p
	if s == to.Subnet {
		sp.way(s, sw, p.Local[s].Ends.Base[to.End], visit)
		return -1
	}
	gateway := p.gatewayOf(s, sw, to)
	if gateway < 0 {
		return -1
	}
	sp.way(s, sw, p.Local[s].Ends.Base[p.Net.Ports[gateway].End], visit)
	port := p.egressOf(gateway, to)
	if port >= 0 {
		visit(sp.outOf(port))
	}
	return port
}

// ownGateway reports whether a switch of a subnet uses another gateway for a target than Gateway
// has.
func (p *Plan) ownGateway(s, sw int32, to Address) bool {
	return p.bySwitch(s, to.Subnet) != nil && p.placeOf(s, sw, to) >= 0 && p.placeOf(s, sw, to) != p.Gateway[s][to.Subnet][to.End]
}

// switchOf is the switch of an end port.
func switchOf(n *subnets.Network, at Address) int32 { return n.Graph(at.Subnet).EndSwitch[at.End] }
