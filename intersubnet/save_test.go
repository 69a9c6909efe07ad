package intersubnet

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"testing"

	"weft/fabric/subnets/subnetstest"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/flow"
)

// What Save writes Load reads: the same gateways, routers and layers.
func TestSaveAndLoad(t *testing.T) {
	for _, method := range []Method{Baseline, ISSR, ISFR, Nearest, Auto} {
		n := subnetstest.Network(t, "subnets(3,pgft(2;2,2;1,2;1,1),shape=chain,routers=4)")
		chain, err := engine.Parse("ftree", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := Route(context.Background(), n, &Request{Method: method, Local: planner.Request{Chain: chain}, Down: []int32{1}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Plan.Save(&b); err != nil {
			t.Fatal(err)
		}
		p, err := Load(&b, n, r.Plan.Local)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, r.Plan) {
			t.Errorf("%s: the Plan that is loaded differs", method)
		}
	}
}

func FuzzLoad(f *testing.F) {
	n := subnetstest.Network(f, "subnets(2,mesh(2x2))")
	r := oneLayer(f, n, &Request{Method: ISFR}, "updn")
	var b bytes.Buffer
	if err := r.Plan.Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(bytes.Replace(b.Bytes(), []byte(`"layers":1`), []byte(`"layers":99`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Load(bytes.NewReader(data), n, r.Plan.Local)
		if err != nil {
			return
		}
		eachPair(n, func(from, to Address) { p.Path(from, to, nil) })
	})
}

// Few layers are enough: one more where packets leave the way up.
func TestLayers(t *testing.T) {
	for text, want := range map[string]int{
		"subnets(2,torus(3x3))":                   2,
		"subnets(5,torus(3x3))":                   2,
		"subnets(5,torus(3x3),shape=chain)":       2,
		"subnets(5,torus(3x3),shape=star)":        2,
		"subnets(rlft(4,2),torus(3x3),mesh(2x2))": 2,
		"subnets(1,torus(3x3),routers=1)":         1,
		"subnets(4,racks72,routers=18,cables=4)":  2,
		"subnets(4,irregular(switches=8,degree=4,hosts=16,seed=3),shape=chain,routers=3)": 2,
	} {
		n := subnetstest.Network(t, text)
		chain, err := engine.Parse("updn", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, one, err := Route(context.Background(), n, &Request{Method: ISSR, Local: planner.Request{Chain: chain}})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			r = one
		}
		if r.Plan.Layers != want || r.VLs != want {
			t.Errorf("%s: %d layers, %d VLs, want %d", text, r.Plan.Layers, r.VLs, want)
		}
	}
}

// Flows over subnets get what they get in one tree, where ISFR has its paths.
func TestFlowsEqualOneTree(t *testing.T) {
	n := subnetstest.Network(t, "subnets(3,pgft(2;3,3;1,3;1,1),routers=9)")
	p := oneLayer(t, n, &Request{Method: ISFR}, "ftree").Plan
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
		got, err := p.Simulate(context.Background(), &FlowRequest{Pattern: pattern, Order: "auto", Runs: 20, Seed: 3, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		want, err := net.RunPattern(context.Background(), pattern, flow.Options{Hosts: net.ByLeaf(), Runs: got.Runs, Seed: 3, Shuffle: pattern != "shift", Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Mean-want.Bandwidth.Mean) > 1e-9 || got.Flows != want.Flows || got.MaxCongestion != int(want.MaxCongestion.Max) {
			t.Errorf("%s: %+v, in one tree mean %.6f, congestion %.0f", pattern, got, want.Bandwidth.Mean, want.MaxCongestion.Max)
		}
	}
}
