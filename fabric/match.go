package fabric

import (
	"cmp"
	"slices"
	"sort"
)

// Match finds the switches and end ports of g in an old Graph, by node GUID and port. It returns
// the old number of each, or -1. Of both Graphs it reads only the GUIDs and the port numbers of end
// ports.
func Match(old, g *Graph) (switches, ends []int32) {
	switches = match(inOrder(g.NumSwitches, g.compareSwitches), inOrder(old.NumSwitches, old.compareSwitches), func(s, o int32) int { return cmp.Compare(g.SwitchGUID[s], old.SwitchGUID[o]) })
	ends = match(inOrder(g.NumHosts, g.compareHosts), inOrder(old.NumHosts, old.compareHosts), func(h, o int32) int { return compareEnd(old, int(o), g.EndNodeGUID[h], g.EndNum[h]) })
	for _, o := range switches {
		if o >= 0 {
			o = old.PortZero(o)
		}
		ends = append(ends, o)
	}
	return switches, ends
}

// inOrder lists the numbers below n in the given order, which they already have in a Graph made by
// Compile.
func inOrder(n int, compare func(a, b int32) int) []int32 {
	list := Numbers(n)
	if !slices.IsSortedFunc(list, compare) {
		slices.SortFunc(list, compare)
	}
	return list
}

func (g *Graph) compareSwitches(a, b int32) int { return cmp.Compare(g.SwitchGUID[a], g.SwitchGUID[b]) }

func (g *Graph) compareHosts(a, b int32) int {
	return compareEnd(g, int(b), g.EndNodeGUID[a], g.EndNum[a])
}

// match pairs the members of two ordered lists: it returns, by number in the first list, the number
// in the second, or -1.
func match(list, old []int32, compare func(i, o int32) int) []int32 {
	was := slices.Repeat([]int32{-1}, len(list))
	for i, o := 0, 0; i < len(list) && o < len(old); {
		switch d := compare(list[i], old[o]); {
		case d > 0:
			o++
		case d == 0:
			was[list[i]] = old[o]
			i++
		default:
			i++
		}
	}
	return was
}

// compareEnd compares a port of a node with CA or router port h of g, in the order of the Graph.
func compareEnd(g *Graph, h int, node GUID, port uint8) int {
	return cmp.Or(cmp.Compare(node, g.EndNodeGUID[h]), cmp.Compare(port, g.EndNum[h]))
}

// FindEnd returns the end port of g for a port of a node, or -1.
func (g *Graph) FindEnd(node GUID, port uint8) int32 {
	if h, ok := sort.Find(g.NumHosts, func(h int) int { return compareEnd(g, h, node, port) }); ok {
		return int32(h)
	}
	if s, ok := slices.BinarySearch(g.SwitchGUID, node); ok && port == 0 {
		return g.PortZero(int32(s))
	}
	return Nothing
}
