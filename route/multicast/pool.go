package multicast

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// usualTrees is the default number of trees of a pool.
const usualTrees = 8

// Options of Complete.
type Options struct {
	Trees  int   // trees wanted; 0: usualTrees
	MaxVLs int   // data VLs that may be used; 0: the least number of the ports, 8 if unknown
	Keep   *Kept // the pool of the previous Plan, nil for none
	// Without marks switches that hold no multicast table: no tree covers them. nil: none.
	Without []bool
}

// isWithout reports whether no tree may cover a switch.
func (o *Options) isWithout(s int32) bool { return o.Without != nil && o.Without[s] }

// Kept is the pool of an earlier Plan, with its Graph.
type Kept struct {
	Graph *fabric.Graph
	Pool  *route.Multicast
}

// Complete gives a Plan its pool of trees, and the lanes that they need. If there are none the
// error is a *route.Refusal.
func Complete(g *fabric.Graph, plan *route.Plan, opt Options) error {
	if opt.Trees <= 0 {
		opt.Trees = usualTrees
	}
	plan.Multicast = nil
	if g.NumChannels == 0 {
		plan.Multicast = &route.Multicast{Trees: singleSwitches(g, &opt)}
		return nil
	}
	index := cdg.NewIndex(g)
	roots := slices.DeleteFunc(candidates(g), opt.isWithout)
	if usedVLs(plan) == 1 {
		if order := unicastOrder(index, plan); order != nil {
			if trees := grow(g, order, roots, &opt); len(trees) > 0 {
				plan.Multicast = &route.Multicast{SL: anySL(plan), Trees: trees}
				return nil
			}
		}
	}
	sl, err := ownLane(g, plan, opt.MaxVLs)
	if err != nil {
		return err
	}
	trees := grow(g, cdg.NewOrder(index, nil, cdg.MoveFewer), roots, &opt)
	if len(trees) == 0 {
		return route.Refuse("multicast", "look for parts that `weft check` calls disconnected", "no tree reaches all switches with hosts")
	}
	plan.Multicast = &route.Multicast{SL: sl, Trees: trees}
	return nil
}

// anySL returns an SL of the paths of a Plan with one lane.
func anySL(plan *route.Plan) uint8 {
	if plan.SL != nil && plan.SL.NumDst > 0 && plan.SL.NumSrc > 0 {
		return plan.SL.ByClass(0, 0)
	}
	return plan.Service.Default
}

// singleSwitches returns the pool of a network without cables between switches: a tree each.
func singleSwitches(g *fabric.Graph, opt *Options) (trees []route.SpanningTree) {
	for s := range int32(g.NumSwitches) {
		if !opt.isWithout(s) {
			trees = append(trees, newTree(g, s))
		}
	}
	return trees
}

// newTree returns a tree that has only its root.
func newTree(g *fabric.Graph, root int32) route.SpanningTree {
	t := route.SpanningTree{Root: root, Up: slices.Repeat([]int32{route.Outside}, g.NumSwitches)}
	t.Up[root] = fabric.Nothing
	return t
}

// sampled is the number of switches with hosts for measuring distances.
const sampled = 16

// candidates lists switches that can be roots, in order of the distance to their farthest host.
func candidates(g *fabric.Graph) []int32 {
	var leaves, list []int32
	for s := range int32(g.NumSwitches) {
		if g.HostCount(s) > 0 {
			leaves = append(leaves, s)
		}
		if !g.Drained[s] {
			list = append(list, s)
		}
	}
	if len(leaves) == 0 {
		leaves = list
	}
	far, sum := make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)
	search := g.NewSearch(g.Drained)
	for i := range min(sampled, len(leaves)) {
		search.From(leaves[i*len(leaves)/min(sampled, len(leaves))])
		for s, hops := range search.Hops {
			if hops == fabric.Unreached {
				hops = int32(g.NumSwitches)
			}
			far[s] = max(far[s], hops)
			sum[s] += hops
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(sum[a], sum[b]), cmp.Compare(g.HostCount(a), g.HostCount(b)))
	})
	return list
}

