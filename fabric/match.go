package fabric

import (
	"cmp"
	"slices"
	"sort"
)

// Match finds the switches and end ports of g in an old Graph, by node GUID and port: by switch
// of g its number there, by end port the same, or -1. Of both Graphs it reads the GUIDs and the
// port numbers of end ports alone.
func Match(old, g *Graph) (switches, ends []int32) {
	switches = match(g.NumSwitches, old.NumSwitches, func(s, o int) int { return cmp.Compare(g.SwitchGUID[s], old.SwitchGUID[o]) })
	ends = match(g.NumHosts, old.NumHosts, func(h, o int) int { return compareEnd(old, o, g.EndNodeGUID[h], g.EndNum[h]) })
	for _, o := range switches {
		if o >= 0 {
			o = old.PortZero(o)
		}
		ends = append(ends, o)
	}
	return switches, ends
}

// match pairs the members of two sorted lists: by member of the first that of the second, -1 for none.
func match(n, old int, compare func(i, o int) int) []int32 {
	was := slices.Repeat([]int32{-1}, n)
	for i, o := 0, 0; i < n && o < old; {
		switch d := compare(i, o); {
		case d > 0:
			o++
		case d == 0:
			was[i] = int32(o)
			i++
		default:
			i++
		}
	}
	return was
}

// compareEnd compares a port of a node with the CA or router port h of g, in the order of these.
func compareEnd(g *Graph, h int, node GUID, port uint8) int {
	return cmp.Or(cmp.Compare(node, g.EndNodeGUID[h]), cmp.Compare(port, g.EndNum[h]))
}

// FindEnd returns the end port of g that is this port of a node, or -1.
func (g *Graph) FindEnd(node GUID, port uint8) int32 {
	if h, ok := sort.Find(g.NumHosts, func(h int) int { return compareEnd(g, h, node, port) }); ok {
		return int32(h)
	}
	if s, ok := slices.BinarySearch(g.SwitchGUID, node); ok && port == 0 {
		return g.PortZero(int32(s))
	}
	return Nothing
}
