package intersubnet

import (
	"cmp"
	"slices"

	"weft/fabric/subnets"
	"weft/route"
)

// admissible tells which router ports packets may take: those that are up and lead nearer to the target subnet.
type admissible struct {
	n        *subnets.Network
	down     []bool
	distance [][]int32 // by target and subnet: routers in between
	nexts    [][]int32 // by target and router: the subnet that next found, or unasked
}

// unasked marks an entry of admissible.nexts that next has not found yet.
const unasked int32 = -2

func newAdmissible(n *subnets.Network, down []bool) *admissible {
	a := &admissible{n: n, down: down, nexts: make([][]int32, len(n.Subnets))}
	up := *n // without the ports that are down
	up.Ports = slices.Clone(n.Ports)
	up.Routers = slices.Clone(n.Routers)
	up.Ports = up.Ports[:0]
	for r := range n.Routers {
		up.Routers[r].First = int32(len(up.Ports))
		for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
			if !down[p] {
				up.Ports = append(up.Ports, n.Ports[p])
			}
		}
		up.Routers[r].End = int32(len(up.Ports))
	}
	a.distance = up.Distances()
	return a
}

// next is the subnet into which a router sends packets for a target subnet, the nearest of its own and of these the first; -1 for none.
func (a *admissible) next(router, target int32) int32 {
	if a.nexts[target] == nil {
		a.nexts[target] = slices.Repeat([]int32{unasked}, len(a.n.Routers))
	}
	if known := a.nexts[target][router]; known != unasked {
		return known
	}
	best := int32(-1)
	for p := a.n.Routers[router].First; p < a.n.Routers[router].End; p++ {
		t := a.n.Ports[p].Subnet
		d := a.distance[target][t]
		if a.down[p] || d < 0 {
			continue
		}
		if best < 0 || d < a.distance[target][best] || d == a.distance[target][best] && t < best {
			best = t
		}
	}
	a.nexts[target][router] = best
	return best
}

// leads reports whether a router port takes packets nearer to a target subnet.
func (a *admissible) leads(port, target int32) bool {
	at := &a.n.Ports[port]
	if a.down[port] {
		return false
	}
	next := a.next(at.Router, target)
	return next >= 0 && a.distance[target][next] == a.distance[target][at.Subnet]-1
}

// gateways lists the router ports of a subnet that lead nearer to a target: the first of each router, then the second of
// each, as code 1 of the paper has them.
func (a *admissible) gateways(subnet, target int32) []int32 {
	turn := map[int32]int{}
	type candidate struct {
		turn int
		port int32
	}
	var list []candidate
	ports := slices.Clone(a.n.Subnets[subnet].Ports)
	slices.Sort(ports) // by router and number
	for _, p := range ports {
		if a.leads(p, target) {
			r := a.n.Ports[p].Router
			list = append(list, candidate{turn[r], p})
			turn[r]++
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.turn, y.turn) })
	out := make([]int32, len(list))
	for i := range list {
		out[i] = list[i].port
	}
	return out
}

// routersOf counts the routers of a list of ports.
func (a *admissible) routersOf(ports []int32) int {
	seen := map[int32]bool{}
	for _, p := range ports {
		seen[a.n.Ports[p].Router] = true
	}
	return len(seen)
}

// portsInto lists the ports of a router that are up, into the next subnet on the way to a target.
func (a *admissible) portsInto(router, target int32) []int32 {
	next := a.next(router, target)
	if next < 0 {
		return nil
	}
	return slices.DeleteFunc(a.n.PortsIn(router, next), func(p int32) bool { return a.down[p] })
}

// targets lists the end ports of a subnet that others send to, hosts by switch and port first: all but those of routers.
func targets(n *subnets.Network, subnet int32) []int32 {
	g := n.Graph(subnet)
	list := make([]int32, 0, n.Subnets[subnet].Nodes)
	for e := range int32(g.NumEnds) {
		if !n.IsRouter(subnet, e) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(x, y int32) int {
		return cmp.Or(cmp.Compare(btoi(g.IsPortZero(x)), btoi(g.IsPortZero(y))), cmp.Compare(g.EndSwitch[x], g.EndSwitch[y]), cmp.Compare(g.EndPort[x], g.EndPort[y]))
	})
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// empty makes the rows of a Plan without any way.
func (p *Plan) empty() {
	n := len(p.Net.Subnets)
	p.Gateway, p.LayerMap, p.Layers = make([][][]int32, n), newLayerMap(n), 1
	for s := range p.Gateway {
		p.Gateway[s] = make([][]int32, n)
	}
	p.Egress = make([][]Egress, len(p.Net.Routers))
	for r := range p.Egress {
		p.Egress[r] = make([]Egress, n)
	}
}

// newLayerMap has all packets stay on the first layer.
func newLayerMap(subnets int) [][][route.NumSLs]uint8 {
	m := make([][][route.NumSLs]uint8, subnets)
	for s := range m {
		m[s] = make([][route.NumSLs]uint8, subnets)
	}
	return m
}

// baseline sends all packets of a subnet for another to one router port, and has routers send all packets for a subnet by one. The
// subnets take different ports, as far as there are.
func (p *Plan) baseline(a *admissible) {
	n := int32(len(p.Net.Subnets))
	for target := range n {
		ends := p.Net.Graph(target).NumEnds
		rows := map[int32][]int32{} // by router port
		for s := range n {
			list := a.gateways(s, target)
			if s == target || len(list) == 0 {
				continue
			}
			turn := (int(target) - int(s) - 1 + int(n)) % int(n) // of the other subnets
			first := a.routersOf(list)                           // the first ports of so many routers come first
			port := list[turn*first/max(1, int(n)-1)%first]
			if rows[port] == nil {
				rows[port] = slices.Repeat([]int32{port}, ends)
			}
			p.Gateway[s][target] = rows[port]
		}
		pick := make([]uint8, ends)
		for r := range p.Egress {
			p.Egress[r][target] = Egress{a.portsInto(int32(r), target), pick}
		}
	}
}

// issr deals out the targets of other subnets round robin over the gateways of a subnet, and has routers hash.
func (p *Plan) issr(a *admissible) {
	n := int32(len(p.Net.Subnets))
	list := make([][]int32, n)
	for target := range n {
		list[target] = targets(p.Net, target)
		for r := range p.Egress {
			p.Egress[r][target] = Egress{Ports: a.portsInto(int32(r), target)}
		}
	}
	for s := range n {
		turn := 0
		for target := range n {
			if s != target {
				p.dealOut(a, s, target, list[target], &turn)
			}
		}
	}
}

// dealOut gives targets of one subnet their gateways in another, round robin from a turn on.
func (p *Plan) dealOut(a *admissible, s, target int32, ends []int32, turn *int) {
	ports := a.gateways(s, target)
	if len(ports) == 0 {
		p.Gateway[s][target] = nil
		return
	}
	row := slices.Repeat([]int32{-1}, p.Net.Graph(target).NumEnds)
	for _, e := range ends {
		row[e] = ports[*turn%len(ports)]
		*turn++
	}
	p.Gateway[s][target] = row
}
