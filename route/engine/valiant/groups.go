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
	for _, find := range []func(*fabric.Graph) []int32{described, cliques} {
		if of := find(g); of != nil {
			if n := newGroups(g, of); n.areMostlyLinked() && n.areHalfLinkedWithin(g) {
				return n, nil
			}
		}
	}
	return nil, errors.New("no groups of switches are found of which most are linked, as the switches of each are")
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

// areHalfLinkedWithin reports whether at least half of the pairs of switches of every group are linked.
func (n *groups) areHalfLinkedWithin(g *fabric.Graph) bool {
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
		if 2*linked[k] < len(members)*(len(members)-1) {
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

// cliques returns the group of each switch from the graph. Where each switch is linked to three quarters of
// all others, every switch is a group (full mesh). Else linked switches are in one group if they have at
// least half as many neighbours in common as any two linked switches have (Dragonfly).
func cliques(g *fabric.Graph) []int32 {
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
		return fabric.Numbers(g.NumSwitches)
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
	if most == 0 {
		return nil
	}
	return joined(g, func(c int32) bool { return 2*common[c] >= most })
}

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
