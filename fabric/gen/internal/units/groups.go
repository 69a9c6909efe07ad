package units

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/internal/fold"
)

// GroupLinks describes the cables between the groups of a network.
type GroupLinks struct {
	Each   int                   // cables of most pairs of groups
	One    fabric.LinkID         // one of them
	Global map[fabric.NodeID]int // by switch: its cables to other groups
	levels map[int32]bool        // of the switches that have them
	lacks  string                // the groups without free ports for another group; "" if there are none
}

// linksOfGroups counts the cables between groups, and the groups without room for another one.
func (n *Pattern) linksOfGroups() *GroupLinks {
	of := map[fabric.NodeID]int{}
	for i := range n.Groups {
		for _, s := range n.Groups[i].Switches {
			of[s] = i
		}
	}
	l := &GroupLinks{One: fabric.NoLink, Global: map[fabric.NodeID]int{}, levels: map[int32]bool{}}
	between := map[[2]int]int{}
	for i, link := range n.f.Links {
		a, b := link.A.Node, link.B.Node
		if !n.f.IsSwitchLink(fabric.LinkID(i)) || of[a] == of[b] {
			continue
		}
		between[[2]int{min(of[a], of[b]), max(of[a], of[b])}]++
		l.Global[a]++
		l.Global[b]++
		l.levels[n.Level[a]], l.levels[n.Level[b]] = true, true
		l.One = fabric.LinkID(i)
	}
	times := map[int]int{}
	for _, cables := range between {
		times[cables]++
	}
	for cables, pairs := range times {
		if pairs > times[l.Each] || pairs == times[l.Each] && cables < l.Each {
			l.Each = cables
		}
	}
	l.lacks = n.fullGroups(l)
	return l
}

// SwitchesOf lists the switches of a group on the levels that have cables to other groups.
func (l *GroupLinks) SwitchesOf(n *Pattern, u *Unit) []fabric.NodeID {
	return slices.DeleteFunc(slices.Clone(u.Switches), func(s fabric.NodeID) bool { return !l.levels[n.Level[s]] })
}

// LacksGroup describes the ports that a network lacks for another group like a unit; "" if it lacks
// none.
func (n *Pattern) LacksGroup(u *Unit) string {
	l := n.Across
	room := 0 // of the new group
	for _, s := range l.SwitchesOf(n, u) {
		room += len(nodes.FreePorts(n.f, s)) + l.Global[s]
	}
	if need := l.Each * len(n.Groups); room < need {
		return fmt.Sprintf("its switches have %s for cables to other groups, it takes %d", fold.Count(room, "port", "ports"), need)
	}
	return l.lacks
}

// fullGroups names a group without free ports for another group, and counts such groups; "" if
// there are none.
func (n *Pattern) fullGroups(l *GroupLinks) string {
	var first string
	short := 0
	for i := range n.Groups {
		free := 0
		switches := l.SwitchesOf(n, &n.Groups[i])
		for _, s := range switches {
			free += len(nodes.FreePorts(n.f, s))
		}
		if free >= l.Each {
			continue
		}
		if short++; first == "" {
			switches = append(switches, n.Groups[i].Switches...) // there may be none on these levels
			first = fmt.Sprintf("the group of %s has %d free ports, it takes %d", n.f.NodeName(switches[0]), free, l.Each)
		}
	}
	if short == 0 {
		return ""
	}
	return fmt.Sprintf("%s; so it is in %d of %d groups", first, short, len(n.Groups))
}
