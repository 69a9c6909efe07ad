package ftree

import (
	"math"
	"slices"

	"weft/fabric"
)

// siblingPaths holds, for a LID of a host, the paths to the LID of the same number at the other
// ports of its node (multihomed).
type siblingPaths struct {
	next [][]int32 // by port, switch: the next switch, -1 for none
	// By switch: the switches with hosts whose paths to the LID pass it.
	sources [][]int32
	marks   []int // by switch: number of paths of marked sources through it
}

func newSiblingPaths(g *fabric.Graph) *siblingPaths {
	return &siblingPaths{sources: make([][]int32, g.NumSwitches), marks: make([]int, g.NumSwitches)}
}

// read reads the paths to the other ports of the node of a LID, at LIDs of the same number. It
// skips ports at the same switch, and reports whether there are others.
func (p *siblingPaths) read(w *lidPaths, at hostLID) bool {
	g := w.t.G
	node := g.EndNode[at.end]
	p.next = p.next[:0]
	for _, e := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if !g.IsHost(e) || at.number >= w.ends.Count(e) || g.EndSwitch[e] == g.EndSwitch[at.end] {
			continue
		}
		n := len(p.next)
		if p.next = slices.Grow(p.next, 1)[:n+1]; p.next[n] == nil {
			p.next[n] = make([]int32, g.NumSwitches)
		}
		next, base := p.next[n], int(w.ends.Base[e])
		for s, number := range w.sends[base+at.number] {
			if next[s] = -1; number != noNumber {
				next[s] = w.head[w.first[s]+int32(number)]
			}
		}
	}
	return len(p.next) > 0
}

// mark adds to the marks of the switches on the paths of some sources to the siblings.
func (p *siblingPaths) mark(sources []int32, by int) {
	for _, next := range p.next {
		for _, s := range sources {
			for x := next[s]; x >= 0; x = next[x] {
				p.marks[x] += by
			}
		}
	}
}

// shared counts the marks on the path from a switch to the target.
func (p *siblingPaths) shared(next []int32, s, target int32) int {
	n := p.marks[s]
	for s != target {
		s = next[s]
		n += p.marks[s]
	}
	return n
}

// chooseApart chooses the path of every switch, the nearest switches first. The sources over that
// path should share the fewest switches with their paths to the siblings; of equal paths it takes
// the cheapest.
func (b *rebalancer) chooseApart() {
	sib, target := b.siblings, b.to.target
	sib.findSources(b)
	b.cost[target] = 0
	for k, s := range b.to.order {
		sib.mark(sib.sources[s], 1)
		best, least, fewest := b.link[s], int64(math.MaxInt64), math.MaxInt
		if best >= 0 {
			least, fewest = b.price[best]+b.cost[b.next[s]], sib.shared(b.next, b.next[s], target)
		}
		for _, r := range b.to.from(k) {
			for link := r.from; link < r.to; link++ {
				v := b.head[link]
				shared := sib.shared(b.next, v, target)
				if cost := b.price[link] + b.cost[v]; shared < fewest || shared == fewest && cost < least {
					best, least, fewest = link, cost, shared
				}
			}
		}
		sib.mark(sib.sources[s], -1)
		b.cost[s], b.link[s], b.next[s] = least, best, b.head[best]
	}
}

// findSources lists by switch the switches with hosts whose paths pass it; if there are none, the
// switch itself.
func (p *siblingPaths) findSources(b *rebalancer) {
	for _, s := range b.to.order {
		p.sources[s] = p.sources[s][:0]
	}
	for _, from := range b.leaves {
		if !b.to.reachedFrom(from) {
			continue
		}
		for s := from; s >= 0 && s != b.to.target; s = b.next[s] {
			p.sources[s] = append(p.sources[s], from)
		}
	}
	for _, s := range b.to.order {
		if len(p.sources[s]) == 0 {
			p.sources[s] = append(p.sources[s], s)
		}
	}
}
