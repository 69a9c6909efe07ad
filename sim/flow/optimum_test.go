package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/traffic"
)

// TestOptimum: on networks whose optimum is known the bound is near it, and not above it.
func TestOptimum(t *testing.T) {
	for formula, want := range map[string]float64{
		"torus(4x4x4,hosts=2)": 128, // dimension order with halves split is even
		"torus(5,hosts=1)":     3,   // 20 pairs over 30 hops, on 10 channels
		"rlft(8,2)":            28,  // 4 hosts of a leaf to 28 others over 4 links
		"hypercube(4,hosts=1)": 8,
		"fullmesh(5,hosts=2)":  4,
		"mesh(4,hosts=1)":      4, // two by two across the middle
	} {
		l, err := unrouted(t, formula).findLengths(context.Background())
		if err != nil || l == nil {
			t.Fatalf("%s: %v", formula, err)
		}
		if l.bound > want+1e-9 || l.bound < .98*want {
			t.Errorf("%s: %g, want %g", formula, l.bound, want)
		}
	}
	if l, err := unrouted(t, "torus(3,hosts=0)").findLengths(context.Background()); l != nil || err != nil {
		t.Errorf("no hosts: %v, %v", l, err)
	}
}

// unrouted is the Network of a formula whose tables are empty.
func unrouted(t *testing.T, formula string) *Network {
	g := parse(t, formula)
	p := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	for e := range p.Ends.Base {
		p.Ends.Base[e] = fabric.LID(e + 1)
	}
	p.Tables = route.NewTables(g.NumSwitches, p.Ends.Top())
	return network(t, g, p)
}

// TestLengths: whatever the lengths, they bound what the tables of a network give, and ways are as
// short as relaxing all channels again and again makes them.
func TestLengths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "lengths"), 2))
		l := &lengths{channel: make([]float64, g.NumChannels)}
		for c := range l.channel {
			l.channel[c] = rng.Float64()
		}
		w := newWays(g)
		for s := range int32(g.NumSwitches) {
			w.from(s, l.channel)
			want := dumbWays(g.NumSwitches, g.From, g.To, l.channel, s)
			for v := range want {
				if math.Abs(want[v]-w.length[v]) > 1e-9 {
					rt.Fatalf("from %d to %d: %g, want %g", s, v, w.length[v], want[v])
				}
			}
			l.way = append(l.way, want)
		}
		// Flows of bisections get 1/c each, and links between hosts and switches bound c too.
		if len(n.Hosts) < 2 {
			return
		}
		b := newCutBound(n, l)
		order := rng.Perm(len(n.Hosts))
		hosts := make([]int32, len(order))
		for i, at := range order {
			hosts[i] = n.Hosts[at]
		}
		r := simulate(t, n, "bisect", Options{Runs: 1, ByRate: true, Hosts: hosts})
		bisect, place, _ := n.Servers().OnPorts("bisect", hosts, 0)
		var pairs traffic.Flows
		bisect.Round(&pairs, 0, nil)
		place.ToPorts(&pairs, place.Units)
		if bound := b.bisection(&pairs); r.Bandwidth.Mean > bound+1e-9 {
			rt.Fatalf("bandwidth %g, bound %g", r.Bandwidth.Mean, bound)
		}
	})
}

func dumbWays(switches int, from, to []int32, length []float64, s int32) []float64 {
	out := make([]float64, switches)
	for v := range out {
		out[v] = math.Inf(1)
	}
	out[s] = 0
	for range switches {
		for c, l := range length {
			out[to[c]] = min(out[to[c]], out[from[c]]+l)
		}
	}
	return out
}
