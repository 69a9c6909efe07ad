package hyperx_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine/hyperx"
	"weft/route/lids"
	"weft/route/recipe"
	"weft/sim/flow"
)

func parsed(t rapid.TB, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// routed routes a network; refused is the reason where the engine does not.
func routed(t rapid.TB, g *fabric.Graph, lmc uint8) (plan *route.Plan, refused string) {
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: hyperx.Spec(), Names: lids.Options{LMC: lmc}, MaxVLs: 8, Workers: 2}, func(string) {})
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		return nil, no.Reason
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan, ""
}

// relabelled is the same network without coordinates in descriptions, its switches and ports in
// another order.
func relabelled(t rapid.TB, f *fabric.Fabric, seed uint64) *fabric.Fabric {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := fabric.New(f.Name)
	id := make([]fabric.NodeID, len(f.Nodes))
	ports := make([][]int, len(f.Nodes))
	for _, i := range rng.Perm(len(f.Nodes)) {
		n := &f.Nodes[i]
		var err error
		if id[i], err = out.AddNode(n.Type, fabric.GUID(1000+len(out.Nodes)<<8), n.NumPorts(), fmt.Sprint("box ", len(out.Nodes))); err != nil {
			t.Fatal(err)
		}
		for p := range out.Nodes[id[i]].Ports {
			if n.Type != fabric.Switch {
				out.Nodes[id[i]].Ports[p].GUID = out.Nodes[id[i]].GUID + fabric.GUID(p)
			}
		}
		ports[i] = rng.Perm(n.NumPorts())
	}
	at := func(e fabric.End) fabric.End {
		return fabric.End{Node: id[e.Node], Port: uint8(1 + ports[e.Node][e.Port-1])}
	}
	for _, l := range f.Links {
		if _, err := out.Connect(at(l.A), at(l.B), l.Width, l.Speed); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestEvenLoads: on a whole network with p hosts a switch the most loaded channel carries p*p pairs
// of hosts for each switch with one coordinate of its dimension, over the parallel links, on one
// lane. That does not depend on how switches and ports are numbered or called.
func TestEvenLoads(t *testing.T) {
	for _, c := range []struct {
		formula string
		most    int64
	}{
		{"hyperx(4x4,hosts=4)", 4 * 4 * 16 / 4},
		{"hyperx(3x4x5,hosts=2)", 2 * 2 * 60 / 3},
		{"hyperx(3x5,hosts=2,width=2)", 2 * 2 * 15 / 3 / 2},
		{"hypercube(4,hosts=2)", 2 * 2 * 16 / 2},
		{"fullmesh(7,hosts=3)", 3 * 3},
	} {
		for seed := range uint64(3) {
			f := parsed(t, c.formula)
			if seed > 0 {
				f = relabelled(t, f, seed)
			}
			g := f.Compile()
			plan, refused := routed(t, g, 0)
			if plan == nil {
				t.Fatalf("%s, seed %d: %s", c.formula, seed, refused)
			}
			figures, err := flow.NewKeyFigures(t.Context(), g, plan, flow.Measure{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if figures.PairLoad != c.most || plan.VLs > 1 {
				t.Errorf("%s, seed %d: %d pairs on a channel, want %d; %d lanes", c.formula, seed, figures.PairLoad, c.most, plan.VLs)
			}
		}
	}
}

// TestDamaged: whatever is missing, what the engine does not refuse is minimal and free of deadlock
// on its lanes; it refuses only for want of linked pairs or of lanes.
func TestDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(2, 5), 1, 3).Draw(t, "sizes")
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", "x"), "[]")
		f := parsed(t, fmt.Sprintf("hyperx(%s,hosts=%d,width=%d)", text, rapid.IntRange(0, 2).Draw(t, "hosts"), rapid.IntRange(1, 2).Draw(t, "width")))
		for id := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(id)) && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				f.SetLinkDown(fabric.LinkID(id), true)
			}
		}
		for id := range f.Nodes {
			if f.Nodes[id].Type == fabric.Switch {
				switch rapid.IntRange(0, 19).Draw(t, "switch") {
				case 0:
					f.SetNodeDown(fabric.NodeID(id), true)
				case 1:
					f.Nodes[id].Drained = true
				}
			}
		}
		g := f.Compile()
		plan, refused := routed(t, g, uint8(rapid.IntRange(0, 2).Draw(t, "LMC")))
		if plan == nil {
			if !strings.Contains(refused, "not a HyperX") && !strings.Contains(refused, "lanes") {
				t.Fatalf("refused: %s", refused)
			}
			return
		}
		r, err := check.Judge(context.Background(), g, plan, check.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 || r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes {
			t.Fatalf("%d unreachable, %d loops, faults %v, deadlock-free %v", r.Unreachable, r.Loops, r.Faults, r.Assigned.DeadlockFree)
		}
	})
}

// TestRefused: what is no HyperX is refused, and so is one with too few links; a damaged one is
// taken by its descriptions.
func TestRefused(t *testing.T) {
	for formula, want := range map[string]string{
		"torus(5x5)":                            "pairs of switches that differ in one coordinate are linked",
		"mesh(4x4)":                             "pairs of switches that differ in one coordinate are linked",
		"rlft(8,2)":                             "name no coordinates",
		"slimfly(5)":                            "differ in more than one coordinate",
		"hyperx(4x4)|fail(share=0.4,seed=1)":    "29 of 48 pairs",
		"hyperx(4x4)|fail(share=0.2,seed=1)":    "",
		"hyperx(4x4)|fail(switches=2,seed=1)":   "",
		"fullmesh(8,hosts=2)|fail(links=3)":     "",
		"torus(3x3)":                            "",
		"hypercube(5)|fail(switches=1,seed=2)":  "",
		"hyperx(4x3)|fail(switch=switch (1,2))": "",
		"hyperx(5x5)|fail(links=5,seed=1)":      "",
		"dragonfly(4,2,2)":                      "name no coordinates",
		"hyperx(3x3,width=2)|fail(links=9)":     "",
		"hyperx(3x3x3)|fail(share=0.1,seed=2)":  "",
	} {
		_, refused := routed(t, parsed(t, formula).Compile(), 0)
		if want == "" && refused != "" || want != "" && !strings.Contains(refused, want) {
			t.Errorf("%s: refused with %q, want %q", formula, refused, want)
		}
	}
}
