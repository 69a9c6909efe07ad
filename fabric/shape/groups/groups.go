// Package groups finds the groups of a Dragonfly or a full mesh, complete or damaged: from
// descriptions that begin with "group N ", or from the graph. In the graph, linked switches with
// many common neighbours are one group; if (nearly) all switches are linked, each is a group. A
// network has no groups if there are fewer than three. Nor has it if less than three quarters of
// the pairs of groups are linked, or less than half of the pairs of switches in some group.
package groups

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// Groups holds the groups of a network, their switches and their links.
type Groups struct {
	Of      []int32   // by switch
	Members [][]int32 // by group
	Linked  [][]int32 // by group: linked groups, ascending
}

// Find finds the groups of a network, from descriptions or else from the graph. It fails if most
// pairs of groups, or half of the pairs of switches in a group, are not linked.
func Find(g *fabric.Graph) (*Groups, error) {
	if of := described(g); of != nil {
		if n := newGroups(g, of); n.areMostlyLinked() && n.areLinkedWithin(g, .5) {
			return n, nil
		}
	}
	if n := groupsOfGraph(g); n != nil {
		return n, nil
	}
	return nil, errors.New("no groups of switches found: most pairs of groups, and of switches in a group, must be linked")
}

// newGroups numbers the groups by their first switch.
func newGroups(g *fabric.Graph, of []int32) *Groups {
	n := &Groups{Of: slices.Repeat([]int32{-1}, g.NumSwitches)}
	number := map[int32]int32{}
	for s, label := range of {
		k, known := number[label]
		if !known {
			k = int32(len(n.Members))
			number[label] = k
			n.Members = append(n.Members, nil)
		}
		n.Of[s] = k
		n.Members[k] = append(n.Members[k], int32(s))
	}
	n.Linked = make([][]int32, len(n.Members))
	for c := range g.NumChannels {
		if x, y := n.Of[g.From[c]], n.Of[g.To[c]]; x != y {
			n.Linked[x] = append(n.Linked[x], y)
		}
	}
	for k := range n.Linked {
		slices.Sort(n.Linked[k])
		n.Linked[k] = slices.Compact(n.Linked[k])
	}
	return n
}

// areMostlyLinked reports whether there are three groups or more, with three quarters of their
// pairs linked.
func (n *Groups) areMostlyLinked() bool {
	pairs, all := 0, len(n.Members)*(len(n.Members)-1)
	for _, to := range n.Linked {
		pairs += len(to)
	}
	return len(n.Members) > 2 && 4*pairs >= 3*all
}

// areLinkedWithin reports whether at least the given share of the pairs of switches of every group
// is linked.
func (n *Groups) areLinkedWithin(g *fabric.Graph, share float64) bool {
	linked := make([]int, len(n.Members))
	for s := range int32(g.NumSwitches) {
		near := map[int32]bool{s: true}
		for _, c := range g.OutOf(s) {
			if t := g.To[c]; n.Of[t] == n.Of[s] && !near[t] {
				near[t] = true
				linked[n.Of[s]]++
			}
		}
	}
	for k, members := range n.Members {
		if float64(linked[k]) < share*float64(len(members)*(len(members)-1)) {
			return false
		}
	}
	return true
}

// AreLinked reports whether a link joins two groups, or they are the same.
func (n *Groups) AreLinked(a, b int32) bool {
	_, found := slices.BinarySearch(n.Linked[a], b)
	return found || a == b
}

// Single reports whether every group is one switch (full mesh).
func (n *Groups) Single() bool { return len(n.Members) == len(n.Of) }

// described returns the group of each switch from descriptions that begin with "group N "; nil if
// one does not.
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

// groupsOfGraph finds groups from the links alone; nil if there are none. If each switch is linked
// to three quarters of all others, every switch is a group (full mesh). Otherwise linked switches
// are in one group if they have enough common neighbours (Dragonfly). Enough is a number that
// yields groups of three or more that are nearly all linked, or at least half of the most that any
// two linked switches have.
func groupsOfGraph(g *fabric.Graph) *Groups {
	near := neighbours(g)
	complete := !slices.ContainsFunc(near, func(list []int32) bool { return 4*len(list) < 3*(g.NumSwitches-1) })
	if complete {
		if n := newGroups(g, fabric.Numbers(g.NumSwitches)); n.areMostlyLinked() {
			return n
		}
		return nil
	}
	common := commonNeighbours(g, near)
	most := slices.Max(append([]int32{0}, common...))
	sharing := func(least int32) *Groups {
		return newGroups(g, joined(g, func(c int32) bool { return common[c] >= least }))
	}
	for least := most; least > 0; least-- {
		n := sharing(least)
		small := slices.ContainsFunc(n.Members, func(m []int32) bool { return len(m) < 3 })
		if !small && n.areMostlyLinked() && n.areLinkedWithin(g, nearlyAll) {
			return n
		}
	}
	if n := sharing((most + 1) / 2); most > 0 && n.areMostlyLinked() && n.areLinkedWithin(g, .5) {
		return n
	}
	return nil
}

// neighbours lists the switches linked to each switch, each once.
func neighbours(g *fabric.Graph) [][]int32 {
	near, seenBy := make([][]int32, g.NumSwitches), slices.Repeat([]int32{-1}, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			if t := g.To[c]; t != s && seenBy[t] != s {
				seenBy[t] = s
				near[s] = append(near[s], t)
			}
		}
	}
	return near
}

// commonNeighbours counts, by channel, the switches linked to both of its ends.
func commonNeighbours(g *fabric.Graph, near [][]int32) []int32 {
	common, nearTo := make([]int32, g.NumChannels), slices.Repeat([]int32{-1}, g.NumSwitches)
	for s := range int32(g.NumSwitches) {
		for _, t := range near[s] {
			nearTo[t] = s
		}
		for _, c := range g.OutOf(s) {
			for _, v := range near[g.To[c]] {
				if nearTo[v] == s {
					common[c]++
				}
			}
		}
	}
	return common
}

// nearlyAll is the share of linked pairs in a group that has lost hardly any link.
const nearlyAll = .8

// joined returns, by switch, the first switch of its part if only the channels for which holds is
// true connect switches.
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
