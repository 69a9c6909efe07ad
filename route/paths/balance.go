package paths

import (
	"context"
	"math"
)

const (
	passes = 24 // of the balance, at most
	steep  = 16 // exponent of the weight of the most loaded link
)

// balance takes a shortest legal path for each pair of hosts so that the load of the most loaded
// link is small. Multiplicative weights approximate a linear program: split each pair's traffic
// over its shortest legal paths for the least maximum load. In every pass each pair leaves its path
// and takes the lightest; a link weighs exp(steep * load / greatest load). Paths stay whole, so
// that nothing needs rounding; the best pass wins. bound is a lower bound of the program's optimum,
// from its dual: for any weights, the traffic times the least weight of a way, divided by the sum
// of weights. Loads are in paths.
func balance(ctx context.Context, in *Input, r *Rule) (set *Set, bound float64, err error) {
	b := newBalancer(in, r)
	best := math.Inf(1)
	var hops []int32
	for range passes {
		if err := b.pass(ctx); err != nil {
			return nil, 0, err
		}
		bound = max(bound, b.lowerBound())
		if most := b.highest(); most < best {
			best = most
			hops = append(hops[:0], b.hops...)
		}
		if best <= math.Ceil(bound) {
			break
		}
	}
	b.hops = hops
	set, err = b.pathSet()
	return set, bound, err
}

// balancer moves the paths of pairs of hosts.
type balancer struct {
	in     *Input
	ways   *lightestPaths
	load   []float64 // by channel: paths on it
	weight []float64
	unit   float64 // load of weight exp(steep)
	start  []int32 // by pair src*NumHosts+dst: its channels are hops[start[p]:start[p+1]]
	hops   []int32
	exists []bool // by pair: it has a path
}

// newBalancer gives every pair a first path, one after another.
func newBalancer(in *Input, r *Rule) *balancer {
	g := in.Graph
	b := &balancer{
		in: in, ways: newLightestPaths(r, true), load: make([]float64, g.NumChannels), weight: make([]float64, g.NumChannels),
		start: make([]int32, 1, g.NumHosts*g.NumHosts+1), exists: make([]bool, g.NumHosts*g.NumHosts),
	}
	total := 0.0
	b.eachPair(func(s, t int32, traffic float64) {
		if hops := b.ways.distancesTo(t)[r.source(s)]; hops < unreachable {
			total += traffic * float64(hops)
		}
	})
	b.unit = max(1, 2*total/float64(max(1, g.NumChannels)))
	for c := range b.load {
		b.add(int32(c), 0)
	}
	for src := range int32(g.NumHosts) {
		for dst := range int32(g.NumHosts) {
			if src != dst {
				first := len(b.hops)
				b.hops, b.exists[int(src)*g.NumHosts+int(dst)] = b.ways.find(g.EndSwitch[src], g.EndSwitch[dst], b.weight, b.hops)
				for _, c := range b.hops[first:] {
					b.add(c, 1)
				}
			}
			b.start = append(b.start, int32(len(b.hops)))
		}
	}
	return b
}

// eachPair visits the pairs of different switches with hosts; their traffic is the number of pairs
// of hosts.
func (b *balancer) eachPair(visit func(s, t int32, traffic float64)) {
	g := b.in.Graph
	for s := range int32(g.NumSwitches) {
		for t := range int32(g.NumSwitches) {
			if n := len(g.AttachedTo(s)) * len(g.AttachedTo(t)); n > 0 && s != t {
				visit(s, t, float64(n))
			}
		}
	}
}

// add changes the load of a channel.
func (b *balancer) add(c int32, paths float64) {
	b.load[c] += paths
	b.weight[c] = math.Exp(steep * b.load[c] / b.unit)
}

// highest returns the greatest load.
func (b *balancer) highest() float64 {
	most := 0.0
	for _, l := range b.load {
		most = max(most, l)
	}
	return most
}

// pass lets every pair choose again.
func (b *balancer) pass(ctx context.Context) error {
	g := b.in.Graph
	b.unit = max(1, b.highest())
	for c := range b.load {
		b.add(int32(c), 0)
	}
	var way []int32
	for p := range b.exists {
		if p%g.NumHosts == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		old := b.hops[b.start[p]:b.start[p+1]]
		if len(old) == 0 {
			continue
		}
		for _, c := range old {
			b.add(c, -1)
		}
		way, _ = b.ways.find(g.EndSwitch[p/g.NumHosts], g.EndSwitch[p%g.NumHosts], b.weight, way[:0])
		if len(way) == len(old) { // else one of them is a detour around a loop
			copy(old, way)
		}
		for _, c := range old {
			b.add(c, 1)
		}
	}
	return nil
}

// lowerBound returns a lower bound of the greatest load over all splits of the traffic among
// shortest paths.
func (b *balancer) lowerBound() float64 {
	sum, least := 0.0, 0.0
	for _, w := range b.weight {
		sum += w
	}
	var way []int32
	b.eachPair(func(s, t int32, traffic float64) {
		way, _ = b.ways.find(s, t, b.weight, way[:0])
		for _, c := range way {
			least += traffic * b.weight[c]
		}
	})
	if sum == 0 {
		return 0
	}
	return least / sum
}

// pathSet returns the paths.
func (b *balancer) pathSet() (*Set, error) {
	n := int32(b.in.Graph.NumHosts)
	out := newBuilder(b.ways.r)
	for dst := range n {
		for src := range n {
			if p := int(src)*int(n) + int(dst); b.exists[p] {
				out.Add(src, dst, b.hops[b.start[p]:b.start[p+1]])
			}
		}
	}
	return out.Build()
}
