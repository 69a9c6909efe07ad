package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/route"
	"weft/sim/traffic"
)

// dumbSpread splits the flows of one round over all LIDs of their targets, in fractions. It returns
// the mean bandwidth of the flows and the largest load of a link.
func dumbSpread(g *fabric.Graph, p *route.Plan, src, dst []int32) (bandwidth, worst float64) {
	load := map[hop]float64{}
	each := func(do func(path []hop, share float64)) {
		for i := range src {
			n := p.Ends.Count(dst[i])
			for k := range n {
				if path := pathTo(g, p, src[i], dst[i], p.Ends.Base[dst[i]]+fabric.LID(k)); path != nil {
					do(path, 1/float64(n))
				}
			}
		}
	}
	each(func(path []hop, share float64) {
		for _, h := range path {
			load[h] += share
		}
	})
	each(func(path []hop, share float64) {
		most := 0.0
		for _, h := range path {
			most = max(most, load[h])
		}
		worst = max(worst, most)
		bandwidth += share / most
	})
	return bandwidth / float64(len(src)), worst
}

// Flows that are dealt out get what the definition gives them, also where some ports have
// fewer LIDs than others.
func TestSpreadIsTheDefinition(t *testing.T) {
	dealt := 0
	draws.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		p.Choice = route.Choice{}
		for e := range p.Ends.LMC {
			if p.Ends.LMC[e] > 0 && rapid.IntRange(0, 3).Draw(rt, "one LID") == 0 {
				p.Ends.LMC[e] = 0
			}
		}
		n, err := NewSpread(context.Background(), g, p, 2)
		if err != nil {
			rt.Fatal(err)
		}
		if n == nil {
			for h := range int32(g.NumHosts) {
				if p.Ends.Count(h) > 1 {
					rt.Fatal("a host has several LIDs, but nothing is dealt out")
				}
			}
			return
		}
		if len(n.Hosts) < 2 {
			return
		}
		pattern, err := traffic.Parse("shift:1", len(n.Hosts))
		if err != nil {
			rt.Fatal(err)
		}
		r, err := n.Run(context.Background(), pattern, Options{Runs: 1, Workers: 2})
		if err != nil {
			rt.Fatal(err)
		}
		var f traffic.Flows
		pattern.Round(&f, 0, rand.NewPCG(1, 1))
		for i := range f.Src {
			f.Src[i], f.Dst[i] = n.Hosts[f.Src[i]], n.Hosts[f.Dst[i]]
		}
		bandwidth, worst := dumbSpread(g, p, f.Src, f.Dst)
		if math.Abs(r.Bandwidth.Mean-bandwidth) > 1e-9 || math.Abs(r.MaxCongestion.Mean-worst) > 1e-9 || r.Flows != int64(len(f.Src)) {
			rt.Fatalf("bandwidth %g, congestion %g of %d flows; want %g, %g", r.Bandwidth.Mean, r.MaxCongestion.Mean, r.Flows, bandwidth, worst)
		}
		if len(r.Histogram) > 0 {
			rt.Fatal("parts of flows are in the histogram")
		}
		dealt++
	}, func() string {
		if dealt == 0 {
			return "nothing was dealt out"
		}
		return ""
	})
}

// Nothing is dealt out where the Plan says which LID a source uses.
func TestSpreadNeedsAChoice(t *testing.T) {
	g := parse(t, "rlft(4,2)")
	p := dModK(t, g, 2)
	for e := range p.Ends.LMC {
		p.Ends.LMC[e] = 1
	}
	for _, by := range []route.ChoiceBy{route.BaseLID, route.HashedLID} {
		p.Choice.By = by
		if n, err := NewSpread(context.Background(), g, p, 1); n != nil || err != nil {
			t.Errorf("%s: %v, %v", by, n, err)
		}
	}
}
