package intersubnet

import (
	"context"
	"fmt"
	"testing"

	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/internal/racing"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/flow"
)

// On irregular subnets with layers, Nearest delivers on each network at least 90 % of the effective bisection bandwidth that nue reaches on the same switches as one subnet
// with the same lanes; ISSR, whose ways are detours, does not on average. Inputs are fixed, so figures are.
func TestNearestAgainstNue(t *testing.T) {
	racing.SkipLong(t)
	sum := map[Method]float64{}
	const networks = 8
	for k := range networks {
		text := "subnets("
		for i := range 2 + k%4 {
			text += fmt.Sprintf("irregular(switches=16,degree=4,hosts=64,seed=%d),", 10*k+i+1)
		}
		n := subnetstest.Network(t, text+fmt.Sprintf("routers=%d,shape=%s)", 12, []string{"all", "chain", "star"}[k%3]))
		g := whole(t, n)
		for _, method := range []Method{Nearest, ISSR} {
			r := layered(t, n, method, "nue")
			got, err := r.Plan.Simulate(context.Background(), &FlowRequest{Pattern: "bisect", Order: "random", Runs: 40, Seed: 1, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			chain, err := engine.Parse("nue", nil)
			if err != nil {
				t.Fatal(err)
			}
			one, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain, MaxVLs: r.VLs, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			net, err := flow.New(context.Background(), g, one.Plan, 2)
			if err != nil {
				t.Fatal(err)
			}
			want, err := net.RunPattern(context.Background(), "bisect", flow.Options{Runs: 40, Seed: 1, Shuffle: true, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			ratio := got.Mean / want.Bandwidth.Mean
			t.Logf("%s, %d subnets, %d VLs: %.4f, nue %.4f, ratio %.3f", method, len(n.Subnets), r.VLs, got.Mean, want.Bandwidth.Mean, ratio)
			sum[method] += ratio / networks
			if method == Nearest && ratio < .9 {
				t.Errorf("%s: %.3f of what nue has", n.Name, ratio)
			}
		}
	}
	if sum[ISSR] > .9 {
		t.Errorf("mean ratio to nue: %v", sum)
	}
}

// layered routes a network on as many layers as the rule of lanes.go has.
func layered(t testing.TB, n *subnets.Network, method Method, engines string) *Result {
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Route(context.Background(), n, &Request{Method: method, Local: planner.Request{Chain: chain, MaxVLs: 4, Workers: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What spread does to gateways lets the sum of the squares of the loads of all links fall, under all hosts that send to all, and it counts loads as they are: adding and
// taking away leaves nothing.
func TestSpread(t *testing.T) {
	for _, formula := range []string{
		"subnets(irregular(switches=8,degree=3,hosts=16,seed=1),irregular(switches=8,degree=3,hosts=16,seed=2),torus(3x3),routers=4,shape=chain)",
		"subnets(2,racks72,routers=18,cables=4)",
	} {
		n := subnetstest.Network(t, formula)
		chain, err := engine.Parse("updn", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, one, err := Route(t.Context(), n, &Request{Method: ISSR, Local: planner.Request{Chain: chain}})
		if err != nil {
			t.Fatal(err)
		}
		p := one.Plan
		a := newAdmissible(n, p.Down)
		p.nearest(a)
		squares := func() (sum float64) {
			sp := newSpreader(p, a)
			walkAll(sp, 1)
			want := countedLoad(p)
			for link, load := range sp.load {
				if want := float64(want[link]); load != want {
					t.Fatalf("%s: link %d carries %v, by paths %v", formula, link, load, want)
				}
				sum += load * load
			}
			walkAll(sp, -1)
			for link, load := range sp.load {
				if load != 0 {
					t.Fatalf("%s: %v is left on link %d", formula, load, link)
				}
			}
			return sum
		}
		before := squares()
		p.spread(a)
		if after := squares(); after >= before {
			t.Errorf("%s: the sum of squares was %v and is %v", formula, before, after)
		}
	}
}

func walkAll(sp *spreader, sign float64) {
	for s := range int32(len(sp.p.Net.Subnets)) {
		for _, e := range targets(sp.p.Net, s) {
			sp.walkTarget(Address{s, e}, false, sign)
		}
	}
}

// countedLoad counts what links carry, switches' ports and what routers send, by the path of every host to every target.
func countedLoad(p *Plan) []int {
	c := &linkCounter{p: p, first: p.firstLinks()}
	load := make([]int, c.first[len(c.first)-1])
	for _, from := range p.Hosts() {
		for s := range int32(len(p.Net.Subnets)) {
			for _, e := range targets(p.Net, s) {
				path, _ := p.Path(from, Address{s, e}, nil)
				if g := p.Net.Graph(s); from == (Address{s, e}) { // to itself, over its switch, which costs nothing to count
					path = []Hop{{s, g.EndSwitch[e], g.EndPort[e], e, 0}}
				}
				for _, h := range path {
					if h.Switch >= 0 || p.Net.IsRouter(h.Subnet, h.End) {
						load[c.number(h)]++
					}
				}
			}
		}
	}
	return load
}
