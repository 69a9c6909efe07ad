package algorithm

import (
	"slices"

	"weft/mapping/internal/graph"
)

// recheck looks for silence that may have been a collision, once nothing is left to explore. It
// reports whether there is more to explore.
func (c *collector) recheck() bool {
	g := c.graph
	for _, x := range c.nearest() {
		if !g.IsRoot(x) {
			return true // a comparison merged it
		}
		crosses := c.crosses(x)
		if !crosses && c.isAmbiguous(x) {
			return true
		}
		if !crosses && !slices.ContainsFunc(g.mergedSilent[x], c.crosses) {
			continue
		}
		delete(g.mergedSilent, x)
		if !g.HasSilent(x) {
			continue
		}
		g.ForgetSilence(x)
		if crosses {
			x = c.shorten(x, g.Tree(0))
		}
		g.explored[x] = false
		c.frontier = append(c.frontier, x)
		return true
	}
	return false
}

// nearest lists the switches by distance from the mapper.
func (c *collector) nearest() []int32 {
	s, _ := c.graph.Find(1)
	return c.graph.Switches(s)
}

// crosses reports whether the string of a vertex comes to a switch twice.
func (c *collector) crosses(x int32) bool {
	g := c.graph
	seen := map[int32]bool{}
	for y := x; y != 0; y = g.parent[y] {
		v, _ := g.Find(y)
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}

// shorten gives a switch the shortest string known, and returns its vertex. A shortest string does
// not cross itself, and one that crosses itself is not a shortest one: so the new string is
// shorter, and the switch is numbered by it. (The string of a neighbour and one more turn may be no
// shorter than the switch's own, which then stays: it would be shortened without end.)
func (c *collector) shorten(x int32, tree *graph.Tree) int32 {
	g := c.graph
	v, _ := g.Find(x)
	if turns := tree.Turns(v); len(turns) < int(g.length[v]) {
		at := int32(1)
		for _, turn := range turns {
			at = g.addSwitch(at, turn)
		}
		g.Deduce()
		v, _ = g.Find(v)
	}
	return v
}

// isAmbiguous compares a switch with the switches before it on its string, unless a host tells them
// apart. It reports whether it equals one of them.
func (c *collector) isAmbiguous(x int32) bool {
	g := c.graph
	if c.compared[x] || g.HasHost(x) {
		return false
	}
	c.compared[x] = true
	path := g.path(x)
	for y := g.parent[x]; y != 0; y = g.parent[y] {
		v, entry := g.Find(y)
		if !g.HasHost(v) && c.isSameSwitch(path, x, v, path[:g.length[y]], entry) {
			return true
		}
	}
	return false
}
