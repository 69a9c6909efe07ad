package intersubnet

import (
	"encoding/binary"

	"weft/fabric"
	"weft/route"
)

// nearest gives each target the gateway with the shortest paths, unless others carry less. A path
// costs its hops, plus one hop for each even share of targets that the gateway already has. Routers
// choose their egress port by the same rule. It is weft's own, not the paper's: on irregular
// subnets most paths of ISSR are detours. The subnets nearest to a target choose first, so that the
// others know the paths beyond their routers.
func (p *Plan) nearest(a *admissible) {
	p.issr(a)
	n := int32(len(p.Net.Subnets))
	hops := newRouterHops(p)
	for target := range n {
		t := &nearestTo{target, targets(p.Net, target), map[string][]int32{}, map[int32][]int32{}}
		for d := range n {
			for r := range p.Egress {
				if e := &p.Egress[r][target]; len(e.Ports) > 0 && a.distance[target][p.Net.Ports[e.Ports[0]].Subnet] == d {
					p.pickNearest(a, hops, e, target, t.ends)
				}
			}
			for s := range n {
				if a.distance[target][s] == d+1 {
					p.followNearest(a, hops, s, t)
				}
			}
		}
	}
}

// cheapest assigns things to places, one after the other. A place costs its given cost, plus one
// for each even share of things that it already has.
type cheapest struct {
	load []float64
	each float64
}

func newCheapest(places, things int) *cheapest {
	return &cheapest{make([]float64, places), float64(places) / float64(max(things, 1))}
}

// next chooses a place, by the cost of each.
func (c *cheapest) next(costs []float64) int {
	best, least := 0, 0.0
	for i, load := range c.load {
		if x := costs[i] + load; i == 0 || x < least {
			best, least = i, x
		}
	}
	c.load[best] += c.each
	return best
}

// routerHops counts the hops from and to router ports by the local Plans, once for all subnets of
// one Kind and local Plan.
type routerHops struct {
	p    *Plan
	like []*likeSubnets // by subnet
}

// likeSubnets holds distances in the subnets of one Kind and local Plan.
type likeSubnets struct {
	number int
	from   [][]int32         // by switch and LID: hops + 1, or 0 where they were not counted yet; nil for a whole switch
	mean   map[int32]float64 // by router port: hops to it, the mean over hosts
}

func newRouterHops(p *Plan) *routerHops {
	type key struct {
		kind  int32
		local *route.Plan
	}
	known := map[key]*likeSubnets{}
	h := &routerHops{p: p}
	for s := range p.Net.Subnets {
		k := key{p.Net.Subnets[s].Kind, p.Local[s]}
		if known[k] == nil {
			known[k] = &likeSubnets{len(known), make([][]int32, p.Net.Graph(int32(s)).NumSwitches), map[int32]float64{}}
		}
		h.like = append(h.like, known[k])
	}
	return h
}

// from returns the hops from a router port to the target, or to the gateway of the port's subnet.
func (h *routerHops) from(port int32, to Address) int32 {
	return h.fromTo(port, h.p.sentTo(port, to))
}

// fromTo returns the hops from a router port to a LID of its subnet.
func (h *routerHops) fromTo(port int32, lid fabric.LID) int32 {
	p, at := h.p, &h.p.Net.Ports[port]
	g, local, like := p.Net.Graph(at.Subnet), p.Local[at.Subnet], h.like[at.Subnet]
	s := g.EndSwitch[at.End]
	if like.from[s] == nil {
		like.from[s] = make([]int32, int(local.Ends.Top())+1)
	}
	if like.from[s][lid] == 0 {
		hops, _ := local.Tables.Hops(g, s, lid)
		like.from[s][lid] = int32(hops) + 1
	}
	return like.from[s][lid] - 1
}

// mean returns the mean of the hops to a router port over the hosts of its subnet.
func (h *routerHops) mean(port int32) float64 {
	p, at := h.p, &h.p.Net.Ports[port]
	known := h.like[at.Subnet].mean
	if mean, ok := known[at.End]; ok {
		return mean
	}
	g, local := p.Net.Graph(at.Subnet), p.Local[at.Subnet]
	sum, hosts := 0, 0
	for _, end := range targets(p.Net, at.Subnet) {
		if g.IsHost(end) {
			hops, _ := local.Tables.Hops(g, g.EndSwitch[end], local.Ends.Base[at.End])
			sum += hops
			hosts++
		}
	}
	known[at.End] = float64(sum) / float64(max(hosts, 1))
	return known[at.End]
}

