package dfsssp

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/internal/sample"
	"weft/route/engine/sssp"
	"weft/route/lids"
	"weft/route/recipe"
)

func graph(t *testing.T, formula string) *fabric.Graph {
	t.Helper()
	return parse(t, formula).Compile()
}

func parse(t rapid.TB, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// routeAndJudge routes with options and asks the judge; nil is a refusal.
func routeAndJudge(t *testing.T, g *fabric.Graph, spec *route.Spec, options map[string]string, lmc uint8) (*route.Plan, *quality.Report) {
	t.Helper()
	req := &recipe.Request{Engine: spec, Options: options, Names: lids.Options{LMC: lmc}, Workers: 2}
	plan, err := recipe.Run(t.Context(), g, req, func(string) {})
	if _, ok := errors.AsType[*route.Refusal](err); ok {
		return nil, nil
	}
	if err != nil {
		t.Fatalf("%v: %v", options, err)
	}
	r, err := quality.Judge(t.Context(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return plan, r
}

// TestOptions: whatever the options, the judge finds no deadlock; among hosts alone
// where switches are left out.
func TestOptions(t *testing.T) {
	racing.SkipLong(t)
	for _, formula := range []string{"torus(5x4,hosts=2)", "random(switches=12,hosts=3,links=20,seed=3)", "rlft(6,3)|fail(links=8,seed=1)", "rlft(8,2)"} {
		g := graph(t, formula)
		for _, paths := range []string{"legal", "sssp"} {
			for _, replies := range []string{"auto", "same", "own"} {
				for _, classes := range []string{"end", "switch"} {
					for _, more := range []string{"balance", "switches", "passes", ""} {
						o := map[string]string{"paths": paths, "replies": replies, "classes": classes}
						switch more {
						case "passes":
							o[more] = "3"
						case "balance", "switches":
							o[more] = fmt.Sprint(more == "balance")
						}
						for lmc := range uint8(2) {
							plan, r := routeAndJudge(t, g, Spec(), o, lmc)
							if plan == nil {
								if paths == "legal" || replies != "same" {
									t.Errorf("%s %v: refused", formula, o)
								}
								continue
							}
							verdict := r.Assigned
							if more == "switches" && paths == "sssp" {
								verdict = r.HostOnly
							}
							if verdict.DeadlockFree != check.Yes || r.HostPairs.NonMinimal > 0 {
								t.Errorf("%s %v: %v", formula, o, verdict)
							}
							if more == "balance" && plan.VLs != 8 {
								t.Errorf("%s %v: balanced over %d lanes", formula, o, plan.VLs)
							}
							if same := plan.Service.ReplySameSL; plan.VLs > 1 && (same && replies == "own" || !same && replies == "same") {
								t.Errorf("%s %v: replies on the SL of the request: %v", formula, o, plan.Service.ReplySameSL)
							}
						}
					}
				}
			}
		}
	}
}

// TestLanes writes how many lanes it takes on every fabric of the conformance table,
// and the paper's layering of sssp's paths, each with answers on the SL of the request
// and without. Ours never takes more.
func TestLanes(t *testing.T) {
	ways := []map[string]string{
		{"replies": "same"},
		{"replies": "own"},
		{"paths": "sssp", "replies": "same"},
		{"paths": "sssp", "replies": "own"},
	}
	t.Logf("%-45s %8s %8s %8s %8s", "", "same", "own", "weakest", "paper")
	for _, c := range conformance.Fabrics() {
		f, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		lanes := make([]int, len(ways))
		for i, o := range ways {
			lanes[i] = 99
			if plan, _ := routeAndJudge(t, g, Spec(), o, 0); plan != nil {
				lanes[i] = plan.VLs
			}
		}
		t.Logf("%-45s %8d %8d %8d %8d", c.Name, lanes[0], lanes[1], lanes[2], lanes[3])
		if lanes[0] > lanes[2] || lanes[1] > lanes[3] {
			t.Errorf("%s: more lanes than the paper's layering: %v", c.Name, lanes)
		}
	}
}

// TestHard: networks on which OpenSM's engine needs nine lanes and refuses.
func TestHard(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	for _, formula := range []string{"torus(8x8x8,hosts=2)", "kautz(7,3,hosts=2744)"} {
		plan, r := routeAndJudge(t, graph(t, formula), Spec(), nil, 0)
		if plan == nil || plan.VLs > 8 || r.DeadlockFree != check.Yes || r.HostPairs.NonMinimal > 0 {
			t.Errorf("%s: not routed within 8 lanes", formula)
		} else {
			t.Logf("%s: %d lanes", formula, plan.VLs)
		}
	}
}

// TestTrees: on damaged trees, where the paths of package sssp take one lane between hosts, the
// engine has their bandwidth, and few lanes with all other traffic.
func TestTrees(t *testing.T) {
	for formula, lanes := range map[string]int{"rlft(8,3)|fail(links=20,seed=1)": 2, "fat648|fail(share=0.05,links=up,seed=1)": 1} {
		g := graph(t, formula)
		plan, r := routeAndJudge(t, g, Spec(), nil, 0)
		plain, _ := routeAndJudge(t, g, sssp.Spec(), map[string]string{"passes": "3"}, 0)
		if plan == nil || r.DeadlockFree != check.Yes || plan.VLs > lanes {
			t.Fatalf("%s: not routed on %d lanes", formula, lanes)
		}
		in := &route.Input{Graph: g, Ends: plan.Ends}
		got, want := sample.Bandwidth(in, plan.Tables, false), sample.Bandwidth(in, plain.Tables, false)
		if got < .98*want {
			t.Errorf("%s: bandwidth %.3f, sssp %.3f", formula, got, want)
		}
	}
}

// TestHeuristics is the paper's experiment (section VI): random networks of 64
// switches with 1,024 hosts and 128 links, host traffic alone, each direction on its
// own. The weakest edge takes the fewest lanes.
func TestHeuristics(t *testing.T) {
	if testing.Short() {
		t.Skip("long with the race detector")
	}
	quoted := map[string]string{"weakest": "3 to 5", "random": "4 to 8", "strongest": "4 to 16"}
	for seed := range 3 {
		g := graph(t, fmt.Sprintf("random(switches=64,hosts=16,links=128,seed=%d)", seed+1))
		lanes := map[string]int{}
		for _, heuristic := range []string{"weakest", "random", "strongest"} {
			o := map[string]string{"paths": "sssp", "replies": "own", "switches": "false", "heuristic": heuristic}
			req := &recipe.Request{Engine: Spec(), Options: o, MaxVLs: 15, Workers: 2}
			plan, err := recipe.Run(t.Context(), g, req, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			lanes[heuristic] = plan.VLs
			t.Logf("seed %d, %s: %d lanes, the paper %s", seed+1, heuristic, plan.VLs, quoted[heuristic])
		}
		if lanes["weakest"] > 6 || lanes["weakest"] >= lanes["random"] || lanes["random"] > lanes["strongest"] {
			t.Errorf("seed %d: %v", seed+1, lanes)
		}
	}
}
