package nue

import (
	"slices"

	"weft/fabric"
	"weft/route/engine/internal/sample"
)

// parts lists the switches that let traffic through, by connected part. Hosted tells
// which of a part have hosts; all of a part without any.
type parts struct {
	list   [][]int32
	hosted [][]int32
	of     []int32 // by switch: its part, -1 when drained
	size   []int32 // by part: switches that reach it and are reached, drained ones too
}

func newParts(g *fabric.Graph) *parts {
	p := &parts{of: make([]int32, g.NumSwitches)}
	for s := range p.of {
		p.of[s] = -1
	}
	beside := make([]int32, g.NumSwitches) // the part whose border a drained switch was last counted at
	for s := range int32(g.NumSwitches) {
		if p.of[s] >= 0 || g.Drained[s] {
			continue
		}
		n := int32(len(p.list))
		p.of[s] = n
		part := []int32{s}
		border := int32(0)
		for k := 0; k < len(part); k++ {
			for _, c := range g.OutOf(part[k]) {
				v := g.To[c]
				switch {
				case g.Drained[v] && beside[v] != n+1:
					beside[v] = n + 1
					border++
				case !g.Drained[v] && p.of[v] < 0:
					p.of[v] = n
					part = append(part, v)
				}
			}
		}
		p.list = append(p.list, part)
		p.size = append(p.size, int32(len(part))+border)
		hosted := sample.Hosted(g, part)
		slices.Sort(hosted)
		p.hosted = append(p.hosted, hosted)
	}
	return p
}

// escape is a spanning tree of every part, found breadth first from its root.
type escape struct {
	g     *fabric.Graph
	visit []int32 // by switch: when it was found, from 1 on; 0 when drained
	tree  []bool  // by channel: whether it belongs to the tree
}

func newEscape(g *fabric.Graph, roots []int32) *escape {
	e := &escape{g: g, visit: make([]int32, g.NumSwitches), tree: make([]bool, g.NumChannels)}
	found := int32(0)
	for _, r := range roots {
		queue := []int32{r}
		found++
		e.visit[r] = found
		for k := 0; k < len(queue); k++ {
			for _, c := range g.OutOf(queue[k]) {
				if v := g.To[c]; e.visit[v] == 0 && !g.Drained[v] {
					found++
					e.visit[v] = found
					e.tree[c], e.tree[c^1] = true, true
					queue = append(queue, v)
				}
			}
		}
	}
	return e
}

// channels lists the channels in an order in which every path that first leads to
// switches found earlier, then to ones found later, ascends.
func (e *escape) channels() []int32 {
	g := e.g
	list := make([]int32, g.NumChannels)
	key := make([]int32, g.NumChannels)
	for c := range key {
		list[c] = int32(c)
		from, to := e.visit[g.From[c]], e.visit[g.To[c]]
		if key[c] = from; to < from {
			key[c] = -from
		}
	}
	slices.SortStableFunc(list, func(x, y int32) int { return int(key[x] - key[y]) })
	return list
}

// fix fixes the turns between the channels of the tree, which the order allows.
func (e *escape) fix(o *order) {
	for s := range int32(e.g.NumSwitches) {
		for _, back := range e.g.OutOf(s) {
			for _, d := range e.g.OutOf(s) {
				if e.tree[back] && e.tree[d] && d != back {
					o.fixed[o.t.Number(back^1, d)] = true
				}
			}
		}
	}
}
