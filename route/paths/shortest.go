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
		return drawn(ctx, in, UpDown(in.Graph, rootOf(in)))
	},
}

var updnChannel = &Algorithm{
	Name:         "updn-channel",
	Summary:      "shortest legal up*/down* paths that a table by input channel and destination holds, drawn at random",
	Paper:        "Lopez, Flich, Duato (paper 002), sections 1 and 2.1",
	Cost:         "O(hosts x turns + paths), parallel",
	DeadlockFree: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return byChannel(ctx, in, UpDown(in.Graph, rootOf(in)))
	},
}

// drawer draws shortest legal ways to one switch.
type drawer struct {
	r     *Rule
	dist  []int32 // by node
	queue []int32
	ways  []float64 // by node: number of shortest ways
}

func newDrawer(r *Rule) *drawer {
	return &drawer{
		r: r, dist: make([]int32, r.nodes()), queue: make([]int32, r.g.NumChannels), ways: make([]float64, r.nodes()),
	}
}

// aim prepares the draws for a switch.
func (d *drawer) aim(t int32) {
	d.r.distances(t, d.dist, d.queue)
	clear(d.ways)
}

// count is the number of shortest ways from a node.
func (d *drawer) count(x int32) float64 {
	if d.dist[x] == 0 {
		return 1
	}
	if d.ways[x] == 0 {
		for _, c := range d.r.next(x) {
			if d.dist[c] == d.dist[x]-1 {
				d.ways[x] += d.count(c)
			}
		}
	}
	return d.ways[x]
}

// draw appends one of the shortest ways from switch s, each equally likely; false
// if there is none.
func (d *drawer) draw(rng *rand.Rand, s int32, way []int32) ([]int32, bool) {
	x := d.r.source(s)
	if d.dist[x] == never {
		return way, false
	}
	for d.dist[x] > 0 {
		at := rng.Float64() * d.count(x)
		from := x
		for _, c := range d.r.next(from) {
			if d.dist[c] != d.dist[from]-1 {
				continue
			}
			x = c // the last one if rounding leaves none
			if at -= d.count(c); at < 0 {
				break
			}
		}
		way = append(way, x)
	}
	return way, true
}

// drawn draws a path for every pair for itself. The rule must be up*/down*, whose
// shortest ways meet no switch twice.
func drawn(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	g := in.Graph
	b := newBuilder(r)
	drawers := make([]*drawer, max(1, in.Workers))
	err := par.For(ctx, in.Workers, g.NumSwitches, func(w, t int) error {
		hosts := g.HostsOf(int32(t))
		if len(hosts) == 0 {
			return nil
		}
		if drawers[w] == nil {
			drawers[w] = newDrawer(r)
		}
		d := drawers[w]
		d.aim(int32(t))
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

// drawAll draws the paths to a host of the switch aimed at.
func (d *drawer) drawAll(b *Builder, rng *rand.Rand, dst int32) {
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

// byChannel draws one next channel for every destination and every channel into a
// switch, and one for the hosts of a switch: a C x N -> C routing function.
func byChannel(ctx context.Context, in *Input, r *Rule) (*Set, error) {
	g := in.Graph
	drawers := make([]*drawer, max(1, in.Workers))
	set, err := FromRouting(ctx, g, in.Workers, func(w int, dst int32) Routing {
		if drawers[w] == nil {
			drawers[w] = newDrawer(r)
		}
		drawers[w].aim(g.EndSwitch[dst])
		rng := destRand(in, dst)
		next := make([]int32, r.nodes())
		for x := range next {
			next[x] = drawers[w].step(rng, int32(x))
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

// step draws the next channel of a shortest way from a node, each equally likely.
func (d *drawer) step(rng *rand.Rand, x int32) int32 {
	choice, n := fabric.Nothing, 0
	for _, c := range d.r.next(x) {
		if d.dist[x] < never && d.dist[c] == d.dist[x]-1 {
			if n++; rng.IntN(n) == 0 {
				choice = c
			}
		}
	}
	return choice
}
