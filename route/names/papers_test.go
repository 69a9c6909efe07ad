package names

import (
	"slices"

	"weft/route/names/colouring"
)

// The procedures of the papers, path by path and without any of our short cuts.

// plainGreedy is Fig. 6 of paper 000.
func plainGreedy(r *Routing) []int32 {
	colour := make([]int32, r.Len())
	for p := range colour {
		colour[p] = -1
	}
	for k := int32(0); slices.Contains(colour, -1); k++ {
		for p := range colour {
			if colour[p] < 0 && joins(r, colour, k, []int{p}) {
				colour[p] = k
			}
		}
	}
	return colour
}

// joins reports whether paths split from none of a colour.
func joins(r *Routing, colour []int32, k int32, paths []int) bool {
	for q, c := range colour {
		for _, p := range paths {
			if c == k && split(r.Path(p), r.Path(q)) {
				return false
			}
		}
	}
	return true
}

// plainRenaming is Figs. 3 and 4 of paper 002: R tables searched entry by entry.
func plainRenaming(r *Routing) []int32 {
	type entry struct{ dst, port int32 }
	tables := make([][]entry, r.nodes)
	valid := func(path []Hop, id int32) bool {
		for _, h := range path {
			for _, e := range tables[h.Node] {
				if e.dst == id && e.port != h.Out {
					return false
				}
			}
		}
		return true
	}
	names := make([]int32, r.Len())
	for p := range names {
		for !valid(r.Path(p), names[p]) {
			names[p]++
		}
		for _, h := range r.Path(p) {
			tables[h.Node] = append(tables[h.Node], entry{names[p], h.Out})
		}
	}
	return names
}

// plainColor is Fig. 9 of paper 000, degrees counted when a colour is begun, or among the paths
// that can have it.
func plainColor(g *colouring.Graph, largest, shrinks bool) []int32 {
	colour := make([]int32, g.Len())
	for p := range colour {
		colour[p] = -1
	}
	for k := int32(0); slices.Contains(colour, -1); k++ {
		degree := make([]int, g.Len())
		working := map[int]bool{}
		count := func() {
			clear(degree)
			for u := range working {
				for v := range working {
					if g.HasEdge(u, v) {
						degree[u]++
					}
				}
			}
		}
		for u := range colour {
			if colour[u] < 0 {
				working[u] = true
			}
		}
		for count(); len(working) > 0; {
			if shrinks {
				count()
			}
			best := -1
			for u := range g.Len() {
				if working[u] && (best < 0 || largest && degree[u] > degree[best] || !largest && degree[u] < degree[best]) {
					best = u
				}
			}
			colour[best] = k
			delete(working, best)
			for v := range g.Len() {
				if g.HasEdge(best, v) {
					delete(working, v)
				}
			}
		}
	}
	return colour
}

// plainSplitMerge is Fig. 7 of paper 000, the working set being a list. The merge takes
// the sets in its order, or those of fewest different paths first.
func plainSplitMerge(r *Routing, largest, fewest bool) []int32 {
	out := func(p int, node int32) int32 {
		for _, h := range r.Path(p) {
			if h.Node == node {
				return h.Out
			}
		}
		return -1
	}
	nodes := iota32(r.nodes)
	use := func(node int32) int {
		n := 0
		for p := range r.Len() {
			if out(p, node) >= 0 {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(nodes, func(a, b int32) int {
		if largest {
			return use(b) - use(a)
		}
		return use(a) - use(b)
	})
	var all []int
	for p := range r.Len() {
		all = append(all, p)
	}
	sets := [][]int{all}
	for _, node := range nodes {
		var same, moved [][]int
		for _, set := range sets {
			var parts [][]int
			var link []int32
			var away []int
			for _, p := range set {
				o := out(p, node)
				if o < 0 {
					away = append(away, p)
					continue
				}
				i := slices.Index(link, o)
				if i < 0 {
					i = len(link)
					link, parts = append(link, o), append(parts, nil)
				}
				parts[i] = append(parts[i], p)
			}
			if len(parts) < 2 {
				same = append(same, set)
				continue
			}
			parts[0] = append(parts[0], away...)
			slices.Sort(parts[0])
			moved = append(moved, parts...)
		}
		sets = append(same, moved...)
	}
	if fewest {
		different := func(set []int) (n int) {
			for i, p := range set {
				if !slices.ContainsFunc(set[:i], func(q int) bool { return slices.Equal(r.Path(p), r.Path(q)) }) {
					n++
				}
			}
			return n
		}
		slices.SortStableFunc(sets, func(a, b []int) int { return different(a) - different(b) })
	}
	colour := make([]int32, r.Len())
	for p := range colour {
		colour[p] = -1
	}
	for _, set := range sets {
		k := int32(0)
		for !joins(r, colour, k, set) {
			k++
		}
		for _, p := range set {
			colour[p] = k
		}
	}
	return colour
}
