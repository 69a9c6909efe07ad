package check

import (
	"context"
	"math/bits"

	"weft/internal/par"
)

// laneGraph is the dependency graph of one SL that stays on a VL of its own, in one
// kind of traffic: a node is a channel, and its successors are a word with a bit for
// each channel that leaves its end, by rank. Words that say by switch which of these
// have been seen save looking at edges (Tarjan's components, as in components).
type laneGraph struct {
	*judge
	after       []uint64 // by channel: successors
	seen, open  []uint64 // by switch: channels that leave it
	index, low  []int32  // by channel
	stack, path []int32
	count       int32
	cyclic      []bool // by channel: it is on a cycle
}

// onCycles returns by channel a mask of what may be on a cycle; nothing else is. It is
// nil where VLs are not kept, or a switch has too many channels for a word.
func (j *judge) onCycles(ctx context.Context, workers int) ([]uint64, error) {
	g, l, n := j.g, j.lanes, j.g.NumChannels
	for c := range int32(n) {
		if j.keepsVL(c) == nil || len(g.OutOf(g.To[c])) > 64 {
			return nil, nil
		}
	}
	fields := uint64(0)
	for i := range l.sls {
		fields |= l.sel[i]
	}
	// What hosts do among themselves is part of what all do.
	fields &^= l.fieldMask(hostOnly)
	var places []int
	for m := fields; m != 0; m &= m - 1 {
		places = append(places, bits.TrailingZeros64(m))
	}
	after := j.successors(places)
	cyclic := make([][]bool, len(places))
	err := par.For(ctx, workers, len(places), func(_, i int) error {
		t := laneGraph{
			judge: j, after: after[i*n : (i+1)*n], seen: make([]uint64, g.NumSwitches), open: make([]uint64, g.NumSwitches),
			index: make([]int32, n), low: make([]int32, n), cyclic: make([]bool, n),
		}
		t.components()
		cyclic[i] = t.cyclic
		return nil
	})
	left := make([]uint64, n)
	for i, b := range places {
		for c, yes := range cyclic[i] {
			if yes {
				left[c] |= 1 << b
			}
		}
	}
	for c, m := range left {
		left[c] |= l.field(m, assigned) << l.shift[hostOnly]
	}
	return left, err
}

// successors are those of all channels, for one bit of the masks after the other.
func (j *judge) successors(places []int) []uint64 {
	g, n := j.g, j.g.NumChannels
	after := make([]uint64, len(places)*n)
	var masks [64]uint64
	for c := range int32(n) {
		row := masks[:len(g.OutOf(g.To[c]))]
		some := uint64(0)
		for i := range row {
			row[i] = j.deps.at(int64(j.deps.row[c]) + int64(i))
			some |= row[i]
		}
		for k, b := range places {
			if some>>b&1 == 0 {
				continue
			}
			word := uint64(0)
			for i := len(row) - 1; i >= 0; i-- {
				word = word<<1 | row[i]>>(b&63)&1
			}
			after[k*n+int(c)] = word
		}
	}
	return after
}

func (t *laneGraph) components() {
	for c, m := range t.after {
		if m == 0 || t.index[c] != 0 {
			continue
		}
		t.enter(int32(c))
		for len(t.path) > 0 {
			u := t.path[len(t.path)-1]
			s := t.g.To[u]
			if fresh := t.after[u] &^ t.seen[s]; fresh != 0 {
				t.enter(t.g.OutOf(s)[bits.TrailingZeros64(fresh)])
				continue
			}
			t.path = t.path[:len(t.path)-1]
			for m := t.after[u] & t.open[s]; m != 0; m &= m - 1 {
				t.low[u] = min(t.low[u], t.index[t.g.OutOf(s)[bits.TrailingZeros64(m)]])
			}
			if t.low[u] == t.index[u] {
				t.closePart(u)
			} else {
				p := t.path[len(t.path)-1]
				t.low[p] = min(t.low[p], t.low[u])
			}
		}
	}
}

func (t *laneGraph) enter(c int32) {
	bit := uint64(1) << t.deps.rank[c]
	t.seen[t.g.From[c]] |= bit
	t.open[t.g.From[c]] |= bit
	t.count++
	t.index[c], t.low[c] = t.count, t.count
	t.stack = append(t.stack, c)
	t.path = append(t.path, c)
}

// closePart takes a component whose first node is u off the open nodes.
func (t *laneGraph) closePart(u int32) {
	cyclic := t.stack[len(t.stack)-1] != u || t.g.From[u] == t.g.To[u] && t.after[u]>>t.deps.rank[u]&1 == 1
	for {
		c := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.open[t.g.From[c]] &^= 1 << t.deps.rank[c]
		t.cyclic[c] = cyclic
		if c == u {
			return
		}
	}
}
