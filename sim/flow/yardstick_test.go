package flow

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/traffic"
)

// TestByRate: congestion by rate is the largest ratio on the path of what flows ask for, the
// rate of the slower of their hosts, and what the link carries.
func TestByRate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		src, dst := drawFlows(rt, n)
		loads := map[hop]float64{}
		paths := make([][]hop, len(src))
		for i := range src {
			paths[i] = pathOf(g, p, src[i], dst[i])
			asked := 60.0
			for _, host := range []int32{src[i], dst[i]} {
				asked = min(asked, math.Ceil(60*capacityOf(g, hop{from: host, host: true})-1e-6))
			}
			for _, h := range paths[i] {
				loads[h] += asked
			}
		}
		want, inverse := 0.0, 0.0
		for _, path := range paths {
			worst := 0.0
			for _, h := range path {
				worst = max(worst, loads[h]/capacityOf(g, h))
			}
			worst = math.Ceil(worst-1e-6) / 60
			want = max(want, worst)
			if worst > 0 {
				inverse += 1 / worst
			}
		}
		rank := map[int32]int32{}
		for i, h := range n.Hosts {
			rank[h] = int32(i)
		}
		var flows traffic.Flows
		for i := range src {
			flows.Add(rank[src[i]], rank[dst[i]])
		}
		r, err := n.Run(t.Context(), traffic.FromRounds("drawn", len(n.Hosts), []traffic.Flows{flows}), Options{Runs: 1, ByRate: true})
		if err != nil {
			rt.Fatal(err)
		}
		if math.Abs(r.MaxCongestion.Mean-want) > 1e-9 || len(src) > 0 && math.Abs(r.Bandwidth.Mean-inverse/float64(len(src))) > 1e-9 {
			rt.Fatalf("congestion %g, bandwidth %g; want %g, %g", r.MaxCongestion.Mean, r.Bandwidth.Mean, want, inverse/float64(len(src)))
		}
	})
}

// TestBound: no tables give more than the bound, on the same bisections.
func TestBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		y, err := NewYardstick(t.Context(), g, p, Measure{Runs: 20, Seed: 3, Workers: 2})
		if err != nil {
			rt.Fatal(err)
		}
		if y.EBB.Mean > y.EBBBound+1e-9 || y.EBBBound > 1+1e-9 {
			rt.Fatalf("ebb %g, bound %g", y.EBB.Mean, y.EBBBound)
		}
		if y.Undelivered == 0 && float64(y.PairLoad) < y.PairLoadBound-1e-9 {
			rt.Fatalf("%d pairs, bound %g", y.PairLoad, y.PairLoadBound)
		}
	})
}

// dumbbell joins two switches by some links, each with as many hosts.
func dumbbell(t *testing.T, hosts, links int) (*fabric.Graph, *route.Plan) {
	t.Helper()
	f := fabric.New("dumbbell")
	for s := range 2 {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(1+s), hosts+links, "switch"); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(a, b fabric.End) {
		if _, err := f.Connect(a, b, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	for h := range 2 * hosts {
		id, err := f.AddNode(fabric.CA, fabric.GUID(10+h), 1, "host "+strconv.Itoa(h))
		if err != nil {
			t.Fatal(err)
		}
		connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: fabric.NodeID(h % 2), Port: uint8(1 + h/2)})
	}
	for l := range links {
		connect(fabric.End{Node: 0, Port: uint8(1 + hosts + l)}, fabric.End{Node: 1, Port: uint8(1 + hosts + l)})
	}
	g := f.Compile()
	p := &route.Plan{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	for e := range p.Ends.Base {
		p.Ends.Base[e] = fabric.LID(e + 1)
	}
	p.Tables = route.NewTables(g.NumSwitches, p.Ends.Top())
	for e := range int32(g.NumEnds) {
		home := g.EndSwitch[e]
		p.Tables.Set(home, p.Ends.Base[e], g.EndPort[e])
		p.Tables.Set(1-home, p.Ends.Base[e], uint8(1+hosts+int(e)%links))
	}
	return g, p
}

// TestDumbbell: where a cut limits every routing, the bound is what the cut carries.
func TestDumbbell(t *testing.T) {
	g, p := dumbbell(t, 4, 1)
	y, err := NewYardstick(t.Context(), g, p, Measure{Runs: 500, Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	// 8 hosts, 4 flows; k of them go one way and k the other or within a switch. One link
	// carries one flow of bandwidth 1 each way, or k of 1/k: the tables reach the bound.
	if math.Abs(y.EBB.Mean-y.EBBBound) > 1e-9 || y.EBB.Mean > .9 || y.EBB.Mean < .3 {
		t.Errorf("ebb %g, bound %g", y.EBB.Mean, y.EBBBound)
	}
	if y.PairLoad != 16 || y.PairLoadSwitches != 25 || y.DarkChannels != 0 || y.Undelivered != 0 {
		t.Errorf("%+v", y)
	}
	g, p = dumbbell(t, 2, 3)
	if y, err = NewYardstick(t.Context(), g, p, Measure{Runs: 10, Workers: 1}); err != nil || y.DarkChannels == 0 {
		t.Errorf("%+v, %v", y, err)
	}
	if y.Shift.Rounds != 3 || y.Doubling.Rounds != 2 || y.Shift.Sum != y.Shift.Mean*3 {
		t.Errorf("%+v", y)
	}
}

// TestEndPairs: the largest number of pairs of end ports on a channel, by walking them all.
func TestEndPairs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		loads := make([]int64, g.NumChannels)
		for target := range int32(g.NumEnds) {
			lid := p.Ends.Base[target]
			if lid == 0 {
				continue
			}
			via := func(s int32) int32 {
				port := p.Tables.Port(s, lid)
				if port == route.NoPort {
					return fabric.Nothing
				}
				c, _ := g.At(s, port)
				return c
			}
			circles := func(s int32) bool { // comes back to itself
				at := s
				for range g.NumSwitches {
					c := via(at)
					if c == fabric.Nothing {
						return false
					}
					if at = g.To[c]; at == s {
						return true
					}
				}
				return false
			}
			for from := range int32(g.NumEnds) {
				s := g.EndSwitch[from]
				for range g.NumSwitches {
					c := via(s)
					if c == fabric.Nothing || circles(s) {
						break
					}
					loads[c]++
					s = g.To[c]
				}
			}
		}
		want := slices.Max(append(loads, 0))
		for workers := range 3 {
			if got, err := endPairs(t.Context(), g, p, workers); err != nil || got != want {
				rt.Fatalf("%d pairs, want %d (%v)", got, want, err)
			}
		}
	})
}

// TestSample: a part of the rounds, evenly spaced, and the rounds themselves.
func TestSample(t *testing.T) {
	p, err := traffic.Parse("shift", 11)
	if err != nil {
		t.Fatal(err)
	}
	if p.Sample(10) != p || p.Sample(99) != p {
		t.Error("a pattern of 10 rounds was sampled")
	}
	some := p.Sample(4)
	var got []int32
	for round := range some.Rounds {
		var f traffic.Flows
		some.Round(&f, round, nil)
		got = append(got, f.Dst[0])
	}
	if !slices.Equal(got, []int32{1, 3, 6, 8}) {
		t.Errorf("first destinations %v", got)
	}
	if nearestRank([]float64{4, 1, 3, 2}, .5) != 2 || nearestRank([]float64{1, 2}, .99) != 2 || nearestRank(nil, .5) != 0 {
		t.Error("quantiles")
	}
}
