package between

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/internal/racing"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	"weft/sim/flow"
	"weft/sim/traffic"
)

// On irregular subnets with layers, Nearest delivers on each network at least 90 % of the effective
// bisection bandwidth that nue reaches on the same switches as one subnet with the same lanes;
// ISSR, whose ways are detours, does not on average. Inputs are fixed, so figures are.
func TestNearestAgainstNue(t *testing.T) {
	racing.SkipLong(t)
	sum := map[intersubnet.Method]float64{}
	const networks = 8
	for k := range networks {
		text := "subnets("
		for i := range 2 + k%4 {
			text += fmt.Sprintf("irregular(switches=16,degree=4,hosts=64,seed=%d),", 10*k+i+1)
		}
		n := subnetstest.Network(t, text+fmt.Sprintf("routers=%d,shape=%s)", 12, []string{"all", "chain", "star"}[k%3]))
		g := whole(t, n)
		for _, method := range []intersubnet.Method{intersubnet.Nearest, intersubnet.ISSR} {
			r := layered(t, n, method, "nue")
			got, err := Simulate(context.Background(), r.Plan, &FlowRequest{Pattern: "bisect", Order: "random", Runs: 40, Seed: 1, Workers: 2})
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
			if method == intersubnet.Nearest && ratio < .9 {
				t.Errorf("%s: %.3f of what nue has", n.Name, ratio)
			}
		}
	}
	if sum[intersubnet.ISSR] > .9 {
		t.Errorf("mean ratio to nue: %v", sum)
	}
}

// layered routes a network on as many layers as the rule of lanes.go has.
func layered(t testing.TB, n *subnets.Network, method intersubnet.Method, engines string) *between.Result {
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain, MaxVLs: 4, Workers: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// oneLayer routes a network on one layer.
func oneLayer(t rapid.TB, n *subnets.Network, method intersubnet.Method, engines string) *between.Result {
	t.Helper()
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, one, err := between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain, Workers: 2}})
	if many := (*intersubnet.TooManyLanes)(nil); err != nil && !errors.As(err, &many) {
		t.Fatal(err)
	}
	return one
}

// whole is the network as one subnet, with routers for switches.
func whole(t rapid.TB, n *subnets.Network) *fabric.Graph {
	f, err := subnets.Whole(n)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// Flows over subnets get what they get in one tree, where ISFR has its paths.
func TestFlowsEqualOneTree(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,pgft(2;3,3;1,3;1,1),routers=9)")
	p := oneLayer(t, n, intersubnet.ISFR, "ftree").Plan
	g := whole(t, n)
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := planner.Route(context.Background(), g, &planner.Request{Chain: chain})
	if err != nil {
		t.Fatal(err)
	}
	net, err := flow.New(context.Background(), g, tree.Plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"bisect", "bisect_fb_sym", "shift", "rand"} {
		got, err := Simulate(context.Background(), p, &FlowRequest{Pattern: pattern, Order: "auto", Runs: 20, Seed: 3, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		// Hosts of different subnets have equal names here, and are no servers of several ports.
		flows, err := traffic.Parse(pattern, len(net.Hosts))
		if err != nil {
			t.Fatal(err)
		}
		want, err := net.Run(context.Background(), flows, flow.Options{Hosts: net.ByLeaf(), Runs: got.Runs, Seed: 3, Shuffle: pattern != "shift", Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Mean-want.Bandwidth.Mean) > 1e-9 || got.Flows != want.Flows || got.MaxCongestion != int(want.MaxCongestion.Max) {
			t.Errorf("%s: %+v, in one tree mean %.6f, congestion %.0f", pattern, got, want.Bandwidth.Mean, want.MaxCongestion.Max)
		}
	}
}
