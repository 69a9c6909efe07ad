package paths

import (
	"context"

	"weft/route"
)

var smart = &Algorithm{
	Name:         "smart",
	Summary:      "dependencies are removed until none is cyclic, the least used first; then paths are balanced by multiplicative weights, our approximation of the linear programme, or by the programme and an installed solver",
	Paper:        "Cherkasova, Kotov, Rokicki 1996 (reference [2] of paper 002)",
	Cost:         "O(rounds x switches x turns) for the rule, O(passes x pairs x turns on their shortest paths) for the balance",
	DeadlockFree: true,
	Options:      []route.Option{balanceOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		r, err := newSmart(ctx, in)
		if err != nil {
			return nil, err
		}
		switch in.word(balanceOption) {
		case byWidest:
			return widestAll(ctx, in, r)
		case ByProgramme:
			return balanceByProgramme(ctx, in, r)
		}
		set, _, err := balance(ctx, in, r)
		return set, err
	},
}

// newSmart makes the rule. At first it allows all turns. While the turns of the shortest paths of
// all pairs have a cycle, it forbids the turn of each found cycle with the fewest paths, and finds
// the shortest paths again. Then it does the same with all turns, used or not, so that every
// allowed way is free of deadlock.
//
// It never forbids continuing from a channel up a breadth-first tree, or onto a channel down it.
// These turns have no cycle (up the tree, across once, down the tree), so every cycle has another
// turn. They leave a way for every pair, and let nearly every switch join a tree of paths to a LID.
func newSmart(ctx context.Context, in *Input) (*Rule, error) {
	g := in.Graph
	r := Unrestricted(g)
	t := newTurns(r)
	_, parent := treeFrom(g, rootOf(in))
	kept := func(c, d int32) bool {
		return parent[g.From[c]] == c^1 || parent[g.To[d]] == d
	}
	for _, usedOnly := range []bool{true, false} {
		for again := true; again; {
			flow, err := countTurnUse(ctx, r)
			if err != nil {
				return nil, err
			}
			if again = t.breakCycles(flow, usedOnly, kept); again {
				r = NewRule(g, t.allowed)
			}
		}
	}
	return r, nil
}

// turnUse counts the paths over each turn.
type turnUse struct {
	r     *Rule
	paths []float64 // by place of the turn in r.after
}

// count returns the number of paths over a turn, -1 for a forbidden one.
func (f *turnUse) count(c, d int32) float64 {
	for i := f.r.start[c]; i < f.r.start[c+1]; i++ {
		if f.r.after[i] == d {
			return f.paths[i]
		}
	}
	return -1
}

// countTurnUse counts the paths of all pairs of hosts on every turn, divided evenly over the
// shortest paths.
func countTurnUse(ctx context.Context, r *Rule) (*turnUse, error) {
	g := r.g
	f := &turnUse{r: r, paths: make([]float64, len(r.after))}
	d := newPathDrawer(r)
	through := make([]float64, r.nodes())
	var byDist [][]int32
	for t := range int32(g.NumSwitches) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sinks := len(g.AttachedTo(t))
		if sinks == 0 {
			continue
		}
		d.setTarget(t)
		for i := range byDist {
			byDist[i] = byDist[i][:0]
		}
		for x, dist := range d.dist {
			if dist == unreachable {
				continue
			}
			for len(byDist) <= int(dist) {
				byDist = append(byDist, nil)
			}
			byDist[dist] = append(byDist[dist], int32(x))
			if through[x] = 0; x >= g.NumChannels {
				through[x] = float64(sinks * len(g.AttachedTo(int32(x-g.NumChannels))))
			}
		}
		for left := len(byDist) - 1; left > 0; left-- {
			for _, x := range byDist[left] {
				if through[x] == 0 {
					continue
				}
				all := d.countFrom(x)
				for i := r.start[x]; i < r.start[x+1]; i++ {
					if c := r.after[i]; d.dist[c] == int32(left-1) {
						share := through[x] * d.countFrom(c) / all
						through[c] += share
						f.paths[i] += share
					}
				}
			}
		}
	}
	return f, nil
}

// breakCycles forbids one turn in every cycle that it finds, the least used that need not stay,
// until it finds no cycle among the used turns, or among all. It reports whether there was one.
func (t *turns) breakCycles(f *turnUse, usedOnly bool, kept func(c, d int32) bool) bool {
	walk := cycleFinder{next: t.next, state: make([]uint8, len(t.next))}
	if usedOnly {
		walk.use = func(c, d int32) bool { return f.count(c, d) > 0 }
	}
	found := false
	for {
		cycle := walk.find()
		if cycle == nil {
			return found
		}
		found = true
		var from, to int32
		least := -1.0
		for i, c := range cycle {
			d := cycle[(i+1)%len(cycle)]
			if n := f.count(c, d); !kept(c, d) && (least < 0 || n < least) {
				from, to, least = c, d, n
			}
		}
		t.forbid(from, to)
		walk.restart()
	}
}

// cycleFinder searches for cycles of turns by depth-first search. Finished channels stay finished
// when a turn is removed.
type cycleFinder struct {
	next  [][]int32
	use   func(c, d int32) bool // nil for all turns
	state []uint8               // by channel: not met, on the path, done
	path  []int32
}

const (
	notMet = iota
	onPath
	done
)

// find returns the channels of a cycle in order, nil if there is none.
func (w *cycleFinder) find() []int32 {
	for c := range int32(len(w.next)) {
		if w.state[c] == notMet {
			if cycle := w.visit(c); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}

// visit searches depth first from a channel, and returns the channels of a found cycle.
func (w *cycleFinder) visit(c int32) []int32 {
	w.state[c] = onPath
	w.path = append(w.path, c)
	for _, d := range w.next[c] {
		if w.use != nil && !w.use(c, d) {
			continue
		}
		switch w.state[d] {
		case notMet:
			if cycle := w.visit(d); cycle != nil {
				return cycle
			}
		case onPath:
			for i := len(w.path) - 1; ; i-- {
				if w.path[i] == d {
					return append([]int32(nil), w.path[i:]...)
				}
			}
		}
	}
	w.state[c] = done
	w.path = w.path[:len(w.path)-1]
	return nil
}

// restart makes the next search start again with the unfinished channels.
func (w *cycleFinder) restart() {
	for _, c := range w.path {
		w.state[c] = notMet
	}
	w.path = w.path[:0]
}
