package valiant

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/fabric/shape/groups"
	"weft/route"
	"weft/route/internal/cdg"
)

// colours is the number of colours of groups, one for each SL.
const colours = route.NumSLs

func colour(group int32) int32 { return group % colours }

// lanes returns the number of lanes: one for each of the three groups of a path. It is two if
// groups are single switches, since a path then ends with its second link.
func lanes(n *groups.Groups) int {
	if n.Single() {
		return 2
	}
	return 3
}

// Kinds of ports of a switch, by their neighbours.
const (
	toEnd   = iota // to an end port
	within         // to a switch of the same group
	between        // to another group
)

// laneOf returns the VL of a packet from a switch of a group to another switch, by the kinds of its
// input and output ports and its SL: 0 in the source's group, 1 in the intermediate group, whose
// colour is the SL, and 2 in the destination's.
func laneOf(group int32, in, out int, sl uint8) uint8 {
	switch {
	case in == toEnd:
		return 0
	case colour(group) == int32(sl) || in == between && out == between:
		return 1
	case in == between:
		return 2
	}
	return 0
}

// addLanes fills in SL2VL tables, and the SLs by LID.
func addLanes(in *route.Input, n *groups.Groups, plan *route.Plan, sl []int32) {
	g := in.Graph
	plan.VLs = lanes(n)
	plan.SL2VL = route.UniformVL(g, route.VLTable{})
	for s := range int32(g.NumSwitches) {
		kinds := kindsOf(in, n, s)
		by := route.SwitchSL2VL{By: route.ByInOut, Index: make([]uint16, 0, len(kinds)*len(kinds))}
		for _, came := range kinds {
			for _, leaves := range kinds {
				var table route.VLTable
				if leaves != toEnd {
					for sl := range table {
						table[sl] = laneOf(n.Of[s], came, leaves, uint8(sl))
						if n.Single() {
							table[sl] = uint8(min(came, 1))
						}
					}
				}
				by.Index = append(by.Index, plan.SL2VL.Intern(table))
			}
		}
		plan.SL2VL.Switch[s] = by
	}
	if n.Single() {
		plan.SL = route.UniformSL(&in.Ends, 0)
		return
	}
	plan.SL = route.NewSLs(make([]int32, len(g.EndSwitch)), sl, 1, colours)
	plan.SL.OneWay = true
	for i := range int32(colours) {
		plan.SL.Set(0, i, uint8(i))
	}
}

// kindsOf lists the kinds of the ports of a switch.
func kindsOf(in *route.Input, n *groups.Groups, s int32) []int {
	g := in.Graph
	kinds := make([]int, g.SwitchPorts[s]+1)
	for _, c := range g.OutOf(s) {
		kinds[g.FromPort[c]] = between
		if n.Of[g.To[c]] == n.Of[s] {
			kinds[g.FromPort[c]] = within
		}
	}
	return kinds
}

// verify walks from every switch to every LID and refuses the network if the dependencies of
// channels and lanes have a cycle. That can happen only with missing links.
func verify(ctx context.Context, in *route.Input, n *groups.Groups, plan *route.Plan) error {
	g, lanes := in.Graph, int32(lanes(n))
	most := 0
	for s := range int32(g.NumSwitches) {
		most = max(most, len(g.OutOf(s)))
	}
	words := (most*int(lanes) + 63) / 64
	next := make([]uint64, g.NumChannels*int(lanes)*words) // by channel and lane: places of channels at its end, and lanes
	place := make([]int32, g.NumChannels)
	for i, c := range g.Out {
		place[c] = int32(i) - g.OutStart[g.From[c]]
	}
	for lid, end := range in.Ends.ByLID() {
		if end < 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for from := range int32(g.NumSwitches) {
			s, port, last := from, uint8(0), int32(-1)
			sl := plan.SL.ByClass(0, plan.SL.Dst[lid])
			for s != g.EndSwitch[end] {
				out := plan.Tables.Port(s, fabric.LID(lid))
				c, _ := g.At(s, out)
				if c < 0 {
					break
				}
				vl := int32(plan.SL2VL.Pool[plan.SL2VL.Index(g, s, port, out)][sl])
				if last >= 0 {
					bit := place[c]*lanes + vl
					next[int(last)*words+int(bit/64)] |= 1 << (bit % 64)
				}
				last, s, port = c*lanes+vl, g.To[c], g.ToPort[c]
			}
		}
	}
	cycle := cdg.FindCycle(g.NumChannels*int(lanes), func(node int32, visit func(next int32)) {
		first := g.OutStart[g.To[node/lanes]]
		for w, set := range next[int(node)*words : int(node+1)*words] {
			for ; set != 0; set &= set - 1 {
				bit := int32(w*64 + bits.TrailingZeros64(set))
				visit(g.Out[first+bit/lanes]*lanes + bit%lanes)
			}
		}
	})
	if cycle >= 0 {
		return route.Refuse(Name, "", "not a Dragonfly without gaps: the ways round what is missing can deadlock at %s", fabric.SwitchName(g, g.From[cycle/lanes]))
	}
	return nil
}
