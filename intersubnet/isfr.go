package intersubnet

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Fallback reports packets between two subnets that do not use ISFR.
type Fallback struct {
	Method Method `json:"method"`
	From   string `json:"from"` // "" for all subnets
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// primaryPaths returns, by end port of a subnet, the switch with routers on its primary path; or
// the reason why the subnet is no fat-tree under routers.
type primaryPaths func(subnet int32) (primary []int32, reason string)

// isfr sets the paths into each subnet that is a fat-tree with its routers on top. Into other
// subnets the paths of method stay; the Fallbacks list them.
func (p *Plan) isfr(a *admissible, method Method, paths primaryPaths) []Fallback {
	var fallbacks []Fallback
	start := map[int]int{} // by place of a switch with routers: targets at home there in the subnets before
	for target := range int32(len(p.Net.Subnets)) {
		sub := &p.Net.Subnets[target]
		primary, reason := paths(target)
		if reason != "" {
			fallbacks = append(fallbacks, Fallback{Method: method, To: sub.Name, Reason: reason})
			continue
		}
		home := p.homePorts(target, a.sorted[target], primary, start)
		ends := targets(p.Net, target)
		for s := range int32(len(p.Net.Subnets)) {
			if s == target || a.distance[target][s] < 0 { // there is no way, by whatever method
				continue
			}
			if reason := p.follow(a, s, target, ends, home); reason != "" {
				fallbacks = append(fallbacks, Fallback{method, p.Net.Subnets[s].Name, sub.Name, reason})
			}
		}
		for r := range int32(len(p.Net.Routers)) {
			p.pickPrimary(a, r, target, ends, primary)
		}
	}
	return fallbacks
}

// byTables finds the primary paths in the local Plans, once for all subnets of one Kind and Plan.
func (p *Plan) byTables() primaryPaths {
	type key struct {
		kind  int32
		local *route.Plan
	}
	known := map[key][]int32{}
	return func(subnet int32) ([]int32, string) {
		sub, local := &p.Net.Subnets[subnet], p.Local[subnet]
		t := &tree{g: p.Net.Graph(subnet), isRouter: func(h int32) bool { return p.Net.IsRouter(subnet, h) }}
		for _, port := range sub.Ports {
			t.tops = append(t.tops, t.g.EndSwitch[p.Net.Ports[port].End])
		}
		if reason := t.noTree(local, func(i int) string { return p.Net.PortName(sub.Ports[i]) }); reason != "" {
			return nil, reason
		}
		k := key{sub.Kind, local}
		if known[k] == nil {
			known[k] = t.primarySwitches(local, targets(p.Net, subnet))
		}
		return known[k], ""
	}
}

// tree is a subnet that may be a fat-tree under routers.
type tree struct {
	g        *fabric.Graph
	isRouter func(end int32) bool
	tops     []int32 // by router port: its switch
}

// noTree returns the reason why a subnet is not a fat-tree with routers above its top switches; ""
// if it is one. nameOf names router ports.
func (t *tree) noTree(local *route.Plan, nameOf func(port int) string) string {
	if local.Recipe.Paths != "ftree" {
		return "it is routed by " + local.Recipe.Engine() + ", not by ftree"
	}
	if local.Recipe.Options[route.Relief.Name] != "" {
		return "its paths were moved by the option relief of ftree"
	}
	height := t.heights()
	top := slices.Max(height)
	for i, s := range t.tops {
		if height[s] != top || top == 0 {
			return fmt.Sprintf("%s is at switch %q, which is no root", nameOf(i), t.g.SwitchDesc[s])
		}
	}
	return ""
}

// heights returns the distance of each switch from the switches with hosts; routers are not hosts.
func (t *tree) heights() []int32 {
	search := t.g.NewSearch(nil)
	search.From(t.leaves()...)
	return search.Hops
}

// leaves lists the switches with hosts; routers are not hosts.
func (t *tree) leaves() (list []int32) {
	for s := range int32(t.g.NumSwitches) {
		if slices.ContainsFunc(t.g.HostsOf(s), func(h int32) bool { return !t.isRouter(h) }) {
			list = append(list, s)
		}
	}
	return list
}

// primarySwitches returns, by end port, the switch with routers that the most leaves pass on the
// way to it: the switch of its primary path. If no leaf passes one, it is the first of the nearest.
func (t *tree) primarySwitches(local *route.Plan, targets []int32) []int32 {
	g, leaves := t.g, t.leaves()
	withRouters := make([]bool, g.NumSwitches)
	tops := slices.Clone(t.tops)
	slices.Sort(tops)
	tops = slices.Compact(tops)
	for _, s := range tops {
		withRouters[s] = true
	}
	search := g.NewSearch(nil)
	primary := slices.Repeat([]int32{-1}, g.NumEnds)
	votes := make([]int32, g.NumSwitches)
	for _, end := range targets {
		clear(votes)
		lid, best := local.Ends.Base[end], int32(-1)
		for _, leaf := range leaves {
			if s := firstOnWay(g, local.Tables, leaf, lid, withRouters); s >= 0 {
				votes[s]++
			}
		}
		for _, s := range tops {
			if votes[s] > 0 && (best < 0 || votes[s] > votes[best]) {
				best = s
			}
		}
		if best < 0 && len(tops) > 0 {
			search.From(g.EndSwitch[end])
			best = slices.MinFunc(tops, func(x, y int32) int { return cmp.Compare(uint32(search.Hops[x]), uint32(search.Hops[y])) })
		}
		primary[end] = best
	}
	return primary
}

// firstOnWay returns the first of some switches on the way from a switch to a LID, -1 for none.
func firstOnWay(g *fabric.Graph, t *route.Tables, s int32, lid fabric.LID, some []bool) int32 {
	for range g.NumSwitches {
		if some[s] {
			return s
		}
		c, _ := g.At(s, t.Port(s, lid))
		if c < 0 {
			return -1
		}
		s = g.To[c]
	}
	return -1
}

// homePorts gives each target a router port, by its place, at the switch of its primary path, round
// robin. Switches at the same position of their subnets share one count of turns, as the pods of a
// larger tree share its roots.
func (p *Plan) homePorts(target int32, sorted, primary []int32, start map[int]int) []int32 {
	g := p.Net.Graph(target)
	ports := map[int32][]int32{} // places by switch
	for _, place := range sorted {
		port := p.Net.Subnets[target].Ports[place]
		if s := g.EndSwitch[p.Net.Ports[port].End]; !p.Down[port] {
			ports[s] = append(ports[s], place)
		}
	}
	var tops []int32
	for s := range ports {
		tops = append(tops, s)
	}
	slices.Sort(tops)
	home := slices.Repeat([]int32{-1}, g.NumEnds)
	for _, end := range targets(p.Net, target) {
		at := ports[primary[end]]
		if len(at) == 0 {
			continue
		}
		place, _ := slices.BinarySearch(tops, primary[end])
		home[end] = at[start[place]%len(at)]
		if g.IsHost(end) { // port 0 of switches must not shift hosts
			start[place]++
		}
	}
	return home
}

// follow sends packets from a subnet to the routers of their targets' home ports: to the port there
// with the same index as the home port. If it cannot, it changes nothing and returns the reason.
func (p *Plan) follow(a *admissible, s, target int32, ends, home []int32) string {
	if a.distance[target][s] != 1 {
		return "no router joins them directly"
	}
	n := p.Net
	gateways := slices.Repeat([]int32{-1}, len(n.Subnets[target].Ports)) // by place of the home port
	for place, port := range n.Subnets[target].Ports {
		router := n.Ports[port].Router
		here, there := a.up[router][s], a.up[router][target]
		if i := slices.Index(there, port); i >= 0 && len(here) > 0 {
			gateways[place] = n.PlaceOf(here[i%len(here)])
		}
	}
	row := a.emptyRow(target)
	copy(row, p.Gateway[s][target])
	for _, end := range ends {
		if home[end] < 0 {
			continue // keeps its gateway
		}
		if row[end] = gateways[home[end]]; row[end] < 0 {
			router := n.Ports[n.Subnets[target].Ports[home[end]]].Router
			return fmt.Sprintf("router %q, which has primary paths, has no port in %q", n.Routers[router].Name, n.Subnets[s].Name)
		}
	}
	p.Gateway[s][target] = a.rows.row(row)
	return ""
}

// pickPrimary picks the ports through which a router sends packets into a target subnet: the port
// at the switch of the primary path. If the router has no port there, targets take turns at its
// ports.
func (p *Plan) pickPrimary(a *admissible, r, target int32, ends, primary []int32) {
	e := &p.Egress[r][target]
	if len(e.Ports) < 2 || p.Net.Ports[e.Ports[0]].Subnet != target {
		return
	}
	g, pick := p.Net.Graph(target), a.emptyPick(target)
	for i, end := range ends {
		at := slices.IndexFunc(e.Ports, func(q int32) bool { return g.EndSwitch[p.Net.Ports[q].End] == primary[end] })
		if at < 0 {
			at = i % len(e.Ports)
		}
		pick[end] = uint8(at)
	}
	e.Pick = a.picks.row(pick)
}
