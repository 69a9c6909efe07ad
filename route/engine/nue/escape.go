package nue

import (
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/sample"
	"weft/route/internal/updown"
)

// parts lists the switches that are not drained, by connected part of the network.
type parts struct {
	list   [][]int32
	hosted [][]int32 // switches with hosts, or all of a part without hosts
	of     []int32   // by switch: its part, -1 if drained
	size   []int32   // by part: number of its switches, and of drained ones next to it
}

func newParts(g *fabric.Graph) *parts {
	p := &parts{list: updown.Parts(g), of: slices.Repeat([]int32{-1}, g.NumSwitches)}
	border := make([]int32, g.NumSwitches) // by drained switch: one more than the last part that counted it at its border
	for n, part := range p.list {
		size := int32(len(part))
		for _, s := range part {
			p.of[s] = int32(n)
			for _, c := range g.OutOf(s) {
				if v := g.To[c]; g.Drained[v] && border[v] != int32(n+1) {
					border[v] = int32(n + 1)
					size++
				}
			}
		}
		p.size = append(p.size, size)
		hosted := sample.Hosted(g, part)
		slices.Sort(hosted) // for a part without hosts this is the list itself
		p.hosted = append(p.hosted, hosted)
	}
	return p
}

// escape is a breadth-first spanning tree of every part from its root.
type escape struct {
	g    *fabric.Graph
	rank updown.Order // in order of discovery
	tree []bool       // by channel: it belongs to the tree
}

func newEscape(g *fabric.Graph, roots []int32) *escape {
	search := g.NewSearch(g.Drained)
	for _, r := range roots {
		search.Extend(r)
	}
	found := slices.DeleteFunc(slices.Clone(search.Order), func(s int32) bool { return g.Drained[s] })
	e := &escape{g: g, rank: updown.FromList(g.NumSwitches, found), tree: make([]bool, g.NumChannels)}
	for _, s := range found {
		if c := search.Via[s]; c >= 0 {
			e.tree[c], e.tree[c^1] = true, true
		}
	}
	return e
}

// channels lists the channels so that every up*/down* path ascends.
func (e *escape) channels() []int32 {
	list := fabric.Numbers(e.g.NumChannels)
	e.rank.SortChannels(e.g, list)
	return list
}

// fix fixes the turns between channels of the tree, which the order allows.
func (e *escape) fix(o *order) {
	for s := range int32(e.g.NumSwitches) {
		for _, back := range e.g.OutOf(s) {
			for _, d := range e.g.OutOf(s) {
				if e.tree[back] && e.tree[d] && d != back {
					o.fixed[o.turns.Number(back^1, d)] = true
				}
			}
		}
	}
}
