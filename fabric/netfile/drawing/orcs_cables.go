package drawing

import (
	"weft/fabric"
)

// cables joins pairs of edges to cables, and numbers their ports.
func (r *orcsReader) cables() error {
	if err := r.pair(); err != nil {
		return err
	}
	type end struct {
		node fabric.NodeID
		port int
	}
	taken := map[end]int{} // 1 + the edge
	for i := range r.edges {
		e := &r.edges[i]
		if e.tail == 0 {
			continue
		}
		if old := taken[end{e.from, e.tail}]; old != 0 {
			return r.Errorf(e.line, "port %d of %q is on line %d too", e.tail, r.names[e.from], r.edges[old-1].line)
		}
		taken[end{e.from, e.tail}] = i + 1
	}
	next := make([]int, len(r.Nodes))
	for i := range r.edges {
		e := &r.edges[i]
		if e.tail != 0 {
			continue
		}
		for next[e.from]++; taken[end{e.from, next[e.from]}] != 0; {
			next[e.from]++
		}
		e.tail = next[e.from]
		taken[end{e.from, e.tail}] = i + 1
	}
	for i := range r.edges {
		e := &r.edges[i]
		if r.Nodes[e.from].Type == fabric.CA && e.tail > 1 {
			return r.Errorf(e.line, "host %q has a second cable: a host is one port", r.names[e.from])
		}
		if e.pair-1 < i {
			continue
		}
		a, err := r.End(e.from, e.tail, e.line)
		if err != nil {
			return err
		}
		back := &r.edges[e.pair-1]
		b, err := r.End(back.from, back.tail, back.line)
		if err != nil {
			return err
		}
		if err := r.Connect(a, b, e.line, 0, fabric.SpeedUnknown); err != nil {
			return err
		}
	}
	return nil
}

// pair finds for every edge the one back: the first that fits, in the order of the file. Each end
// adopts port numbers from the other.
func (r *orcsReader) pair() error {
	type ends struct{ from, to fabric.NodeID }
	open := map[ends][]int{} // edges without one back
	degree := make([]int, len(r.Nodes))
	for i := range r.edges {
		e := &r.edges[i]
		if degree[e.from]++; degree[e.from] > fabric.MaxPorts {
			return r.Errorf(e.line, "more than %d edges out of %q: a port is one", fabric.MaxPorts, r.names[e.from])
		}
		waiting := open[ends{e.to, e.from}]
		found := -1
		for k, j := range waiting {
			if r.edges[j].fits(e) {
				found = k
				break
			}
		}
		if found < 0 {
			key := ends{e.from, e.to}
			open[key] = append(open[key], i)
			continue
		}
		j := waiting[found]
		open[ends{e.to, e.from}] = append(waiting[:found], waiting[found+1:]...)
		back := &r.edges[j]
		e.pair, back.pair = j+1, i+1
		e.tail, back.tail = max(e.tail, back.head), max(back.tail, e.head)
	}
	for i := range r.edges {
		if e := &r.edges[i]; e.pair == 0 {
			return r.Errorf(e.line, "this edge from %q to %q has no edge back: a cable is two edges", r.names[e.from], r.names[e.to])
		}
	}
	return nil
}

// fits reports whether the port numbers of two edges agree.
func (e *orcsEdge) fits(back *orcsEdge) bool {
	same := func(a, b int) bool { return a == 0 || b == 0 || a == b }
	return same(e.tail, back.head) && same(e.head, back.tail)
}