// tries limits the roots tried for each wanted tree.
const tries = 2

// grow grows trees: first of an earlier pool, then from candidates for roots, no root twice.
func grow(g *fabric.Graph, order *cdg.Order, roots []int32, opt *Options) (trees []route.SpanningTree) {
	w := &grower{g: g, opt: opt, order: order, load: make([]int32, g.NumChannels), children: make([][]int32, g.NumSwitches)}
	w.search = g.NewSearch(w.closed())
	taken := make([]bool, g.NumSwitches)
	take := func(t route.SpanningTree, ok bool) {
		taken[t.Root] = true
		if ok {
			trees = append(trees, t)
			w.addLoad(&t)
		}
	}
	if opt.Keep != nil && opt.Keep.Pool != nil {
		for _, old := range translate(g, opt.Keep) {
			if len(trees) < opt.Trees && !taken[old.Root] && !opt.isWithout(old.Root) {
				take(w.tree(old.Root, &old))
			}
		}
	}
	covered := func(s int32) bool {
		return slices.ContainsFunc(trees, func(t route.SpanningTree) bool { return t.Covers(s) })
	}
	for i, root := range roots { // every part of a disconnected network gets a tree
		wanted := len(trees) < opt.Trees && i < tries*opt.Trees
		if !taken[root] && (wanted || !covered(root)) {
			take(w.tree(root, nil))
		}
	}
	return trees
}

// Keep gives a repaired Plan the trees of an earlier one, Options.Keep, that still cover all
// switches with hosts, and reports whether there is one. Among themselves they stay free of
// deadlock; whether they are so with the new paths is the judge's question.
func Keep(g *fabric.Graph, plan *route.Plan, opt *Options) bool {
	plan.Multicast = nil
	k := opt.Keep
	if k == nil || k.Pool == nil {
		return false
	}
	trees := slices.DeleteFunc(translate(g, k), func(t route.SpanningTree) bool { return !isWhole(g, &t, opt) })
	if len(trees) == 0 {
		return false
	}
	plan.Multicast = &route.Multicast{SL: k.Pool.SL, Trees: trees}
	return true
}

// isWhole reports whether the tree covers every switch with hosts and every parent, no parent is
// drained, and no switch is without a multicast table.
func isWhole(g *fabric.Graph, t *route.SpanningTree, opt *Options) bool {
	for s, up := range t.Up {
		switch {
		case opt.isWithout(int32(s)):
			if t.Covers(int32(s)) {
				return false
			}
		case up >= 0 && (g.Drained[g.To[up]] || !t.Covers(g.To[up])):
			return false
		case up < 0 && int32(s) != t.Root && g.HostCount(int32(s)) > 0:
			return false
		}
	}
	return true
}

// translate finds the trees of an earlier pool in a Graph, as far as their cables still exist. It
// omits trees whose root is gone.
func translate(g *fabric.Graph, k *Kept) (trees []route.SpanningTree) {
	at := make(map[fabric.GUID]int32, g.NumSwitches)
	for s, guid := range g.SwitchGUID {
		at[guid] = int32(s)
	}
	was := k.Graph
	for _, old := range k.Pool.Trees {
		root, ok := at[was.SwitchGUID[old.Root]]
		if !ok || g.Drained[root] {
			continue
		}
		t := newTree(g, root)
		for s, c := range old.Up {
			now, ok := at[was.SwitchGUID[s]]
			if c < 0 || !ok {
				continue
			}
			if d, _ := g.At(now, was.FromPort[c]); d >= 0 && g.SwitchGUID[g.To[d]] == was.SwitchGUID[was.To[c]] {
				t.Up[now] = d
			}
		}
		trees = append(trees, t)
	}
	return trees
}
