package forest

// destinations orders all switches: after each the nearest one not yet taken, ties by number.
// Switches with hosts come first.
func destinations(n *Net) []int32 {
	c := chain{n: n, taken: make([]bool, n.G.NumSwitches), seen: make([]int32, n.G.NumSwitches)}
	for s := range int32(n.G.NumSwitches) {
		if n.G.HostCount(s) == 0 {
			c.taken[s] = true
		}
	}
	for s := range int32(n.G.NumSwitches) {
		for next := s; next >= 0 && !c.taken[next]; next = c.nearest(next) {
			c.taken[next] = true
			c.order = append(c.order, next)
		}
	}
	for s := range int32(n.G.NumSwitches) {
		if n.G.HostCount(s) == 0 {
			c.order = append(c.order, s)
		}
	}
	return c.order
}

// chain is the order of destinations made so far.
type chain struct {
	n     *Net
	taken []bool
	order []int32
	queue []int32
	seen  []int32 // number of the search that saw a switch
	round int32
}

// nearest finds the nearest switch to s that is not taken, -1 if there is none.
func (c *chain) nearest(s int32) int32 {
	c.round++
	c.seen[s] = c.round
	c.queue = append(c.queue[:0], s)
	for head := 0; head < len(c.queue); {
		best := int32(-1)
		for end := len(c.queue); head < end; head++ {
			u := c.queue[head]
			for _, v := range c.n.Head[c.n.G.OutStart[u]:c.n.G.OutStart[u+1]] {
				if c.seen[v] == c.round {
					continue
				}
				c.seen[v] = c.round
				c.queue = append(c.queue, v)
				if !c.taken[v] && (best < 0 || v < best) {
					best = v
				}
			}
		}
		if best >= 0 {
			return best
		}
	}
	return -1
}
