package valiant_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine/valiant"
	"weft/route/lids"
	"weft/route/recipe"
	"weft/sim/flow"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, valiant.Spec(), conformance.Claims{DeadlockFree: true, Refuses: true})
}

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, valiant.Spec()) }

func parsed(t rapid.TB, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// judged routes with a share of hosts over other groups, and has the judge prove it; refused is the
// reason where the engine refuses.
func judged(t rapid.TB, g *fabric.Graph, share int, lmc uint8) (plan *route.Plan, refused string) {
	req := &recipe.Request{Engine: valiant.Spec(), Options: map[string]string{"share": fmt.Sprint(share)}, Names: lids.Options{LMC: lmc}, MaxVLs: 8, Workers: 2}
	plan, err := recipe.Run(context.Background(), g, req, func(string) {})
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		return nil, no.Reason
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 || r.Assigned.DeadlockFree != check.Yes {
		t.Fatalf("%s: %d unreachable, %d loops, faults %v, deadlock-free %v: %+v", g.Name, r.Unreachable, r.Loops, r.Faults, r.Assigned.DeadlockFree, r.Cycle)
	}
	return plan, ""
}

// TestWhole: no whole Dragonfly of three groups or more is refused, whatever it is called; three
// lanes are enough, and two on full meshes.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, h := rapid.IntRange(2, 5).Draw(t, "a"), rapid.IntRange(1, 3).Draw(t, "h")
		groups := rapid.IntRange(3, a*h+1).Draw(t, "groups")
		f := parsed(t, fmt.Sprintf("dragonfly(%d,%d,%d,groups=%d)", a, rapid.IntRange(0, 2).Draw(t, "p"), h, groups))
		lanes := 3
		if rapid.IntRange(0, 3).Draw(t, "mesh") == 0 {
			f, lanes = parsed(t, fmt.Sprintf("fullmesh(%d,hosts=2)", 2+groups)), 2
		}
		plan, refused := judged(t, f.Compile(), rapid.SampledFrom([]int{0, 30, 100}).Draw(t, "share"), uint8(rapid.IntRange(0, 1).Draw(t, "LMC")))
		if plan == nil || plan.VLs != lanes {
			t.Fatalf("%s: %+v refused %q", f.Name, plan, refused)
		}
	})
}

// TestGroupsOfTheGraph: groups of four switches or more are found without descriptions.
func TestGroupsOfTheGraph(t *testing.T) {
	for _, formula := range []string{"dragonfly(4,1,2)", "dragonfly(6,1,3)", "dragonfly(6,1,2,groups=7)", "fullmesh(6,hosts=1)"} {
		f := parsed(t, formula)
		for i := range f.Nodes {
			f.Nodes[i].Desc = fmt.Sprint("box ", i)
		}
		if plan, refused := judged(t, f.Compile(), 100, 0); plan == nil {
			t.Errorf("%s: %s", formula, refused)
		}
	}
}

// TestDamaged: whatever is missing, what is not refused is proven.
func TestDamaged(t *testing.T) {
	routed := 0
	draws.Check(t, func(t *rapid.T) {
		f := parsed(t, rapid.SampledFrom([]string{"dragonfly(4,2,2)", "dragonfly(4,1,2,groups=4)", "fullmesh(9,hosts=2)", "dragonfly(6,1,1)"}).Draw(t, "fabric"))
		rate := rapid.IntRange(30, 120).Draw(t, "one in")
		for id := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(id)) && rapid.IntRange(0, rate).Draw(t, "fails") == 0 {
				f.SetLinkDown(fabric.LinkID(id), true)
			}
		}
		for id := range f.Nodes {
			if f.Nodes[id].Type == fabric.Switch && rapid.IntRange(0, 99).Draw(t, "drained") == 0 {
				f.Nodes[id].Drained = true
			}
		}
		if plan, _ := judged(t, f.Compile(), rapid.SampledFrom([]int{0, 100}).Draw(t, "share"), 0); plan != nil {
			routed++
		}
	}, func() string {
		if routed == 0 {
			return "no damaged network is routed"
		}
		return ""
	})
}

// TestShifts: over other groups an all-to-all by shifts takes at most 60 % of what it takes
// without.
func TestShifts(t *testing.T) {
	for _, formula := range []string{"dragonfly(4,2,2)", "fullmesh(8,hosts=8)"} {
		g := parsed(t, formula).Compile()
		var sum [2]float64
		for i, share := range []int{0, 100} {
			plan, refused := judged(t, g, share, 0)
			if plan == nil {
				t.Fatal(refused)
			}
			figures, err := flow.NewKeyFigures(t.Context(), g, plan, flow.Measure{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			sum[i] = figures.Shift.Sum
		}
		if sum[1] > .6*sum[0] {
			t.Errorf("%s: shifts %v, without other groups %v", formula, sum[1], sum[0])
		}
	}
}

// TestRefused: networks without groups, missing links that no number of lanes makes up for, and too
// few lanes.
func TestRefused(t *testing.T) {
	for formula, want := range map[string]string{
		"torus(5x5)":       "not a Dragonfly",
		"rlft(8,2)":        "not a Dragonfly",
		"slimfly(5)":       "not a Dragonfly",
		"hyperx(4x4x4)":    "not a Dragonfly",
		"dragonfly(4,2,2)": "needs 3 lanes, 2 allowed",

		"dragonfly(4,2,2)|fail(share=0.05,links=all,seed=1)": "the ways round what is missing can deadlock",
	} {
		req := &recipe.Request{Engine: valiant.Spec(), MaxVLs: 2, Workers: 1}
		_, err := recipe.Run(t.Context(), parsed(t, formula).Compile(), req, func(string) {})
		if no, ok := errors.AsType[*route.Refusal](err); !ok || !strings.Contains(no.Reason, want) {
			t.Errorf("%s: %v", formula, err)
		}
	}
}
