package offline

import (
	"context"
	"sync/atomic"

	"weft/fabric"
	"weft/route/lanes"
)

// counts holds the dependency graphs of all lanes, and the lane of each pair.
type counts struct {
	*lanes.Assignment
	p      *lanes.Paths
	count  [][]uint32 // by lane and number of an edge: paths
	oneWay bool       // each direction of a pair has a lane of its own
}

// none is the lane of paths that are on no lane any more.
const none = -1

// move moves all paths of a pair from one lane to another.
func (m *counts) move(a, b int32, from, to int) {
	m.Set(a, b, to)
	m.recount(a, b, from, to)
}

// recount moves the paths of a pair between the counts of two lanes.
func (m *counts) recount(a, b int32, from, to int) {
	for _, lid := range m.p.LIDs[b] {
		m.recountPath(m.p.Home[a], lid, from, to)
	}
	if m.oneWay {
		return
	}
	for _, lid := range m.p.LIDs[a] {
		m.recountPath(m.p.Home[b], lid, from, to)
	}
}

func (m *counts) recountPath(s int32, lid fabric.LID, from, to int) {
	p, old, now := m.p, m.count[from], []uint32(nil)
	if to != none {
		now = m.count[to]
	}
	for c := p.Next(s, lid); c >= 0; {
		d := p.Next(p.Graph.To[c], lid)
		if d >= 0 {
			e := p.Index.Number(c, d)
			old[e]--
			if now != nil {
				now[e]++
			}
		}
		c = d
	}
}

// countAll counts the paths of all pairs on each edge. It fails if the tables have a loop.
func countAll(ctx context.Context, p *lanes.Paths) ([]uint32, error) {
	count := make([]uint32, p.Index.Size)
	passing := make([][]uint32, p.Workers) // by worker and switch: paths from it or through it
	err := p.EachTree(ctx, func(worker int, t *lanes.Tree) {
		if passing[worker] == nil {
			passing[worker] = make([]uint32, p.Graph.NumSwitches)
		}
		paths := passing[worker]
		for s := range paths {
			paths[s] = uint32(len(p.ClassesAt(int32(s))))
		}
		for _, s := range t.Order {
			c := t.Out[s]
			if c < 0 {
				continue
			}
			v := p.Graph.To[c]
			paths[v] += paths[s]
			if d := t.Out[v]; d >= 0 && paths[s] > 0 {
				atomic.AddUint32(&count[p.Index.Number(c, d)], paths[s])
			}
		}
	})
	return count, err
}
