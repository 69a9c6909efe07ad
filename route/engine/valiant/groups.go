package valiant

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// groups holds the groups of a network: which switches are in each, and which groups are linked.
type groups struct {
	of      []int32   // by switch
	members [][]int32 // by group
	linked  [][]int32 // by group: the other groups to which links lead, ascending
}

// findGroups finds the groups of a network, by descriptions or else by the graph. It fails where most
// pairs of groups, or half of the pairs of switches in a group, are not linked.
func findGroups(g *fabric.Graph) (*groups, error) {
	if of := described(g); of != nil {
		if n := newGroups(g, of); n.areMostlyLinked() && n.areLinkedWithin(g, .5) {
			return n, nil
		}
	}
	if n := groupsOfGraph(g); n != nil {
		return n, nil
	}
	return nil, errors.New("no groups of switches are found of which most are linked, as the switches of each are")
}

// Groups returns the group of every switch of a Dragonfly or full mesh, whole or damaged; false for other networks.
func Groups(g *fabric.Graph) (of []int32, ok bool) {
	n, err := findGroups(g)
	if err != nil {
		return nil, false
	}
	return n.of, true
}

// newGroups numbers the groups by their first switch.
func newGroups(g *fabric.Graph, of []int32) *groups {
	n := &groups{of: slices.Repeat([]int32{-1}, g.NumSwitches)}
	number := map[int32]int32{}
	for s, label := range of {
		k, known := number[label]
		if !known {
			k = int32(len(n.members))
			number[label] = k
			n.members = append(n.members, nil)
		}
		n.of[s] = k
		n.members[k] = append(n.members[k], int32(s))
	}
	n.linked = make([][]int32, len(n.members))
	for c := range g.NumChannels {
		if x, y := n.of[g.From[c]], n.of[g.To[c]]; x != y {
			n.linked[x] = append(n.linked[x], y)
		}
	}
	for k := range n.linked {
		slices.Sort(n.linked[k])
		n.linked[k] = slices.Compact(n.linked[k])
	}
	return n
}

// areMostlyLinked reports whether there are three groups or more, and three quarters of their pairs are linked.
func (n *groups) areMostlyLinked() bool {
	pairs, all := 0, len(n.members)*(len(n.members)-1)
	for _, to := range n.linked {
		pairs += len(to)
	}
	return len(n.members) > 2 && 4*pairs >= 3*all
}

// areLinkedWithin reports whether at least a share of the pairs of switches of every group are linked.
func (n *groups) areLinkedWithin(g *fabric.Graph, share float64) bool {
	linked := make([]int, len(n.members))
	for s := range int32(g.NumSwitches) {
		near := map[int32]bool{s: true}
		for _, c := range g.OutOf(s) {
			if t := g.To[c]; n.of[t] == n.of[s] && !near[t] {
				near[t] = true
				linked[n.of[s]]++
			}
		}
	}
	for k, members := range n.members {
		if float64(linked[k]) < share*float64(len(members)*(len(members)-1)) {
			return false
		}
	}
	return true
}

// areLinked reports whether a link joins two groups, or they are the same.
func (n *groups) areLinked(a, b int32) bool {
	_, found := slices.BinarySearch(n.linked[a], b)
	return found || a == b
}

// single reports whether every group is one switch (full mesh).
func (n *groups) single() bool { return len(n.members) == len(n.of) }

// described returns the group of each switch from descriptions that begin with "group N ", nil if one does not.
func described(g *fabric.Graph) []int32 {
	of := make([]int32, g.NumSwitches)
	for s, desc := range g.SwitchDesc {
		var rest string
		if _, err := fmt.Sscanf(desc, "group %d %s", &of[s], &rest); err != nil || !strings.HasPrefix(desc, "group ") {
			return nil
		}
	}
	return of
}

// groupsOfGraph finds groups by the links alone, nil where there are none. Where each switch is linked to three quarters of
// all others, every switch is a group (full mesh). Else linked switches are in one group if they have enough
// neighbours in common (Dragonfly): as many as make groups of three or more that are nearly all linked, or at least
// half as many as any two linked switches have.
func groupsOfGraph(g *fabric.Graph) *groups {
	near := make([]map[int32]bool, g.NumSwitches)
	complete := true
	for s := range near {
		near[s] = map[int32]bool{}
		for _, c := range g.OutOf(int32(s)) {
			if g.To[c] != int32(s) {
				near[s][g.To[c]] = true
			}
		}
		complete = complete && 4*len(near[s]) >= 3*(g.NumSwitches-1)
	}
	if complete {
		if n := newGroups(g, fabric.Numbers(g.NumSwitches)); n.areMostlyLinked() {
			return n
		}
		return nil
	}
	common, most := make([]int, g.NumChannels), 0
	for c := range common {
		for v := range near[g.From[c]] {
			if near[g.To[c]][v] {
				common[c]++
			}
		}
		most = max(most, common[c])
	}
	sharing := func(least int) *groups {
		return newGroups(g, joined(g, func(c int32) bool { return common[c] >= least }))
	}
	for least := most; least > 0; least-- {
		n := sharing(least)
		small := slices.ContainsFunc(n.members, func(m []int32) bool { return len(m) < 3 })
		if !small && n.areMostlyLinked() && n.areLinkedWithin(g, nearlyAll) {
			return n
		}
	}
	if n := sharing((most + 1) / 2); most > 0 && n.areMostlyLinked() && n.areLinkedWithin(g, .5) {
		return n
	}
	return nil
}

// nearlyAll is the share of the pairs of switches of a group that are linked where hardly any link is lost.
const nearlyAll = .8

// joined returns, by switch, the first switch of the part that it is in if only the channels that hold join switches.
func joined(g *fabric.Graph, holds func(c int32) bool) []int32 {
	of := slices.Repeat([]int32{-1}, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		if of[s] >= 0 {
			continue
		}
		of[s] = s
		stack := []int32{s}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, c := range g.OutOf(v) {
				if t := g.To[c]; of[t] < 0 && holds(c) {
					of[t] = s
					stack = append(stack, t)
				}
			}
		}
	}
	return of
}
