package fabric

// HopsFrom fills hops (length NumSwitches) with the fewest channels between
// switch s and every other, or Unreached, ignoring Drained. queue is scratch of
// the same length. Channels come in pairs, so the distance is symmetric. The
// cost is O(switches + channels), without allocation.
func (g *Graph) HopsFrom(s int32, hops, queue []int32) {
	for i := range hops {
		hops[i] = Unreached
	}
	hops[s] = 0
	queue[0] = s
	for head, tail := 0, 1; head < tail; head++ {
		u := queue[head]
		for _, c := range g.OutOf(u) {
			if v := g.To[c]; hops[v] == Unreached {
				hops[v] = hops[u] + 1
				queue[tail] = v
				tail++
			}
		}
	}
}

// Components numbers the connected parts of the switch graph, in order of their
// first switch: of[s] is the part of switch s, n the number of parts.
func (g *Graph) Components() (of []int32, n int) {
	of = make([]int32, g.NumSwitches)
	search := g.NewSearch(nil)
	for s := range int32(g.NumSwitches) {
		found := search.Extend(s)
		for _, v := range found {
			of[v] = int32(n)
		}
		n += min(len(found), 1)
	}
	return of, n
}
