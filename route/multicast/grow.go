package multicast

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// grower grows spanning trees whose dependencies, together with an order's, form no cycle.
type grower struct {
	g        *fabric.Graph
	opt      *Options
	order    *cdg.Order
	search   *fabric.Search
	load     []int32 // by channel: trees that use it, or its reverse
	children [][]int32
	near     []int32 // scratch of attach: channels of a switch into the tree
	edges    []cdg.Edge
	out      [][]int32 // by switch: channels of the current tree that leave it
}

// closed marks the switches that no tree passes.
func (w *grower) closed() []bool {
	if w.opt.Without == nil {
		return w.g.Drained
	}
	closed := slices.Clone(w.g.Drained)
	for s, without := range w.opt.Without {
		closed[s] = closed[s] || without
	}
	return closed
}

// addLoad counts the channels of a tree.
func (w *grower) addLoad(t *route.SpanningTree) {
	for _, c := range t.Up {
		if c >= 0 {
			w.load[c]++
			w.load[c^1]++
		}
	}
}

// tree grows a tree from a root: first with the channels of old that still lead to the root, then
// with all others, the nearest switches first. ok says that it covers all switches with hosts.
func (w *grower) tree(root int32, old *route.SpanningTree) (t route.SpanningTree, ok bool) {
	g := w.g
	t = newTree(g, root)
	w.out = slices.Grow(w.out[:0], g.NumSwitches)[:g.NumSwitches]
	for s := range w.out {
		w.out[s] = w.out[s][:0]
	}
	if g.Drained[root] {
		return t, false
	}
	if old != nil {
		w.keep(&t, old)
	}
	w.search.From(root)
	list := slices.Clone(w.search.Order)
	for again := true; again; { // a refused switch may be joined to a switch that came later
		again = false
		left := list[:0]
		for _, s := range list {
			switch {
			case t.Covers(s), w.opt.isWithout(s):
			case w.attach(&t, s):
				again = true
			default:
				left = append(left, s)
			}
		}
		list = left
	}
	for s := range int32(g.NumSwitches) {
		if g.HostCount(s) > 0 && !t.Covers(s) && !w.opt.isWithout(s) && w.search.Hops[s] != fabric.Unreached {
			return t, false
		}
	}
	return t, true
}

// keep joins switches at their places in an old tree, from the root on.
func (w *grower) keep(t, old *route.SpanningTree) {
	for s := range w.children {
		w.children[s] = w.children[s][:0]
	}
	for _, c := range old.Up {
		if c >= 0 {
			w.children[w.g.To[c]] = append(w.children[w.g.To[c]], c)
		}
	}
	for queue := []int32{t.Root}; len(queue) > 0; queue = queue[1:] {
		for _, c := range w.children[queue[0]] {
			if s := w.g.From[c]; !t.Covers(s) && !w.opt.isWithout(s) && (queue[0] == t.Root || !w.g.Drained[queue[0]]) && w.join(t, c) {
				queue = append(queue, s)
			}
		}
	}
}

// attach joins a switch to a neighbour in the tree: to the one nearest to the root, by the channel
// with the fewest trees.
func (w *grower) attach(t *route.SpanningTree, s int32) bool {
	g := w.g
	w.near = w.near[:0]
	for _, c := range g.OutOf(s) {
		if u := g.To[c]; u != s && t.Covers(u) && !g.Drained[u] {
			w.near = append(w.near, c)
		}
	}
	slices.SortStableFunc(w.near, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.search.Hops[g.To[a]], w.search.Hops[g.To[b]]), cmp.Compare(w.load[a], w.load[b]))
	})
	for _, c := range w.near {
		if w.join(t, c) {
			return true
		}
	}
	return false
}

// join adds a switch by its channel to a parent, if the order accepts the new dependencies.
func (w *grower) join(t *route.SpanningTree, c int32) bool {
	s, u := w.g.From[c], w.g.To[c]
	w.edges = w.edges[:0]
	for _, d := range w.out[u] {
		w.edges = append(w.edges, cdg.Edge{C: c, D: d}, cdg.Edge{C: d ^ 1, D: c ^ 1})
	}
	if !w.order.Add(w.edges) {
		return false
	}
	t.Up[s] = c
	w.out[u] = append(w.out[u], c^1)
	w.out[s] = append(w.out[s], c)
	return true
}
