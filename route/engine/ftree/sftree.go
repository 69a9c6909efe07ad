package ftree

import (
	"slices"

	"weft/route"
)

// subtree connects the switches that no legal path joins as paper III does
// (algorithms 1 and 2): a switch without a path to another sends to the root of a
// subtree, which is a leaf, until a switch on the way has a path. The hops that
// result need no counting (get_path_length): the judge and everyone else count those
// of the tables.
//
// Deviations: the root is kept away from the node of the subnet manager only if that
// switch is given (option avoid). On degraded trees the paths of several targets can close a cycle
// (see the package's tests), which the judge finds.
func subtree(t *tree, ends *route.Ends, tables *route.Tables, avoid []int32) {
	root := subtreeRoot(t, ends, tables, avoid)
	if root < 0 {
		return
	}
	g := t.g
	before := tables.Clone()
	rootLID := ends.Base[g.PortZero(root)]
	sibling, toSibling := siblingOf(t, root)
	for x := range int32(g.NumSwitches) {
		lid := ends.Base[g.PortZero(x)]
		if lid == 0 {
			continue
		}
		rootHas := x == root || before.Port(root, lid) != route.NoPort
		siblingHas := sibling >= 0 && (x == sibling || before.Port(sibling, lid) != route.NoPort)
		if !rootHas && siblingHas {
			tables.Set(root, lid, toSibling)
		}
		for s := range int32(g.NumSwitches) {
			if s == root || s == x || before.Port(s, lid) != route.NoPort {
				continue
			}
			if rootHas {
				tables.Set(s, lid, before.Port(s, rootLID))
			} else if siblingHas && s != sibling {
				tables.Set(s, lid, before.Port(s, ends.Base[g.PortZero(sibling)]))
			}
		}
	}
}

// subtreeRoot is the first leaf with paths to all switches, or just the first.
func subtreeRoot(t *tree, ends *route.Ends, tables *route.Tables, avoid []int32) int32 {
	first := int32(-1)
	for _, l := range t.leaves {
		if slices.Contains(avoid, l) || t.g.Drained[l] {
			continue
		}
		if first < 0 {
			first = l
		}
		all := true
		for x := range int32(t.g.NumSwitches) {
			lid := ends.Base[t.g.PortZero(x)]
			all = all && (x == l || lid == 0 || tables.Port(l, lid) != route.NoPort)
		}
		if all {
			return l
		}
	}
	return first
}

// siblingOf is a neighbour of the same height, and the port that leads to it.
func siblingOf(t *tree, s int32) (sibling int32, port uint8) {
	first, last := t.groupsOf(s)
	for i := first; i < last; i++ {
		if v := t.to[i]; v != s && t.height[v] == t.height[s] {
			return v, t.portsOf(i)[0]
		}
	}
	return -1, route.NoPort
}
