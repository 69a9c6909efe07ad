package intersubnet

import (
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/route"
)

// On returns the Plan on a network that has changed (subnets.Network.With), as hosts and routers
// still follow it. local has the tables that switches hold now. New end ports have no gateway, and
// packets for a removed router port are lost.
func (p *Plan) On(after *subnets.Network, local []*route.Plan) *Plan {
	out := *p
	out.Net, out.Local = after, local
	out.Down = slices.Clone(p.Down)
	for port := range after.Ports {
		out.Down[port] = out.Down[port] || after.Ports[port].End < 0
	}
	moved, switches := make([][]int32, len(after.Subnets)), make([][]int32, len(after.Subnets)) // of subnets that have changed, by end port and switch: its number before
	for s := range moved {
		if now, was := after.Graph(int32(s)), p.Net.Graph(int32(s)); now != was {
			switches[s], moved[s] = fabric.Match(was, now)
		}
	}
	out.Gateway, out.Egress = slices.Clone(p.Gateway), slices.Clone(p.Egress)
	for s := range out.Gateway {
		out.Gateway[s] = slices.Clone(p.Gateway[s])
		for t, row := range out.Gateway[s] {
			if row != nil && (moved[s] != nil || moved[t] != nil) {
				out.Gateway[s][t] = p.rowOn(after, int32(s), row, moved[t])
			}
		}
	}
	out.BySwitch = slices.Clone(p.BySwitch)
	for s := range out.BySwitch {
		out.BySwitch[s] = slices.Clone(p.BySwitch[s])
		for t, row := range out.BySwitch[s] {
			if row != nil && (moved[s] != nil || moved[t] != nil) {
				out.BySwitch[s][t] = p.switchesOn(after, int32(s), int32(t), switches[s], moved[t])
			}
		}
	}
	for r := range out.Egress {
		out.Egress[r] = slices.Clone(p.Egress[r])
		for t := range out.Egress[r] {
			if e := &out.Egress[r][t]; e.Pick != nil && moved[t] != nil {
				e.Pick = reordered(e.Pick, moved[t], 0)
			}
		}
	}
	return &out
}

// rowOn returns a row of gateways of a subnet, with the end ports and places of a network that has
// changed. moved is nil if the target's end ports have not changed.
func (p *Plan) rowOn(after *subnets.Network, s int32, row, moved []int32) []int32 {
	if moved == nil {
		row = slices.Clone(row)
	} else {
		row = reordered(row, moved, -1)
	}
	for e, place := range row {
		if place < 0 {
			continue
		}
		port := p.Net.Subnets[s].Ports[place]
		if row[e] = -1; after.Ports[port].End >= 0 {
			row[e] = after.PlaceOf(port)
		}
	}
	return row
}

// switchesOn is rowOn for a row of BySwitch. A new switch has no gateways.
func (p *Plan) switchesOn(after *subnets.Network, s, t int32, switches, moved []int32) (out []int32) {
	old, ends := p.BySwitch[s][t], p.Net.Graph(t).NumEnds
	for sw := range after.Graph(s).NumSwitches {
		was := int32(sw)
		if switches != nil {
			was = switches[sw]
		}
		if was < 0 {
			out = append(out, slices.Repeat([]int32{-1}, after.Graph(t).NumEnds)...)
			continue
		}
		out = append(out, p.rowOn(after, s, old[int(was)*ends:][:ends], moved)...)
	}
	return out
}

// reordered returns a row in the order of a changed subnet's end ports; new end ports get fresh.
func reordered[T int32 | uint8](row []T, moved []int32, fresh T) []T {
	out := make([]T, len(moved))
	for e, was := range moved {
		if out[e] = fresh; was >= 0 {
			out[e] = row[was]
		}
	}
	return out
}

// MovedGateways counts the pairs of a subnet and a target in another, and how many of them get
// another gateway from a second Plan on the same network.
func MovedGateways(before, after *Plan) (all, moved int64) {
	n := before.Net
	for s := range int32(len(n.Subnets)) {
		for target := range int32(len(n.Subnets)) {
			for e := range int32(n.Graph(target).NumEnds) {
				if s == target || n.IsRouter(target, e) {
					continue
				}
				to := Address{target, e}
				all++
				if before.moves(after, s, to) {
					moved++
				}
			}
		}
	}
	return all, moved
}

// moves reports whether another Plan on the same network gives a subnet, or a switch of it, another
// gateway for a target.
func (p *Plan) moves(after *Plan, s int32, to Address) bool {
	if p.bySwitch(s, to.Subnet) == nil && after.bySwitch(s, to.Subnet) == nil {
		return p.GatewayPort(s, to) != after.GatewayPort(s, to)
	}
	for sw := range int32(p.Net.Graph(s).NumSwitches) {
		if p.gatewayOf(s, sw, to) != after.gatewayOf(s, sw, to) {
			return true
		}
	}
	return false
}
