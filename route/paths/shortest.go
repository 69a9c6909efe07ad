package paths

import (
	"context"
	"math/rand/v2"

	"weft/fabric"
	"weft/internal/par"
)

var updnShortest = &Algorithm{
	Name:         "updn-shortest",
	Summary:      "a shortest legal up*/down* path for each pair of hosts, drawn uniformly",
	Paper:        "Lopez, Flich, Duato (paper 002), section 4",
	Cost:         "O(switches x turns + paths), parallel",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return drawPaths(ctx, in, UpDown(in.Graph, rootOf(in)))
	},
}

var updnChannel = &Algorithm{
	Name:         "updn-channel",
	Summary:      "shortest legal up*/down* paths that a table by input channel and destination holds, drawn at random",
	Paper:        "Lopez, Flich, Duato (paper 002), sections 1 and 2.1",
	Cost:         "O(hosts x turns + paths), parallel",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return drawByChannel(ctx, in, UpDown(in.Graph, rootOf(in)))
	},
}

// pathDrawer draws shortest legal paths to one switch.
type pathDrawer struct {
	r      *Rule
	dist   []int32 // by node
	queue  []int32
	counts []float64 // by node: number of shortest ways
}

func newPathDrawer(r *Rule) *pathDrawer {
	return &pathDrawer{
		r: r, dist: make([]int32, r.nodes()), queue: make([]int32, r.g.NumChannels), counts: make([]float64, r.nodes()),
	}
}

// setTarget prepares the draws of paths to a switch.
func (d *pathDrawer) setTarget(t int32) {
	d.r.distances(t, d.dist, d.queue)
	clear(d.counts)
}

// countFrom returns the number of shortest paths from a node.
func (d *pathDrawer) countFrom(x int32) float64 {
	if d.dist[x] == 0 {
		return 1
	}
	if d.counts[x] == 0 {
		for _, c := range d.r.next(x) {
			if d.dist[c] == d.dist[x]-1 {
				d.counts[x] += d.countFrom(c)
			}
		}
	}
	return d.counts[x]
}

// draw appends one of the shortest ways from switch s, each equally likely; false
// if there is none.
func (d *pathDrawer) draw(rng *rand.Rand, s int32, way []int32) ([]int32, bool) {
	x := d.r.source(s)
	if d.dist[x] == unreachable {
		return way, false
	}
	for d.dist[x] > 0 {
		at := rng.Float64() * d.countFrom(x)
		from := x
		for _, c := range d.r.next(from) {
			if d.dist[c] != d.dist[from]-1 {
				continue
			}
			x = c // the last one if rounding leaves none
			if at -= d.countFrom(c); at < 0 {
				break
			}
		}
		way = append(way, x)
	}
	return way, true
}

// drawPaths draws a path for every pair separately. The rule must be up*/down*, whose shortest
// paths meet no switch twice.
func drawPaths(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	g := in.Graph
	b := newBuilder(r)
	drawers := make([]*pathDrawer, max(1, in.Workers))
	err := par.For(ctx, in.Workers, g.NumSwitches, func(w, t int) error {
		hosts := g.AttachedTo(int32(t))
		if len(hosts) == 0 {
			return nil
		}
		if drawers[w] == nil {
			drawers[w] = newPathDrawer(r)
		}
		d := drawers[w]
		d.setTarget(int32(t))
		for _, dst := range hosts {
			d.drawAll(b, destRand(in, dst), dst)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Build()
}

// drawAll draws the paths to a host of the target switch.
func (d *pathDrawer) drawAll(b *Builder, rng *rand.Rand, dst int32) {
	g := d.r.g
	var way []int32
	for src := range int32(g.NumHosts) {
		if src == dst {
			continue
		}
		var ok bool
		if way, ok = d.draw(rng, g.EndSwitch[src], way[:0]); ok {
			b.Add(src, dst, way)
		}
	}
}

// drawByChannel draws one next channel for every destination and every channel into a switch, and
// one for the hosts of a switch: a C x N -> C routing function.
func drawByChannel(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	g := in.Graph
	drawers := make([]*pathDrawer, max(1, in.Workers))
	set, err := FromRouting(ctx, g, in.Workers, func(w int, dst int32) Routing {
		if drawers[w] == nil {
			drawers[w] = newPathDrawer(r)
		}
		drawers[w].setTarget(g.EndSwitch[dst])
		rng := destRand(in, dst)
		next := make([]int32, r.nodes())
		for x := range next {
			next[x] = drawers[w].drawNext(rng, int32(x))
		}
		return func(at, in int32) int32 {
			if in == fabric.Nothing {
				return next[r.source(at)]
			}
			return next[in]
		}
	})
	if err == nil {
		set.rule = r
	}
	return set, err
}

// drawNext draws the next channel of a shortest path from a node, each equally likely.
func (d *pathDrawer) drawNext(rng *rand.Rand, x int32) int32 {
	choice, n := fabric.Nothing, 0
	for _, c := range d.r.next(x) {
		if d.dist[x] < unreachable && d.dist[c] == d.dist[x]-1 {
			if n++; rng.IntN(n) == 0 {
				choice = c
			}
		}
	}
	return choice
}
