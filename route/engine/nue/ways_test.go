package nue

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route/engine/internal/sample"
	"weft/route/internal/cdg"
)

// drawLane draws a network with an order in which a spanning tree's turns ascend.
func drawLane(t *rapid.T) *lane {
	g, e := drawEscape(t)
	d := &designer{turns: cdg.NewIndex(g)}
	for c := range int32(g.NumChannels) {
		for _, next := range g.OutOf(g.To[c]) {
			if rapid.IntRange(0, 3).Draw(t, "wanted") == 0 {
				d.wanted = append(d.wanted, weightedTurn{c, next, 1})
			}
		}
	}
	o := d.byDemand(e, rand.New(rand.NewPCG(1, 2)))
	ascends(t, o)
	return newLane(o, newParts(g))
}

// TestSearch: for every number of hops the latest place with which a way begins is
// what a search without steps finds, and every switch that a path leads to is reached.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLane(t)
		w := &ways{}
		for to := range int32(l.g.NumSwitches) {
			w.search(l, to)
			latest := make([]int32, l.g.NumSwitches)
			for s := range latest {
				latest[s] = nowhere
			}
			latest[to] = goal
			for h := range len(w.level) - 1 {
				for s := range int32(l.g.NumSwitches) {
					if got := w.latest(s, int32(h)); got != latest[s] {
						t.Fatalf("to %d from %d in %d hops: latest place %d, want %d", to, s, h, got, latest[s])
					}
				}
				latest = longer(l, latest)
			}
			if n := reached(l.g, to); len(w.order) != n {
				t.Fatalf("%d switches reach %d, want %d", len(w.order), to, n)
			}
		}
	})
}

// longer allows a hop more.
func longer(l *lane, latest []int32) []int32 {
	next := append([]int32(nil), latest...)
	for s := range int32(l.g.NumSwitches) {
		for i := l.g.OutStart[s]; i < l.g.OutStart[s+1]; i++ {
			if l.out[i] < latest[l.head[i]] {
				next[s] = max(next[s], l.out[i])
			}
		}
	}
	return next
}

// reached counts the switches with a path to one, itself included.
func reached(g *fabric.Graph, to int32) int {
	s := newSpreader(cdg.NewIndex(g), nil)
	s.search.From(to)
	return len(s.search.Order)
}

// TestChoose: the paths ascend and end at the destination; nothing but what must give
// way to others takes a way longer than its shortest; and the loads are the number of
// paths on each channel.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLane(t)
		w, b := &ways{}, newChooser(l.g)
		load := make([]int64, len(l.g.Out))
		for to := range int32(l.g.NumSwitches) {
			w.search(l, to)
			paths := rapid.Int64Range(0, 2).Draw(t, "paths")
			b.choose(l, w, paths)
			for _, s := range w.order[1:] {
				if b.hops[s] > w.hops(s) && b.arrival[s] == nowhere {
					t.Fatalf("to %d: %d takes %d hops, not %d, for nobody", to, s, b.hops[s], w.hops(s))
				}
				for at, place := s, nowhere; at != to; at = l.head[b.chosen[at]] {
					i := b.chosen[at]
					if l.out[i] <= place {
						t.Fatalf("the path from %d to %d does not ascend", s, to)
					}
					place = l.out[i]
					load[i] += sample.Weight(l.g, s) * paths
				}
			}
		}
		for i := range load {
			if b.load[i] != load[i] {
				t.Fatalf("load %d, want %d", b.load[i], load[i])
			}
		}
	})
}

// TestWeigh: the cost of a channel is the least load on a way that begins with it and
// follows channels of shortest ways at later places. The order is any order of the
// channels, in which few switches may reach each other.
func TestWeigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([]string{"torus(4x4)", "torus(3x3x3)", "kautz(3,2,hosts=12)", "rlft(4,3)"}).Draw(t, "formula")
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		list := make([]int32, g.NumChannels)
		for i, c := range rng.Perm(len(list)) {
			list[i] = int32(c)
		}
		l := newLane(newOrder(cdg.NewIndex(g), list), newParts(g))
		w, b := &ways{}, newChooser(g)
		for i := range b.load {
			b.load[i] = rng.Int64N(6)
		}
		for to := range int32(l.g.NumSwitches) {
			w.search(l, to)
			b.sumLoads(w)
			for i, c := range w.allowed {
				if want, ok := leastLoad(l, w, b.load, c); ok && b.cost[i] != want {
					t.Fatalf("to %d by channel %d: cost %d, want %d", to, c, b.cost[i], want)
				}
			}
		}
	})
}

// leastLoad tries all ways that begin with a channel; false where one of the switches on
// them has none.
func leastLoad(l *lane, w *ways, load []int64, i int32) (int64, bool) {
	v := l.head[i]
	if v == w.to {
		return load[i], true
	}
	best, found := int64(0), false
	for _, next := range w.allowed[w.start[w.number[v]-1]:w.start[w.number[v]]] {
		if l.out[next] <= l.out[i] {
			continue
		}
		sum, ok := leastLoad(l, w, load, next)
		if !ok {
			return 0, false
		}
		if !found || sum < best {
			best, found = sum, true
		}
	}
	return load[i] + best, found
}
