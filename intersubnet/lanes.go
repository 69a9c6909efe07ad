package intersubnet

import (
	"slices"

	"weft/route"
)

// Inside a subnet the packets of a layer follow the local Plan on its lanes, which the judge proves acyclic. So a cycle of
// dependencies must leave subnets by routers and come back. If on each layer the graph of crossings, an edge from subnet a to subnet b
// where packets of the layer go from a through a router to b, is acyclic, there is none.

// layer gives each pair of subnets the first layer on which the crossings of all its pairs stay acyclic.
func (p *Plan) layer() {
	n := int32(len(p.Net.Subnets))
	var layers []crossings
	for s := range n {
		for target := range n {
			if p.Gateway[s][target] == nil {
				continue
			}
			edges := p.crossed(s, target)
			l := 0
			for l < len(layers) && !layers[l].add(edges) {
				l++
			}
			if l == len(layers) {
				layers = append(layers, newCrossings(int(n)))
				layers[l].add(edges) // every crossing of one pair leads nearer to its target
			}
			p.Layer[s][target] = uint8(min(l, 255))
		}
	}
	p.Layers = max(1, len(layers))
}

// crossed lists the crossings on the ways from a subnet to another.
func (p *Plan) crossed(s, target int32) (edges [][2]int32) {
	seen := make([]bool, len(p.Net.Subnets))
	seen[s] = true
	for queue := []int32{s}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == target {
			continue
		}
		for _, r := range p.routersTo(at, target) {
			for _, q := range p.Egress[r][target].Ports {
				to := p.Net.Ports[q].Subnet
				if e := [2]int32{at, to}; !slices.Contains(edges, e) {
					edges = append(edges, e)
				}
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
	}
	return edges
}

// routersTo lists the routers to which a subnet sends packets for another.
func (p *Plan) routersTo(s, target int32) (list []int32) {
	row, seen := p.Gateway[s][target], map[int32]bool{}
	for _, port := range row {
		if port < 0 {
			continue
		}
		if r := p.Net.Ports[port].Router; !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}

// crossings is an acyclic graph of subnets.
type crossings struct{ to [][]int32 }

func newCrossings(n int) crossings { return crossings{make([][]int32, n)} }

// add adds edges, or none of them and returns false if they would close a cycle.
func (c *crossings) add(edges [][2]int32) bool {
	before := slices.Clone(c.to)
	for _, e := range edges {
		if !slices.Contains(c.to[e[0]], e[1]) {
			if c.reaches(e[1], e[0]) {
				c.to = before
				return false
			}
			c.to[e[0]] = append(slices.Clone(c.to[e[0]]), e[1])
		}
	}
	return true
}

// reaches reports whether there is a way from a subnet to another.
func (c *crossings) reaches(from, to int32) bool {
	seen := make([]bool, len(c.to))
	for stack := []int32{from}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		if !seen[at] {
			seen[at] = true
			stack = append(stack, c.to[at]...)
		}
	}
	return false
}

// lanesOf counts the SLs and the VLs of a local Plan: up to the highest SL in use, and to the highest VL of these.
func lanesOf(p *route.Plan) (sls, vls int) {
	for i, b := range p.SL.Cells {
		high := b >> 4
		if row := (p.SL.NumSrc + 1) / 2; p.SL.NumSrc%2 == 1 && i%row == row-1 {
			high = 0 // no source
		}
		sls = max(sls, int(b&15)+1, int(high)+1)
	}
	for i := range p.SL2VL.Pool {
		for _, vl := range p.SL2VL.Pool[i][:sls] {
			if vl != route.DropVL {
				vls = max(vls, int(vl)+1)
			}
		}
	}
	return sls, vls
}

// onLayers is a local Plan with as many copies of its lanes as there are layers. Where one link has fewer VLs than that takes, the
// lanes of links to hosts share them; what remains too few the judge reports.
func (p *Plan) onLayers(subnet int32, local *route.Plan, vls int) *route.Plan {
	if p.Layers == 1 {
		return local
	}
	g, out := p.Net.Graph(subnet), *local
	lanes := *local.SL2VL
	lanes.Pool = slices.Clone(lanes.Pool)
	for i := range lanes.Pool {
		t := local.SL2VL.Pool[i]
		for l := range p.Layers {
			for s := range p.SLs {
				vl := t[s]
				if vl != route.DropVL {
					vl += uint8(l * vls)
				}
				lanes.Pool[i][l*p.SLs+s] = vl
			}
		}
	}
	lanes.Host, lanes.Switch = slices.Clone(lanes.Host), slices.Clone(lanes.Switch)
	out.SL2VL, out.VLs = &lanes, p.Layers*vls
	out.Arbitration = route.EqualTurns(g, out.VLs)
	return &out
}
