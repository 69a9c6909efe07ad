package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/lanes"
)

// subtree connects the switches that no legal path joins as paper III does
// (algorithms 1 and 2): a switch without a path to another sends to the root of a
// subtree, which is a leaf, until a switch on the way has a path. The hops that
// result need no counting (get_path_length): the judge and everyone else count those
// of the tables.
//
// Deviations: the root is kept away from the node of the subnet manager only if that
// switch is given (option avoid). Where switches reach the root of the subtree through
// several of its parents, paths can close a cycle: on degraded trees (see the package's
// tests), and on whole ones where a rack switch hangs from several switches of one core
// (Ranger). These are refused.
func subtree(t *tree, ends *route.Ends, tables *route.Tables, avoid []int32) {
	root := subtreeRoot(t, ends, tables, avoid)
	if root < 0 {
		return
	}
	g := t.g
	sibling, toSibling := siblingOf(t, root)
	lids := make([]fabric.LID, g.NumSwitches)
	rootHas, siblingHas := make([]bool, g.NumSwitches), make([]bool, g.NumSwitches)
	for x := range int32(g.NumSwitches) {
		if lids[x] = ends.Base[g.PortZero(x)]; lids[x] != 0 {
			rootHas[x] = tables.Port(root, lids[x]) != route.NoPort
			siblingHas[x] = sibling >= 0 && tables.Port(sibling, lids[x]) != route.NoPort
		}
	}
	for s := range int32(g.NumSwitches) {
		toward, beside := tables.Port(s, lids[root]), route.NoPort
		switch {
		case s == root:
			toward, beside = route.NoPort, toSibling
		case sibling >= 0 && s != sibling:
			beside = tables.Port(s, lids[sibling])
		}
		for x, lid := range lids {
			switch {
			case lid == 0 || tables.Port(s, lid) != route.NoPort:
			case rootHas[x]:
				tables.Set(s, lid, toward)
			case siblingHas[x]:
				tables.Set(s, lid, beside)
			}
		}
	}
}

// acyclic refuses tables whose paths close a cycle. Those of a regular tree close none.
func acyclic(ctx context.Context, in *route.Input, t *tree, tables *route.Tables) error {
	if len(t.irregular()) == 0 {
		return nil
	}
	l, err := lanes.Offline(ctx, lanes.BySwitch(in, tables), lanes.Options{Heuristic: lanes.First, Most: 1})
	if err == nil && l.Need > 1 {
		err = route.Refuse(Name, "use switches=all", "paths through the subtree of this irregular tree close a cycle")
	}
	return err
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