// pickNearest chooses the port through which a router sends packets for each target, by the hops in
// the next subnet: to the target, or to the gateway there.
func (p *Plan) pickNearest(a *admissible, hops *routerHops, e *Egress, target int32, ends []int32) {
	if len(e.Ports) < 2 {
		return
	}
	pick, costs := a.emptyPick(target), make([]float64, len(e.Ports))
	choose := newCheapest(len(e.Ports), len(ends))
	for _, end := range ends {
		for i, port := range e.Ports {
			costs[i] = float64(hops.from(port, Address{target, end}))
		}
		pick[end] = uint8(choose.next(costs))
	}
	e.Pick = a.picks.row(pick)
}

// nearestTo holds the targets of one subnet, and caches the results of its searches.
type nearestTo struct {
	target int32
	ends   []int32
	chosen map[string][]int32 // places of gateways by what decides
	beyond map[int32][]int32  // by subnet in between, by end port: hops behind its gateway
}

// followNearest chooses the gateways of a subnet for the targets of another. Subnets of one Kind
// and local Plan, with the same routers at the same end ports, share one choice.
func (p *Plan) followNearest(a *admissible, hops *routerHops, s int32, t *nearestTo) {
	ports := a.gateways(s, t.target)
	if len(ports) == 0 {
		return
	}
	for i, place := range ports {
		ports[i] = p.Net.Subnets[s].Ports[place]
	}
	decides := binary.AppendUvarint(nil, uint64(hops.like[s].number))
	for _, port := range ports {
		decides = binary.AppendUvarint(decides, uint64(p.Net.Ports[port].Router))
		decides = binary.AppendUvarint(decides, uint64(p.Net.Ports[port].End))
	}
	places, known := t.chosen[string(decides)]
	if !known {
		over := make([]overGateway, len(ports))
		for i, port := range ports {
			over[i] = p.overGateway(hops, port, t)
		}
		choose, costs := newCheapest(len(ports), len(t.ends)), make([]float64, len(ports))
		for _, end := range t.ends {
			for i := range over {
				costs[i] = over[i].mean + float64(over[i].hops(hops, Address{t.target, end}))
			}
			places = append(places, int32(choose.next(costs)))
		}
		t.chosen[string(decides)] = places
	}
	row := a.emptyRow(t.target)
	for i, end := range t.ends {
		row[end] = p.Net.PlaceOf(ports[places[i]])
	}
	p.Gateway[s][t.target] = a.rows.row(row)
}

// overGateway counts the hops over a gateway: to it, from its router to the next gateway or the
// target, and beyond. With a core in between, all pairs of subnets ask for them, each for all
// targets. So they are sums of earlier counts.
type overGateway struct {
	mean   float64
	egress *Egress
	next   []int32   // by target end port: the place of the gateway of the subnet in between; nil where the target is in the next subnet
	to     [][]int32 // by egress port and place: hops
	beyond []int32   // by target end port: hops behind that gateway
}

func (p *Plan) overGateway(h *routerHops, gateway int32, t *nearestTo) overGateway {
	o := overGateway{mean: h.mean(gateway), egress: &p.Egress[p.Net.Ports[gateway].Router][t.target]}
	between := p.Net.Ports[o.egress.Ports[0]].Subnet
	if between == t.target {
		return o
	}
	if o.next = p.Gateway[between][t.target]; o.next == nil {
		return o
	}
	gateways := p.Net.Subnets[between].Ports
	for _, port := range o.egress.Ports {
		row := make([]int32, len(gateways))
		for place, q := range gateways {
			row[place] = h.fromTo(port, p.Local[between].Ends.Base[p.Net.Ports[q].End])
		}
		o.to = append(o.to, row)
	}
	if t.beyond[between] == nil {
		row := make([]int32, len(o.next))
		for _, end := range t.ends {
			if place := o.next[end]; place >= 0 {
				row[end] = p.beyond(h, gateways[place], Address{t.target, end})
			}
		}
		t.beyond[between] = row
	}
	o.beyond = t.beyond[between]
	return o
}

// hops returns the hops from the router to a target.
func (o *overGateway) hops(h *routerHops, to Address) int32 {
	port := uint8(0)
	if o.egress.Pick != nil {
		port = o.egress.Pick[to.End]
	}
	if o.next == nil {
		return h.from(o.egress.Ports[port], to)
	}
	place := o.next[to.End]
	if place < 0 {
		return 0
	}
	return o.to[port][place] + o.beyond[to.End]
}

// beyond returns the hops from the router of a gateway to a target.
func (p *Plan) beyond(h *routerHops, gateway int32, to Address) (hops int32) {
	for {
		e := &p.Egress[p.Net.Ports[gateway].Router][to.Subnet]
		port := e.Ports[0]
		if e.Pick != nil {
			port = e.Ports[e.Pick[to.End]]
		}
		hops += h.from(port, to)
		if p.Net.Ports[port].Subnet == to.Subnet {
			return hops
		}
		if gateway = p.GatewayPort(p.Net.Ports[port].Subnet, to); gateway < 0 {
			return hops
		}
	}
}
