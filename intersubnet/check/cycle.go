package check

import "slices"

// next returns the i-th successor of a node of a subnet, and its subnet; -1 if there are no more.
func (w *depGraph) next(subnet int32, node int64, i int) (int64, int32) {
	in, local := w.inside[subnet], node-w.first[subnet]
	list := in.to[in.start[local]:in.start[local+1]]
	if i < len(list) {
		return w.first[subnet] + int64(list[i]), subnet
	}
	link := local / int64(w.vls)
	if link >= int64(len(in.toPort)) || in.toPort[link] < 0 {
		return -1, -1
	}
	port := w.n.Subnets[subnet].Ports[in.toPort[link]]
	more := w.onward(port, int(local%int64(w.vls)))
	if i -= len(list); i >= len(more) {
		return -1, -1
	}
	return w.sendsIn(more[i].port, more[i].vl), w.n.Ports[more[i].port].Subnet
}

// visit is a node on the way of a search.
type visit struct {
	node   int64
	subnet int32
	next   int // number of successors visited
}

// cycle returns the nodes of a cycle, nil if there is none: a shortest one through some node of the
// first cycle that the search meets.
func (w *depGraph) cycle() []int64 {
	colour := make([]uint8, w.first[len(w.n.Subnets)])
	var path []visit
	for root := range int64(len(colour)) {
		if colour[root] != 0 {
			continue
		}
		path = append(path[:0], visit{root, w.subnetOf(root), 0})
		colour[root] = 1
		for len(path) > 0 {
			at := &path[len(path)-1]
			to, subnet := w.next(at.subnet, at.node, at.next)
			if to < 0 {
				colour[at.node] = 2
				path = path[:len(path)-1]
				continue
			}
			at.next++
			switch colour[to] {
			case 0:
				colour[to] = 1
				path = append(path, visit{to, subnet, 0})
			case 1:
				var nodes []int64
				for i := range path {
					if path[i].node == to || nodes != nil {
						nodes = append(nodes, path[i].node)
					}
				}
				return w.shortest(nodes)
			}
		}
	}
	return nil
}

// searches bounds the nodes of a cycle through which shortest looks for a shorter one.
const searches = 32

// shortest returns the shortest cycle through one of some nodes of a cycle.
func (w *depGraph) shortest(nodes []int64) []int64 {
	best := slices.Clone(nodes)
	type step struct {
		node   int64
		subnet int32
		from   int // in queue
		depth  int
	}
	for _, root := range nodes[:min(len(nodes), searches)] {
		seen, queue := map[int64]bool{root: true}, []step{{root, w.subnetOf(root), -1, 0}}
		found := -1
		for i := 0; i < len(queue) && found < 0 && queue[i].depth+1 < len(best); i++ {
			at := queue[i]
			for n := 0; ; n++ {
				to, subnet := w.next(at.subnet, at.node, n)
				if to == root {
					found = i
				}
				if to < 0 || to == root {
					break
				}
				if !seen[to] {
					seen[to] = true
					queue = append(queue, step{to, subnet, i, at.depth + 1})
				}
			}
		}
		if found >= 0 {
			best = best[:0]
			for i := found; i >= 0; i = queue[i].from {
				best = append(best, queue[i].node)
			}
			slices.Reverse(best)
		}
	}
	return best
}
