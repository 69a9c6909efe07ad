package intersubnet

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/route"
)

// admissible holds the router ports that packets may take: ports that are up and lead nearer to the
// target subnet.
type admissible struct {
	n        *subnets.Network
	down     []bool
	distance [][]int32   // by target and subnet: routers in between
	nexts    [][]int32   // by target and router: the subnet that next found, or unasked
	up       [][][]int32 // by router and subnet: the ports there that are up
	sorted   [][]int32   // by subnet: places of its router ports, by router and number
	rows     shared[int32]
	picks    shared[uint8]
	row      []int32 // scratch memory of the row that is made
	pick     []uint8
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
	a.sortPorts()
	return a
}

// sortPorts sorts the router ports for up and sorted.
func (a *admissible) sortPorts() {
	n := a.n
	a.up, a.sorted = make([][][]int32, len(n.Routers)), make([][]int32, len(n.Subnets))
	for r := range n.Routers {
		a.up[r] = make([][]int32, len(n.Subnets))
		for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
			if s := n.Ports[p].Subnet; !a.down[p] {
				a.up[r][s] = append(a.up[r][s], p)
			}
		}
	}
	for s := range n.Subnets {
		ports := n.Subnets[s].Ports
		for place := range ports {
			a.sorted[s] = append(a.sorted[s], int32(place))
		}
		slices.SortFunc(a.sorted[s], func(x, y int32) int { return cmp.Compare(ports[x], ports[y]) })
	}
}

// emptyRow returns a row for the end ports of a target subnet, without any gateway. The next call
// overwrites it.
func (a *admissible) emptyRow(target int32) []int32 {
	a.row = slices.Grow(a.row[:0], a.n.Graph(target).NumEnds)[:a.n.Graph(target).NumEnds]
	for i := range a.row {
		a.row[i] = -1
	}
	return a.row
}

// emptyPick returns a row for Egress.Pick. The next call overwrites it.
func (a *admissible) emptyPick(target int32) []uint8 {
	a.pick = slices.Grow(a.pick[:0], a.n.Graph(target).NumEnds)[:a.n.Graph(target).NumEnds]
	clear(a.pick)
	return a.pick
}

// next returns the subnet into which a router sends packets for a target subnet: of its own subnets
// the nearest, on a tie the first; -1 for none.
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

// gateways lists the places of the router ports of a subnet that lead nearer to a target: first one
// port of each router, then the second of each, as in code 1 of the paper.
func (a *admissible) gateways(subnet, target int32) []int32 {
	ports := a.n.Subnets[subnet].Ports
	var list []int32
	var turns []int // of list
	several := false
	for _, place := range a.sorted[subnet] {
		if !a.leads(ports[place], target) {
			continue
		}
		turn := 0
		if i := len(list) - 1; i >= 0 && a.n.Ports[ports[list[i]]].Router == a.n.Ports[ports[place]].Router {
			turn, several = turns[i]+1, true
		}
		list, turns = append(list, place), append(turns, turn)
	}
	if !several {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(turns[x], turns[y]) })
	out := make([]int32, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

// routersOf counts the routers of a list of places of a subnet.
func (a *admissible) routersOf(subnet int32, places []int32) int {
	seen := map[int32]bool{}
	for _, place := range places {
		seen[a.n.Ports[a.n.Subnets[subnet].Ports[place]].Router] = true
	}
	return len(seen)
}

// portsInto lists the ports of a router that are up, into the next subnet on the way to a target.
func (a *admissible) portsInto(router, target int32) []int32 {
	next := a.next(router, target)
	if next < 0 {
		return nil
	}
	return a.up[router][next]
}

// targets lists the end ports of a subnet that others send to: all but routers. Hosts come first,
// by switch and port.
func targets(n *subnets.Network, subnet int32) []int32 {
	return targetsOf(n.Graph(subnet), func(e int32) bool { return n.IsRouter(subnet, e) })
}

// targetsOf is targets for a Graph; isRouter reports which end ports are routers.
func targetsOf(g *fabric.Graph, isRouter func(end int32) bool) []int32 {
	list := make([]int32, 0, g.NumEnds)
	for e := range int32(g.NumEnds) {
		if g.IsPortZero(e) || !isRouter(e) {
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

// clearWays makes empty rows of gateways, egress ports and layers: no path between subnets.
func (p *Plan) clearWays() {
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

// newLayerMap returns a layer map that keeps all packets on the first layer.
func newLayerMap(subnets int) [][][route.NumSLs]uint8 {
	m := make([][][route.NumSLs]uint8, subnets)
	for s := range m {
		m[s] = make([][route.NumSLs]uint8, subnets)
	}
	return m
}

// baseline sends all packets of a subnet for another to one router port, and routers send all
// packets for a subnet through one port. The subnets take different ports, as long as there are
// enough.
func (p *Plan) baseline(a *admissible) {
	n := int32(len(p.Net.Subnets))
	for target := range n {
		for s := range n {
			list := a.gateways(s, target)
			if s == target || len(list) == 0 {
				continue
			}
			turn := (int(target) - int(s) - 1 + int(n)) % int(n) // of the other subnets
			routers := a.routersOf(s, list)                      // list begins with the first port of each
			row, place := a.emptyRow(target), list[turn*routers/max(1, int(n)-1)%routers]
			for e := range row {
				row[e] = place
			}
			p.Gateway[s][target] = a.rows.row(row)
		}
		pick := a.picks.row(a.emptyPick(target))
		for r := range p.Egress {
			p.Egress[r][target] = Egress{a.portsInto(int32(r), target), pick}
		}
	}
}

// issr deals the targets of other subnets out to the gateways of a subnet, round robin. Routers
// choose their ports by a hash.
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

// dealOut gives the targets of one subnet their gateways in another, round robin. turn counts on
// from call to call.
func (p *Plan) dealOut(a *admissible, s, target int32, ends []int32, turn *int) {
	places := a.gateways(s, target)
	if len(places) == 0 {
		p.Gateway[s][target] = nil
		return
	}
	row := a.emptyRow(target)
	for _, e := range ends {
		row[e] = places[*turn%len(places)]
		*turn++
	}
	p.Gateway[s][target] = a.rows.row(row)
}
