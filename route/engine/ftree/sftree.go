package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// subtree connects the switches that no legal path joins as paper III does
// (algorithms 1 and 2): a switch without a path to another sends to the root of a
// subtree, which is a leaf, until a switch on the way has a path. The hops that
// result need no counting (get_path_length): the judge and everyone else count those
// of the tables.
//
// Deviations: the root is kept away from the node of the subnet manager only if that
// switch is given (option avoid). A switch outside the subtree goes up until it is in it
// (trunk), also one next to its root: with several parents of the root in one core, as
// in Ranger, packets would close a cycle otherwise. On degraded trees they can still, where
// top switches come to the root by different parents (see the package's tests): these
// are refused. Pairs that it leaves apart there are counted by the judge.
func subtree(ctx context.Context, in *route.Input, r *reach, tables *route.Tables, avoid []int32) error {
	t, g, ends := r.t, in.Graph, &in.Ends
	root := subtreeRoot(t, ends, tables, avoid)
	if root < 0 {
		return nil
	}
	lids := make([]fabric.LID, g.NumSwitches)
	for x := range int32(g.NumSwitches) {
		lids[x] = ends.Base[g.PortZero(x)]
	}
	k := newTrunk(r, root)
	k.narrow(r, root, lids, tables)
	sibling, toSibling := siblingOf(t, root)
	rootHas, siblingHas := make([]bool, g.NumSwitches), make([]bool, g.NumSwitches)
	for x := range int32(g.NumSwitches) {
		if lids[x] != 0 {
			rootHas[x] = tables.Port(root, lids[x]) != route.NoPort
			siblingHas[x] = sibling >= 0 && tables.Port(sibling, lids[x]) != route.NoPort
		}
	}
	return par.For(ctx, in.Workers, g.NumSwitches, func(_, i int) error {
		s := int32(i)
		toward, beside := k.toward[s], route.NoPort
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
		return nil
	})
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

// trunk is the subtree itself (definition 5.7): the first way down from every top switch
// to its root. The other switches go up until they are in it. So those that have
// several ways to the root, as from the racks of Ranger, all come by the same parents of it.
type trunk struct {
	in     []bool  // by switch
	toward []uint8 // by switch: the port towards the root, NoPort where no way is
}

func newTrunk(r *reach, root int32) *trunk {
	n := int32(len(r.up))
	k := &trunk{in: make([]bool, n), toward: make([]uint8, n)}
	y := newWays(r)
	y.search(root)
	k.in[root] = true
	for s := range n {
		if k.toward[s] = route.NoPort; len(r.up[s]) > 0 {
			continue
		}
		for at := s; !k.in[at] && y.place[at] >= 0; {
			first := y.of(at)[0]
			k.in[at], k.toward[at] = true, r.t.portsOf(first)[0]
			at = r.t.to[first]
		}
	}
	for s := range n {
		k.climb(r, s)
	}
	return k
}

// climb leads a switch up to one in the trunk, if it can; it tells whether it could.
func (k *trunk) climb(r *reach, s int32) bool {
	if k.in[s] || k.toward[s] != route.NoPort {
		return true
	}
	for _, i := range r.up[s] {
		if k.climb(r, r.t.to[i]) {
			k.toward[s] = r.t.portsOf(i)[0]
			return true
		}
	}
	return false
}

// narrow makes the root of the subtree send to all switches over the trunk where it
// can, also to its neighbours that are not in it.
func (k *trunk) narrow(r *reach, root int32, lids []fabric.LID, tables *route.Tables) {
	first, last := r.t.groupsOf(root)
	for x, lid := range lids {
		if lid == 0 || int32(x) == root {
			continue
		}
		block, j := &r.blocks[r.bit[x]/setSize], r.bit[x]%setSize
		var groups []int32
		if hops := block.away(root, j); hops > 0 {
			for i := first; i < last; i++ {
				if block.way(r, root, i, j, hops) {
					groups = append(groups, i)
				}
			}
		}
		for _, i := range append(groups, r.up[root]...) {
			if v := r.t.to[i]; k.in[v] && block.away(v, j) >= 0 {
				tables.Set(root, lid, r.t.portsOf(i)[0])
				break
			}
		}
	}
}

// away is how far a switch is from target j of the block, -1 where no way is.
func (b *block) away(s, j int32) int {
	for k := range b.hops {
		if b.hops[k][s].has(j) {
			return k
		}
	}
	return -1
}
