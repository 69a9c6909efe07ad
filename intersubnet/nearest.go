package intersubnet

import "slices"

// nearest gives each target the gateway over which the ways of its packets are shortest, unless others carry less: a way costs its hops, and a
// hop more for as many targets as an even division would give the gateway. Routers leave by the port nearest to where packets go, by the same
// rule. It is of weft, not of the paper: on irregular subnets most ways of ISSR are detours. The subnets nearest to a target choose first, so
// that the others know what is beyond their routers.
func (p *Plan) nearest(a *admissible) {
	p.issr(a)
	n := int32(len(p.Net.Subnets))
	for target := range n {
		ends := targets(p.Net, target)
		for d := range n {
			for r := range p.Egress {
				if e := &p.Egress[r][target]; len(e.Ports) > 0 && a.distance[target][p.Net.Ports[e.Ports[0]].Subnet] == d {
					p.pickNearest(e, target, ends)
				}
			}
			for s := range n {
				if a.distance[target][s] == d+1 {
					p.followNearest(a, s, target, ends)
				}
			}
		}
	}
}

// cheapest chooses among places for one thing after the other: by cost, and one for as many things as an even division would give a place.
type cheapest struct {
	load []float64
	each float64
}

func newCheapest(places, things int) *cheapest {
	return &cheapest{make([]float64, places), float64(places) / float64(max(things, 1))}
}

func (c *cheapest) next(cost func(place int) float64) int {
	best, least := 0, 0.0
	for i, load := range c.load {
		if x := cost(i) + load; i == 0 || x < least {
			best, least = i, x
		}
	}
	c.load[best] += c.each
	return best
}

// pickNearest chooses the port by which a router sends packets for each target: by the hops to where they go in the next subnet.
func (p *Plan) pickNearest(e *Egress, target int32, ends []int32) {
	e.Pick = make([]uint8, p.Net.Graph(target).NumEnds)
	choose := newCheapest(len(e.Ports), len(ends))
	for _, end := range ends {
		e.Pick[end] = uint8(choose.next(func(i int) float64 { return p.hopsFrom(e.Ports[i], Address{target, end}) }))
	}
}

// hopsFrom is the hops from a router port to the target, or to the gateway of the port's subnet.
func (p *Plan) hopsFrom(port int32, to Address) float64 {
	at := &p.Net.Ports[port]
	g, local := p.Net.Graph(at.Subnet), p.Local[at.Subnet]
	hops, _ := local.Tables.Hops(g, g.EndSwitch[at.End], p.DLID(at.Subnet, to))
	return float64(hops)
}

// followNearest chooses the gateways of a subnet for the targets of another.
func (p *Plan) followNearest(a *admissible, s, target int32, ends []int32) {
	ports := a.gateways(s, target)
	if len(ports) == 0 {
		return
	}
	mean := make([]float64, len(ports)) // hops from the subnet's hosts
	g, local := p.Net.Graph(s), p.Local[s]
	hosts := 0
	for _, h := range targets(p.Net, s) {
		if g.IsHost(h) {
			for i, port := range ports {
				hops, _ := local.Tables.Hops(g, g.EndSwitch[h], local.Ends.Base[p.Net.Ports[port].End])
				mean[i] += float64(hops)
			}
			hosts++
		}
	}
	row := slices.Clone(p.Gateway[s][target])
	choose := newCheapest(len(ports), len(ends))
	for _, end := range ends {
		row[end] = ports[choose.next(func(i int) float64 {
			return mean[i]/float64(max(hosts, 1)) + p.beyond(ports[i], Address{target, end})
		})]
	}
	p.Gateway[s][target] = row
}

// beyond is the hops from the router of a gateway to a target.
func (p *Plan) beyond(gateway int32, to Address) float64 {
	hops := 0.0
	for {
		e := &p.Egress[p.Net.Ports[gateway].Router][to.Subnet]
		port := e.Ports[e.Pick[to.End]]
		hops += p.hopsFrom(port, to)
		if p.Net.Ports[port].Subnet == to.Subnet {
			return hops
		}
		if gateway = p.Gateway[p.Net.Ports[port].Subnet][to.Subnet][to.End]; gateway < 0 {
			return hops
		}
	}
}
