package algorithm

import "slices"

// recheck looks for silence that may have been a collision, when nothing is left to
// explore. It says whether there is something again.
func (c *collector) recheck() bool {
	g := c.graph
	for _, x := range c.shortest() {
		if !g.Root(x) {
			return true // a comparison merged it
		}
		crosses := c.crosses(x)
		if !crosses && c.ambiguous(x) {
			return true
		}
		if !crosses && !slices.ContainsFunc(g.heard[x], c.crosses) {
			continue
		}
		delete(g.heard, x)
		doubtful := false
		for i := range g.ports[x] {
			if g.ports[x][i].to == silent {
				g.ports[x][i].to, doubtful = unknown, true
			}
		}
		if !doubtful {
			continue
		}
		if crosses {
			x = c.shorten(x)
		}
		g.done[x] = false
		c.frontier = append(c.frontier, x)
		return true
	}
	return false
}

// shortest lists the switches by distance from the mapper.
func (c *collector) shortest() []int32 {
	s, _ := c.graph.Find(1)
	return c.nearest(s)
}

// nearest lists the switches by distance from one of them.
func (c *collector) nearest(s int32) []int32 {
	g := c.graph
	c.round++
	for len(c.reached) < g.Len() {
		c.reached = append(c.reached, 0)
	}
	order := []int32{s}
	c.reached[s] = c.round
	for k := 0; k < len(order); k++ {
		for _, p := range g.ports[order[k]] {
			if p.to < 0 {
				continue
			}
			if u, _ := g.Find(p.to); c.reached[u] != c.round && g.host[u] < 0 {
				c.reached[u] = c.round
				order = append(order, u)
			}
		}
	}
	return order
}

// crosses says whether the string of a vertex comes to a switch twice.
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

// shorten gives a switch the string of its neighbour nearest to the mapper and one
// turn more; the neighbour's does not cross itself.
func (c *collector) shorten(x int32) int32 {
	g := c.graph
	for _, v := range c.shortest() {
		if c.crosses(v) {
			continue
		}
		for i := range g.ports[v] {
			p := g.ports[v][i]
			if p.to < 0 {
				continue
			}
			if u, _ := g.Find(p.to); u == x {
				g.discover(v, Turn(i-(g.radix-1)))
				g.deduce()
				root, _ := g.Find(x)
				return root
			}
		}
	}
	return x
}

// ambiguous compares a switch with those before it on its string, unless a host tells
// them apart. It says whether it was one of them.
func (c *collector) ambiguous(x int32) bool {
	g := c.graph
	if c.compared[x] || g.hasHost(x) {
		return false
	}
	c.compared[x] = true
	path := g.path(x)
	for y := g.parent[x]; y != 0; y = g.parent[y] {
		v, entry := g.Find(y)
		if !g.hasHost(v) && c.sameSwitch(path, x, v, path[:g.length[y]], entry) {
			return true
		}
	}
	return false
}
