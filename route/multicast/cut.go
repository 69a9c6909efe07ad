package multicast

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// Cutter cuts trees of a pool down to groups. It is not safe for concurrent use.
type Cutter struct {
	g    *fabric.Graph
	pool *route.Multicast
	// State of the current group, by switch; list has the switches on a way to the root.
	on       []bool
	member   []bool
	children []int32 // number of children
	child    []int32 // the last child
	list     []int32
}

// NewCutter makes a Cutter for the pool of a Plan.
func NewCutter(g *fabric.Graph, pool *route.Multicast) *Cutter {
	n := g.NumSwitches
	return &Cutter{g: g, pool: pool, on: make([]bool, n), member: make([]bool, n), children: make([]int32, n), child: make([]int32, n)}
}

// Cut returns the tree of a group. If no tree of the pool covers all members, its Tree is NoTree
// and it has no switches.
func (c *Cutter) Cut(group *route.Group) route.GroupTree {
	at := c.choose(group)
	if at == route.NoTree || len(group.Receivers)+len(group.Senders) == 0 {
		return route.GroupTree{Tree: at}
	}
	g, t := c.g, &c.pool.Trees[at]
	for _, list := range [][]int32{group.Receivers, group.Senders} {
		for _, end := range list {
			c.mark(t, g.EndSwitch[end])
		}
	}
	c.trim(t.Root)
	out := route.GroupTree{Tree: at}
	for _, s := range c.list {
		if c.on[s] {
			out.Switches = append(out.Switches, s)
		}
	}
	slices.Sort(out.Switches)
	out.Ports = make([]route.PortSet, len(out.Switches))
	place := func(s int32) *route.PortSet {
		i, _ := slices.BinarySearch(out.Switches, s)
		return &out.Ports[i]
	}
	for _, s := range out.Switches {
		if up := t.Up[s]; up >= 0 && c.on[g.To[up]] {
			place(s).Add(g.FromPort[up])
			place(g.To[up]).Add(g.ToPort[up])
		}
	}
	for _, end := range group.Receivers {
		place(g.EndSwitch[end]).Add(g.EndPort[end])
	}
	for _, s := range c.list {
		c.on[s], c.member[s], c.children[s] = false, false, 0
	}
	c.list = c.list[:0]
	return out
}

// mark marks a switch with a member, and the switches up to the root.
func (c *Cutter) mark(t *route.SpanningTree, s int32) {
	c.member[s] = true
	for !c.on[s] {
		c.on[s] = true
		c.list = append(c.list, s)
		up := t.Up[s]
		if up < 0 {
			return
		}
		parent := c.g.To[up]
		c.children[parent]++
		c.child[parent] = s
		s = parent
	}
}

// trim removes the top of the tree above the first switch with a member or several children.
func (c *Cutter) trim(s int32) {
	for !c.member[s] && c.children[s] == 1 {
		c.on[s] = false
		s = c.child[s]
	}
}

// choose returns the tree of a group: of the trees over all members, the one with the highest hash
// of its root and the MLID.
func (c *Cutter) choose(group *route.Group) int {
	best, most := route.NoTree, uint64(0)
	for i := range c.pool.Trees {
		t := &c.pool.Trees[i]
		if h := hash(uint64(c.g.SwitchGUID[t.Root]), group.MLID); (best == route.NoTree || h > most) && c.covers(t, group) {
			best, most = i, h
		}
	}
	return best
}

// Within returns the members of a group at the switches of one tree: the tree with the most of
// them. Without the others the group has a tree.
func (c *Cutter) Within(group *route.Group) route.Group {
	best := route.Group{MLID: group.MLID}
	for i := range c.pool.Trees {
		t := &c.pool.Trees[i]
		in := func(list []int32) []int32 {
			return slices.DeleteFunc(slices.Clone(list), func(end int32) bool { return !t.Covers(c.g.EndSwitch[end]) })
		}
		some := route.Group{MLID: group.MLID, Receivers: in(group.Receivers), Senders: in(group.Senders)}
		if len(some.Receivers)+len(some.Senders) > len(best.Receivers)+len(best.Senders) {
			best = some
		}
	}
	return best
}

// covers reports whether all members are at switches of a tree.
func (c *Cutter) covers(t *route.SpanningTree, group *route.Group) bool {
	for _, list := range [][]int32{group.Receivers, group.Senders} {
		for _, end := range list {
			if !t.Covers(c.g.EndSwitch[end]) {
				return false
			}
		}
	}
	return true
}

// hash mixes a GUID and an MLID (the finaliser of SplitMix64).
func hash(guid uint64, mlid fabric.LID) uint64 {
	x := guid + uint64(mlid)*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
