package check

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Groups judges the trees of multicast groups. Each must be a connected part, without a ring, of a
// tree of the Plan's pool. It must reach every receiver once and nobody else, and include the
// switch of every sender. Then the pool, which Judge proves with the Plan, has all its turns and
// lanes. No two groups may share an MLID: switches have one entry for both. Faults name a group by
// its place in groups.
func Groups(g *fabric.Graph, pool *route.Multicast, groups []route.Group, trees []route.GroupTree) (faults []GroupFault) {
	taken := make(map[fabric.LID]bool, len(groups))
	for i := range groups {
		fault, mlid := "", groups[i].MLID
		switch {
		case mlid < fabric.FirstMLID || mlid > fabric.LastMLID:
			fault = fmt.Sprintf("LID 0x%X is not a multicast LID", uint16(mlid))
		case taken[mlid]:
			fault = "another group has its MLID"
		case i >= len(trees):
			fault = "it has no tree"
		default:
			fault = groupFault(g, pool, &groups[i], &trees[i])
		}
		taken[mlid] = true
		if fault != "" {
			faults = append(faults, GroupFault{i, fault})
		}
	}
	return faults
}

// GroupFault describes a fault of a group's tree.
type GroupFault struct {
	Group int
	Text  string
}

// groupFault returns the fault of a group's tree, "" if it has none.
func groupFault(g *fabric.Graph, pool *route.Multicast, group *route.Group, t *route.GroupTree) string {
	members := len(group.Receivers) + len(group.Senders)
	switch {
	case t.Tree == route.NoTree && members > 0:
		return "no tree of the pool covers all its members"
	case members == 0 && len(t.Switches) > 0:
		return "it has switches and no members"
	case members == 0:
		return ""
	case pool == nil || t.Tree < 0 || t.Tree >= len(pool.Trees) || len(t.Switches) != len(t.Ports):
		return "it belongs to no tree of the pool"
	}
	for i, s := range t.Switches {
		if s < 0 || int(s) >= g.NumSwitches || i > 0 && s <= t.Switches[i-1] {
			return "its switches are not in order"
		}
	}
	if fault := memberFault(g, group); fault != "" {
		return fault
	}
	for _, s := range t.Switches {
		if !pool.Trees[t.Tree].Covers(s) {
			return fmt.Sprintf("switch %s is not in the tree of the pool", fabric.SwitchName(g, s))
		}
	}
	for _, e := range slices.Concat(group.Receivers, group.Senders) {
		if _, ok := slices.BinarySearch(t.Switches, g.EndSwitch[e]); !ok {
			return fmt.Sprintf("the switch of %v is not in it", g.EndName(e))
		}
	}
	cables, fault := groupPorts(g, &pool.Trees[t.Tree], group, t)
	switch {
	case fault != "":
		return fault
	case cables != len(t.Switches)-1:
		return fmt.Sprintf("it has %d cables between %d switches", cables, len(t.Switches))
	case !inOnePiece(g, t):
		return "it is not connected"
	}
	return ""
}

// memberFault returns a fault of a group's lists of members, "" if they have none.
func memberFault(g *fabric.Graph, group *route.Group) string {
	for _, list := range [2][]int32{group.Receivers, group.Senders} {
		for i, e := range list {
			switch {
			case e < 0 || int(e) >= g.NumEnds:
				return fmt.Sprintf("its member %d does not exist", e)
			case i > 0 && e == list[i-1]:
				return fmt.Sprintf("%v is a member twice", g.EndName(e))
			case i > 0 && e < list[i-1]:
				return "its members are not in order"
			}
		}
	}
	return ""
}

// groupPorts checks every port of a group: it belongs to a cable of the tree, together with its
// other end, or to a receiver. Each receiver must have one.
func groupPorts(g *fabric.Graph, pool *route.SpanningTree, group *route.Group, t *route.GroupTree) (cables int, fault string) {
	reached := 0
	for i, s := range t.Switches {
		t.Ports[i].Each(func(port uint8) {
			c, host := g.At(s, port)
			end := host
			if port == 0 {
				end = g.PortZero(s)
			}
			switch {
			case fault != "":
			case c < 0 && end < 0:
				fault = fmt.Sprintf("it leads out of %v, an unused port", g.SwitchPort(s, port))
			case c < 0:
				if _, ok := slices.BinarySearch(group.Receivers, end); !ok {
					fault = fmt.Sprintf("it reaches %v, which is not a member", g.EndName(end))
				}
				reached++
			default:
				other := t.At(g.To[c])
				if !other.Has(g.ToPort[c]) {
					fault = fmt.Sprintf("%v is in it, but the other end of the cable is not", g.SwitchPort(s, port))
				}
				if pool.Up[s] != c && pool.Up[g.To[c]] != c^1 {
					fault = fmt.Sprintf("%v is in it, but not in the tree of the pool", g.SwitchPort(s, port))
				}
				cables++
			}
		})
	}
	if fault == "" && reached != len(group.Receivers) {
		fault = fmt.Sprintf("it reaches %d of %d receivers", reached, len(group.Receivers))
	}
	return cables / 2, fault
}

// inOnePiece reports whether all switches of a group are joined.
func inOnePiece(g *fabric.Graph, t *route.GroupTree) bool {
	seen := make([]bool, len(t.Switches))
	seen[0] = true
	n := 1
	for queue := []int32{t.Switches[0]}; len(queue) > 0; queue = queue[1:] {
		ports := t.At(queue[0])
		ports.Each(func(port uint8) {
			c, _ := g.At(queue[0], port)
			if c < 0 || port == 0 {
				return
			}
			if at, ok := slices.BinarySearch(t.Switches, g.To[c]); ok && !seen[at] {
				seen[at] = true
				n++
				queue = append(queue, g.To[c])
			}
		})
	}
	return n == len(t.Switches)
}
