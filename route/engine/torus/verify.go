package torus

import (
	"context"
	"math/bits"
	"sync/atomic"

	"weft/internal/par"
	"weft/route"
	"weft/route/internal/cdg"
)

// mostLanes is the number of lanes in verify's graph: by the dateline's bit, and by whether the
// link is taken against the order.
const mostLanes = 4

// deps holds the dependencies of links: a node is a link group and a lane, and has a
// bit for each link out of the next switch and lane.
type deps struct {
	words int // a node
	next  []uint64
}

// verify walks all paths. It refuses the network if one does not end, or if the dependencies have a
// cycle, and records whether any path turns against the order.
func (m *torus) verify(ctx context.Context, workers int) error {
	g := &deps{words: (2*m.Dims*mostLanes + 63) / 64}
	g.next = make([]uint64, m.NumLinkGroups()*mostLanes*g.words)
	datelines := m.Datelines()
	var turns atomic.Bool
	err := par.For(ctx, workers, len(m.Switches), func(_, d int) error {
		for s := range m.Switches {
			turned, ok := m.walk(g, datelines, int32(s), int32(d))
			if !ok {
				return route.Refuse(Name, "", "no way around the failures from %s to %s", m.Name(int32(s)), m.Name(int32(d)))
			}
			if turned {
				turns.Store(true)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.turns = turns.Load()
	if k := g.cycle(m); k >= 0 {
		return route.Refuse(Name, "", "the ways around the failures can deadlock: dependencies form a cycle through %s", m.Name(k/2/int32(m.Dims)))
	}
	return nil
}

// walk adds the dependencies of the path from s to d.
func (m *torus) walk(g *deps, datelines []int, s, d int32) (turned, ok bool) {
	sl := m.DatelineSL(datelines, s, d)
	last := int32(-1) // node of the previous hop
	dim := -1         // its dimension
	for range 4 * len(m.Switches) {
		if s == d {
			return turned, true
		}
		k := m.hop(s, d)
		now := int(k/2) % m.Dims
		lane := int32(0)
		for b := range datelines {
			if datelines[b] == now {
				lane = int32(sl>>b) & 1
			}
		}
		if dim > now {
			lane += 2
			turned = true
		}
		if last >= 0 {
			bit := (k%int32(2*m.Dims))*mostLanes + lane
			atomic.OrUint64(&g.next[int(last)*g.words+int(bit/64)], 1<<(bit%64))
		}
		last, dim = k*mostLanes+lane, now
		s = m.Beside(s, now, int(k%2))
	}
	return turned, false
}

// cycle finds the group of a link on a cycle or after one, -1 if there is none.
func (g *deps) cycle(m *torus) int32 {
	node := cdg.FindCycle(m.NumLinkGroups()*mostLanes, func(node int32, visit func(next int32)) {
		k := node / mostLanes
		t := m.Beside(k/2/int32(m.Dims), int(k/2)%m.Dims, int(k%2))
		for w, set := range g.next[int(node)*g.words : int(node+1)*g.words] {
			for ; set != 0; set &= set - 1 {
				visit(t*int32(2*m.Dims*mostLanes) + int32(w*64+bits.TrailingZeros64(set)))
			}
		}
	})
	if node < 0 {
		return -1
	}
	return node / mostLanes
}
