package gen

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/fold"
)

// groupLinks describes the cables between the groups of a network.
type groupLinks struct {
	each   int                   // cables of most pairs of groups
	one    fabric.LinkID         // one of them
	global map[fabric.NodeID]int // by switch: its cables to other groups
	levels map[int32]bool        // of the switches that have them
	lacks  string                // the groups without free ports for another group; "" if there are none
}

// linksOfGroups counts the cables between groups, and the groups without room for another one.
func (n *pattern) linksOfGroups() *groupLinks {
	of := map[fabric.NodeID]int{}
	for i := range n.groups {
		for _, s := range n.groups[i].switches {
			of[s] = i
		}
	}
	l := &groupLinks{one: fabric.NoLink, global: map[fabric.NodeID]int{}, levels: map[int32]bool{}}
	between := map[[2]int]int{}
	for i, link := range n.f.Links {
		a, b := link.A.Node, link.B.Node
		if !n.f.IsSwitchLink(fabric.LinkID(i)) || of[a] == of[b] {
			continue
		}
		between[[2]int{min(of[a], of[b]), max(of[a], of[b])}]++
		l.global[a]++
		l.global[b]++
		l.levels[n.level[a]], l.levels[n.level[b]] = true, true
		l.one = fabric.LinkID(i)
	}
	times := map[int]int{}
	for _, cables := range between {
		times[cables]++
	}
	for cables, pairs := range times {
		if pairs > times[l.each] || pairs == times[l.each] && cables < l.each {
			l.each = cables
		}
	}
	l.lacks = n.fullGroups(l)
	return l
}

// switchesOf lists the switches of a group on the levels that have cables to other groups.
func (l *groupLinks) switchesOf(n *pattern, u *unit) []fabric.NodeID {
	return slices.DeleteFunc(slices.Clone(u.switches), func(s fabric.NodeID) bool { return !l.levels[n.level[s]] })
}

// lacksGroup says what a network lacks for another group like a unit; "" if nothing.
func (n *pattern) lacksGroup(u *unit) string {
	l := n.across
	room := 0 // of the new group
	for _, s := range l.switchesOf(n, u) {
		room += len(freePorts(n.f, s)) + l.global[s]
	}
	if need := l.each * len(n.groups); room < need {
		return fmt.Sprintf("its switches have %s for cables to other groups, it takes %d", fold.Count(room, "port", "ports"), need)
	}
	return l.lacks
}

// fullGroups names a group without free ports for another group, and counts such groups; "" if
// there are none.
func (n *pattern) fullGroups(l *groupLinks) string {
	var first string
	short := 0
	for i := range n.groups {
		free := 0
		switches := l.switchesOf(n, &n.groups[i])
		for _, s := range switches {
			free += len(freePorts(n.f, s))
		}
		if free >= l.each {
			continue
		}
		if short++; first == "" {
			switches = append(switches, n.groups[i].switches...) // there may be none on these levels
			first = fmt.Sprintf("the group of %s has %d free ports, it takes %d", n.f.NodeName(switches[0]), free, l.each)
		}
	}
	if short == 0 {
		return ""
	}
	return fmt.Sprintf("%s; so it is in %d of %d groups", first, short, len(n.groups))
}

// joinGroup joins the copy of a group to all groups, by as many cables as join most of them. In
// each group the switch with the fewest such cables takes the next one.
func (x *extension) joinGroup(model *unit) error {
	l := x.net.across
	var mine []fabric.NodeID
	for _, s := range l.switchesOf(x.net, model) {
		mine = append(mine, x.copies[s])
	}
	next := func(switches []fabric.NodeID) fabric.End {
		open := slices.DeleteFunc(slices.Clone(switches), func(s fabric.NodeID) bool { return len(freePorts(x.f, s)) == 0 })
		s := slices.MinFunc(open, func(a, b fabric.NodeID) int { return cmp.Compare(l.global[a], l.global[b]) })
		l.global[s]++
		return fabric.End{Node: s, Port: freePorts(x.f, s)[0]}
	}
	for i := range x.net.groups {
		theirs := l.switchesOf(x.net, &x.net.groups[i])
		for range l.each {
			if err := x.connect(next(mine), next(theirs), l.one); err != nil {
				return err
			}
		}
	}
	return nil
}
