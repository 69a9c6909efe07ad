package sssp

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// weighted is algorithm 1 with a finite first weight of all channels, by Dijkstra's search for one
// LID after another. If the weight is too small, paths make detours around loaded channels, as in
// Fig. 1 of the paper. Hosts count their paths; port 0 of a switch gets paths too, which count
// nothing. Ends come by switches, as in the engine's usual form. Time O(LIDs x channels x
// log(channels)), on one core.
func weighted(ctx context.Context, in *route.Input, first int64) (*route.Tables, error) {
	g := in.Graph
	tables := route.NewTables(g.NumSwitches, in.Ends.Top())
	weight := slices.Repeat([]int64{first}, g.NumChannels)
	ends := slices.DeleteFunc(fabric.Numbers(g.NumEnds), func(end int32) bool { return in.Ends.Base[end] == 0 })
	slices.SortStableFunc(ends, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(g.HostsOf(g.EndSwitch[b])), len(g.HostsOf(g.EndSwitch[a]))), cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]), cmp.Compare(a, b))
	})
	w := &weightedSearch{g: g, far: make([]int64, g.NumSwitches), out: make([]int32, g.NumSwitches), paths: make([]int64, g.NumSwitches)}
	for _, end := range ends {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := range in.Ends.Count(end) {
			lid, t := in.Ends.Base[end]+fabric.LID(k), g.EndSwitch[end]
			w.from(t, weight)
			tables.Set(t, lid, g.EndPort[end])
			for _, s := range w.order[1:] {
				tables.Set(s, lid, g.FromPort[w.out[s]])
			}
			if !g.IsPortZero(end) {
				w.count(weight)
			}
		}
	}
	return tables, nil
}

// weightedSearch is the state of a search towards a switch.
type weightedSearch struct {
	g     *fabric.Graph
	far   []int64 // by switch: sum of weights to the target; negative if it was not found
	out   []int32 // by switch: its channel towards the target
	order []int32 // switches as they were settled, the target first
	paths []int64 // by switch: scratch of count
	queue reached
}

// at is a switch with a sum of weights in the queue.
type at struct {
	s   int32
	far int64
}

type reached []at

func (q reached) Len() int           { return len(q) }
func (q reached) Less(i, j int) bool { return q[i].far < q[j].far }
func (q reached) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *reached) Push(x any) { *q = append(*q, x.(at)) }

// Pop implements heap.Interface.
func (q *reached) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// from searches the paths of least weight from all switches to t.
func (w *weightedSearch) from(t int32, weight []int64) {
	for s := range w.far {
		w.far[s] = -1
	}
	w.far[t], w.order, w.queue = 0, w.order[:0], append(w.queue[:0], at{t, 0})
	for len(w.queue) > 0 {
		u := heap.Pop(&w.queue).(at)
		if u.far > w.far[u.s] {
			continue
		}
		w.order = append(w.order, u.s)
		if u.s != t && w.g.Drained[u.s] {
			continue
		}
		for _, back := range w.g.OutOf(u.s) {
			c, s := back^1, w.g.To[back] // c leads from s to u
			if far := u.far + weight[c]; w.far[s] < 0 || far < w.far[s] {
				w.far[s], w.out[s] = far, c
				heap.Push(&w.queue, at{s, far})
			}
		}
	}
}

// count adds the paths of all hosts to the weights.
func (w *weightedSearch) count(weight []int64) {
	for s := range w.paths {
		w.paths[s] = int64(len(w.g.HostsOf(int32(s))))
	}
	for _, s := range slices.Backward(w.order[1:]) {
		c := w.out[s]
		weight[c] += w.paths[s]
		w.paths[w.g.To[c]] += w.paths[s]
	}
}
