package intersubnet

import (
	"math/bits"
	"slices"

	"weft/route"
)

// Inside a subnet the packets of a layer follow the local Plan on its lanes, which the judge proves
// acyclic. So a cycle of dependencies must leave subnets through routers and come back. The subnets
// have an order. On even layers packets cross routers only to earlier subnets, on odd layers only
// to later ones. If the next crossing goes the other way, the router moves packets to the next
// layer. So along every chain of dependencies the layer never falls, and no subnet comes twice on
// one layer: no cycle. All packets start on layer 0, and sources need not know about layers.

// chooseLayers chooses the order of the subnets that needs the fewest layers, and sets Layers and
// LayerMap. It tries orders by distance from one subnet.
func (p *Plan) chooseLayers(distance [][]int32) {
	best := []int32(nil)
	known := make([][]int32, len(distance)*len(distance))
	for _, root := range p.roots() {
		order := orderFrom(distance[root])
		if layers := p.layersFor(order, known); best == nil || layers < p.Layers {
			best, p.Layers = order, layers
		}
	}
	for a := range best {
		for b := range best {
			for l := range p.Layers {
				if a != b && l < route.NumSLs { // no packet needs a layer more
					p.LayerMap[a][b][l] = min(nextLayer(uint8(l), best[b] < best[a]), uint8(p.Layers-1))
				}
			}
		}
	}
}

// nextLayer returns the layer of packets of a layer after they have crossed a router to an earlier
// or a later subnet.
func nextLayer(layer uint8, earlier bool) uint8 {
	if earlier == (layer%2 == 0) || layer == route.NumSLs-1 {
		return layer
	}
	return layer + 1
}

// rootsTried bounds the number of orders tried.
const rootsTried = 8

// roots lists subnets to start an order from, those with the most neighbours first.
func (p *Plan) roots() []int32 {
	neighbours := p.Net.Neighbours()
	list := make([]int32, len(neighbours))
	for s := range list {
		list[s] = int32(s)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return len(neighbours[b]) - len(neighbours[a]) })
	return list[:min(len(list), rootsTried)]
}

// orderFrom returns the place of each subnet in the order of distance.
func orderFrom(distance []int32) []int32 {
	list := make([]int32, len(distance))
	for s := range list {
		list[s] = int32(s)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return int(distance[a]) - int(distance[b]) })
	place := make([]int32, len(list))
	for i, s := range list {
		place[s] = int32(i)
	}
	return place
}

// layersFor counts the layers that all packets need under an order. known keeps the results of
// crossed for the next order.
func (p *Plan) layersFor(order []int32, known [][]int32) int {
	most := uint8(0)
	for target := range int32(len(order)) {
		seen := map[[2]int32]bool{} // subnet and layer
		var stack [][2]int32
		reach := func(s int32, layer uint8) {
			if at := [2]int32{s, int32(layer)}; !seen[at] {
				seen[at] = true
				most = max(most, layer)
				stack = append(stack, at)
			}
		}
		for s := range int32(len(order)) {
			if s != target && p.Gateway[s][target] != nil {
				reach(s, 0)
			}
		}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if at[0] == target {
				continue
			}
			list := &known[int(at[0])*len(order)+int(target)]
			if *list == nil {
				*list = p.crossed(at[0], target)
			}
			for _, next := range *list {
				reach(next, nextLayer(uint8(at[1]), order[next] < order[at[0]]))
			}
		}
	}
	return int(most) + 1
}

// crossed lists the subnets into which the routers of a subnet send its packets for another.
func (p *Plan) crossed(s, target int32) (list []int32) {
	ports := p.Net.Subnets[s].Ports
	seen := make([]bool, len(ports)+1)
	row := p.bySwitch(s, target)
	if row == nil {
		row = p.Gateway[s][target]
	}
	for _, place := range row {
		if seen[place+1] || place < 0 {
			continue
		}
		seen[place+1] = true
		for _, q := range p.Egress[p.Net.Ports[ports[place]].Router][target].Ports {
			if to := p.Net.Ports[q].Subnet; !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
	}
	return list
}

// lanesOf counts the SLs and VLs of a local Plan, up to the highest SL in use and the highest VL of
// these SLs.
func lanesOf(p *route.Plan) (sls, vls int) {
	sls = bits.Len16(p.SL.InUse())
	for i := range p.SL2VL.Pool {
		for _, vl := range p.SL2VL.Pool[i][:sls] {
			if vl != route.DropVL {
				vls = max(vls, int(vl)+1)
			}
		}
	}
	return sls, vls
}

// onLayers returns a local Plan with one copy of its lanes for each layer. The judge reports links
// with too few VLs for that.
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
	out.Arbitration = route.EqualArbitration(g, out.VLs)
	return &out
}
