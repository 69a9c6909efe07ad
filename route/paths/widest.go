package paths

import (
	"context"

	"weft/fabric"
	"weft/route"
)

var shortestWidest = &Algorithm{
	Name:         "shortest-widest",
	Summary:      "pair by pair, the shortest legal up*/down* path whose heaviest link weighs least (ours; the paper's letter is option weight=sum); each link of it then weighs one more",
	Paper:        "Nienaber, Yuan, Duan (paper 000), section VI",
	Cost:         "O(switches x turns + pairs x turns on their shortest paths), one core",
	DeadlockFree: true,
	Options:      []route.Option{weightOption, orderOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return widestAll(ctx, in, UpDown(in.Graph, rootOf(in)))
	},
}

// widestAll computes the shortest-widest paths of all pairs, in order of source and destination,
// with hosts in random order: the paper places its machines at random one after another, so hosts
// of a switch are not consecutive.
func widestAll(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	g := in.Graph
	b := newBuilder(r)
	w := newWidest(in, r)
	order := hostOrder(in)
	var way []int32
	for _, src := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, dst := range order {
			if src == dst {
				continue
			}
			var ok bool
			if way, ok = w.takePath(g.EndSwitch[src], g.EndSwitch[dst], way); ok {
				b.Add(src, dst, way)
			}
		}
	}
	return b.Build()
}

// widest takes paths one after another by the shortest-widest heuristic. Every link weighs 1 at
// first and 1 more for each path on it. A path is the widest of the shortest: its heaviest link
// weighs least. Of equals it takes the first one found, by port. The paper says "smallest weight",
// which may mean the sum over the links: option weight.
type widest struct {
	weight []float64 // by channel
	ways   *lightestPaths
}

func newWidest(in *Input, r *Rule) *widest {
	w := &widest{weight: make([]float64, r.g.NumChannels), ways: newLightestPaths(r, in.word(weightOption) == sumOfLinks)}
	for c := range w.weight {
		w.weight[c] = 1
	}
	return w
}

// takePath takes the path from switch s to switch t, and returns it in the memory of way.
func (w *widest) takePath(s, t int32, way []int32) ([]int32, bool) {
	way, ok := w.ways.find(s, t, w.weight, way[:0])
	w.addWeight(way)
	return way, ok
}

// addWeight adds one to the weights of a path's links.
func (w *widest) addWeight(way []int32) {
	for _, c := range way {
		w.weight[c]++
	}
}

// lightestPaths finds shortest legal paths of least weight. It visits only nodes on a shortest
// path, one distance after another. A path's weight is the sum of its links' weights, or that of
// its heaviest link.
type lightestPaths struct {
	r     *Rule
	sum   bool
	dist  [][]int32 // by switch and node, nil until needed
	queue []int32   // of distances
	stamp int32
	seen  []int32   // by channel: stamp of its last layer
	cost  []float64 // by channel: least weight of a way up to it
	prev  []int32   // by channel: node before it on that way
	layer []int32
	after []int32
}

func newLightestPaths(r *Rule, sum bool) *lightestPaths {
	n := r.g.NumChannels
	return &lightestPaths{
		r: r, sum: sum, dist: make([][]int32, r.g.NumSwitches), queue: make([]int32, n),
		seen: make([]int32, n), cost: make([]float64, n), prev: make([]int32, n),
	}
}

// distancesTo returns the distances of all nodes to a switch.
func (l *lightestPaths) distancesTo(t int32) []int32 {
	if l.dist[t] == nil {
		l.dist[t] = make([]int32, l.r.nodes())
		l.r.distances(t, l.dist[t], l.queue)
	}
	return l.dist[t]
}

// find appends the lightest shortest path from switch s to switch t; false if there is none. If a
// rule's shortest path meets a switch twice, it returns the first shortest one that does not.
func (l *lightestPaths) find(s, t int32, weight []float64, way []int32) ([]int32, bool) {
	r, dist := l.r, l.distancesTo(t)
	from := r.source(s)
	if dist[from] == unreachable {
		return way, false
	}
	if dist[from] == 0 {
		return way, true
	}
	l.layer = append(l.layer[:0], from)
	for left := dist[from] - 1; left >= 0; left-- {
		l.stamp++
		l.after = l.after[:0]
		for _, x := range l.layer {
			base := 0.0
			if x != from {
				base = l.cost[x]
			}
			for _, c := range r.next(x) {
				if dist[c] != left {
					continue
				}
				cost := max(base, weight[c])
				if l.sum {
					cost = base + weight[c]
				}
				if l.seen[c] != l.stamp {
					l.seen[c] = l.stamp
					l.after = append(l.after, c)
				} else if cost >= l.cost[c] {
					continue
				}
				l.cost[c], l.prev[c] = cost, x
			}
		}
		l.layer, l.after = l.after, l.layer
	}
	last := l.layer[0]
	for _, c := range l.layer[1:] {
		if l.cost[c] < l.cost[last] {
			last = c
		}
	}
	first := len(way)
	for range dist[from] {
		way = append(way, fabric.Nothing)
	}
	for i := len(way) - 1; i >= first; i-- {
		way[i] = last
		last = l.prev[last]
	}
	if !loopless(r.g, s, way[first:]) {
		return deepenSearch(r, s, dist, way[:first])
	}
	return way, true
}

// deepenSearch appends the first loopless legal path from switch s in order of length, by port: a
// depth-first search with a growing bound. Only rules other than up*/down* may need it, when a
// detour makes a turn legal.
func deepenSearch(r *Rule, s int32, dist, way []int32) ([]int32, bool) {
	met := make([]bool, r.g.NumSwitches)
	var walk func(x, left int32) bool
	walk = func(x, left int32) bool {
		if dist[x] == 0 {
			return left == 0
		}
		met[r.at(x)] = true
		for _, c := range r.next(x) {
			if dist[c] >= left || met[r.g.To[c]] {
				continue
			}
			way = append(way, c)
			if walk(c, left-1) {
				return true
			}
			way = way[:len(way)-1]
		}
		met[r.at(x)] = false
		return false
	}
	for length := dist[r.source(s)]; int(length) < r.g.NumSwitches; length++ {
		if walk(r.source(s), length) {
			return way, true
		}
	}
	return way, false
}
