package intersubnet

import (
	"context"
	"fmt"
	"testing"

	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/route/job"
	"weft/sim/flow"
)

// On irregular subnets with layers, Nearest delivers at least 90 % of the effective bisection bandwidth that nue reaches on the same switches as one subnet
// with the same lanes, on average; ISSR, whose ways are detours, does not. Inputs are fixed, so figures are.
func TestNearestAgainstNue(t *testing.T) {
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
			chain, err := job.ParseEngines("nue", nil)
			if err != nil {
				t.Fatal(err)
			}
			one, err := job.Route(context.Background(), g, &job.Request{Chain: chain, MaxVLs: r.VLs, Workers: 2})
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
		}
	}
	if sum[Nearest] < .9 || sum[ISSR] > sum[Nearest] {
		t.Errorf("mean ratio to nue: %v", sum)
	}
}

// layered routes a network on as many layers as the rule of lanes.go has.
func layered(t testing.TB, n *subnets.Network, method Method, engines string) *Result {
	chain, err := job.ParseEngines(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Route(context.Background(), n, &Request{Method: method, Local: job.Request{Chain: chain, MaxVLs: 4, Workers: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
