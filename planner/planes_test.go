package planner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
)

// loadsByPort returns the pairs of hosts on each channel, by the port that it leaves.
func loadsByPort(t testing.TB, g *fabric.Graph, r *Result) map[fabric.PortName]int64 {
	t.Helper()
	n, err := flow.New(context.Background(), g, r.Plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := n.AllPairs(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	loads := map[fabric.PortName]int64{}
	for c, load := range pairs.Loads {
		loads[g.ChannelPorts(int32(c))[0]] = load
	}
	return loads
}

// componentsOf returns the Graphs of the connected parts of a network, with the LIDs of a Plan.
func componentsOf(g *fabric.Graph, r *Result) (parts []*fabric.Graph) {
	of, n := g.Components()
	for p := range int32(n) {
		var switches []int32
		for s, at := range of {
			if at == p {
				switches = append(switches, int32(s))
			}
		}
		part, ends := g.Part(switches)
		for e, whole := range ends {
			if r.Plan != nil {
				part.EndLID[e] = r.Plan.Ends.Base[whole]
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// Each plane has the loads and the lanes that it has alone, whatever the engine and the other
// planes are, and all together are as proven as each alone.
func TestPlanesAreRoutedAsIfAlone(t *testing.T) {
	networks := []string{"rlft(4,2)", "rlft(4,3)", "rlft(6,2)", "xgft(1;6;3;hosts=24)", "torus(4x3,hosts=2)", "hyperx(3x3,hosts=2)", "rail(2,4,2,spines=2)", "rlft(4,3)|fail(links=3,seed=1)"}
	engines := []string{"updn", "minhop", "ftree", "ftree,balance=zahavi", "sssp", "dfsssp", "lash", "nue", "ftree,dor,dfsssp", engine.Auto}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range engines {
		for range 8 {
			formula := fmt.Sprintf("%s|plane(%s)", networks[rng.IntN(len(networks))], networks[rng.IntN(len(networks))])
			if text := planesAlone(t, graph(t, formula), name); text != "" {
				t.Errorf("%s, %s: %s", name, formula, text)
			}
		}
	}
}

// planesAlone compares the Plan of several planes with the Plans of each alone, with the same LIDs.
func planesAlone(t *testing.T, g *fabric.Graph, engines string) string {
	req := &Request{Chain: chain(t, engines), Workers: 2, Seed: 3}
	whole, err := Run(context.Background(), g, req)
	refused := err != nil
	loads := map[fabric.PortName]int64{}
	if _, is := errors.AsType[*route.Refusal](err); refused && !is {
		t.Fatal(err)
	} else if !refused {
		loads = loadsByPort(t, g, whole)
	}
	ok, vls, refusals, differ := true, 0, 0, ""
	for _, part := range componentsOf(g, whole) {
		alone, err := Run(context.Background(), part, req)
		if err != nil {
			refusals++
			continue
		}
		ok, vls = ok && alone.Report.OK, max(vls, alone.Plan.VLs)
		for port, want := range loadsByPort(t, part, alone) {
			if loads[port] != want {
				differ = fmt.Sprintf("%s: %d pairs, alone %d", port, loads[port], want)
			}
		}
	}
	switch {
	case refused && refusals == 0:
		return "refused, but no plane is alone"
	case !refused && whole.Report.Unreachable > 0:
		return fmt.Sprintf("%d pairs unreachable", whole.Report.Unreachable)
	case refusals > 0: // all planes together are routed as one network, or refused
		return ""
	case whole.Report.OK != ok || whole.Plan.VLs != vls:
		return fmt.Sprintf("proven %v on %d lanes, alone %v on %d", whole.Report.OK, whole.Plan.VLs, ok, vls)
	}
	return differ
}

// Auto chooses an engine for each plane. The Plan says so, and is kept for the same request.
func TestAutoOnPlanes(t *testing.T) {
	g := graph(t, "rlft(8,2)|plane(torus(4x4,hosts=2))")
	req := &Request{Chain: chain(t, engine.Auto), Workers: 2}
	r, err := Run(context.Background(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	if r.Engine.Name != "ftree + torus" || !r.Report.OK || r.Plan.Recipe.Paths != engine.Auto {
		t.Errorf("engine %s, proven %v, recipe %+v", r.Engine.Name, r.Report.OK, r.Plan.Recipe)
	}
	if c := r.Choice; c == nil || len(c.Planes) != 2 || c.Planes[1].Engine != "torus" || c.Planes[1].Hosts != 32 || !strings.Contains(c.String(), "plane of switch plane 2 switch (0,0) (32 host ports): torus") {
		t.Errorf("choice %s", c)
	}
	if p := r.Report.Planes; p == nil || p.Planes != 2 || p.Pairs != 32*31 || p.Apart != 0 {
		t.Errorf("planes %+v", p)
	}
	for _, c := range []struct {
		chain   string
		answers bool
	}{{engine.Auto, true}, {"ftree,dor", false}, {"ftree", false}} {
		if got := Keep(r.Plan, g).Answers(&Request{Chain: chain(t, c.chain)}); got != c.answers {
			t.Errorf("the Plan answers a request for %s: %v", c.chain, got)
		}
	}
	both, err := Run(context.Background(), g, &Request{Chain: chain(t, "ftree,dor")})
	if err != nil || both.Engine.Name != "ftree + dor" || len(both.Refused) != 1 || !both.Report.OK {
		t.Fatalf("a chain: %v, %+v", err, both)
	}
	if kept := Keep(both.Plan, g); !kept.Answers(&Request{Chain: chain(t, "ftree,dor")}) || kept.Answers(&Request{Chain: chain(t, "ftree")}) {
		t.Error("the Plan of a chain does not answer for that chain alone")
	}
	again, err := engine.ChainOf(&both.Plan.Recipe, nil)
	if err != nil || len(again) != 2 || again[1].Engine.Name != "dor" {
		t.Errorf("the chain of its recipe: %v, %v", again, err)
	}
}

// Planes keep their LIDs, those in use and those with an LMC; other engines refuse as before.
func TestPlanesKeepLIDs(t *testing.T) {
	g := graph(t, "rlft(4,2)|planes(2)")
	for e := range g.EndLID {
		g.EndLID[e] = fabric.LID(8 * (g.NumEnds - e))
	}
	for _, lmc := range []uint8{0, 2} {
		req := &Request{Chain: chain(t, "ftree"), Workers: 1}
		req.LIDs.LMC = lmc
		r, err := Run(context.Background(), g, req)
		if err != nil || !r.Report.OK || !slices.Equal(r.Plan.Ends.Base, g.EndLID) || r.Plan.Ends.MaxLMC() != lmc {
			t.Fatalf("LMC %d: %v, %+v", lmc, err, r.Plan)
		}
		req.Workers = 3
		again, err := Run(context.Background(), g, req)
		if err != nil || !reflect.DeepEqual(blocks(r.Plan), blocks(again.Plan)) {
			t.Errorf("LMC %d: another Plan on 3 workers: %v", lmc, err)
		}
	}
	r, err := Run(context.Background(), g, &Request{Chain: chain(t, "updn,roots=plane 1 spine 0")})
	if err != nil || !r.Report.OK || r.Engine.Name != "updn" {
		t.Errorf("a root of one plane: %v", err)
	}
}

// A Plan of planes can be repaired after a host and a cable are lost, and when they return.
func TestPlanesAreRepaired(t *testing.T) {
	for engines, formula := range map[string]string{
		"updn": "rlft(6,2)|planes(2)", "ftree": "rlft(6,2)|plane(rlft(4,2))", "dfsssp": "rlft(6,2)|plane(torus(4x4,hosts=1))", "ftree,dfsssp": "rlft(6,2)|plane(torus(4x4,hosts=1))",
	} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		var steps []*fabric.Graph
		steps = append(steps, f.Compile())
		host, err := f.FindHost("host 3")
		if err != nil {
			t.Fatal(err)
		}
		f.SetNodeDown(host, true)
		f.SetLinkDown(20, true)
		steps = append(steps, f.Compile(), steps[0])
		var kept *Kept
		for i, g := range steps {
			req := &Request{Chain: chain(t, engines), Kept: kept, Workers: 2}
			if kept != nil {
				if err := kept.Hold(g, req); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(context.Background(), g, req)
			if err != nil || !r.Report.OK || kept != nil && r.Repaired == nil {
				t.Fatalf("%s, step %d: %v, not repaired: %v", engines, i, err, r.NotRepaired)
			}
			kept = Keep(r.Plan, g)
		}
	}
}

// What is cut off without a choice of paths goes with the largest plane, so that one plane alone is
// routed as it is without it.
func TestCutOffSwitchesArePartOfAPlane(t *testing.T) {
	if got := planesOf(graph(t, "rlft(4,2)|fail(switches=2,seed=1)")); got != nil {
		t.Errorf("%d planes of one network", len(got))
	}
	g := graph(t, "rlft(4,3)|planes(2)|plane(mesh(3,hosts=2))")
	planes := planesOf(g)
	if len(planes) != 2 {
		t.Fatalf("%d planes", len(planes))
	}
	if n := planes[0].g.NumSwitches + planes[1].g.NumSwitches; n != g.NumSwitches {
		t.Errorf("planes have %d of %d switches", n, g.NumSwitches)
	}
	r, err := Run(context.Background(), g, &Request{Chain: chain(t, "updn"), Workers: 1})
	if err != nil || !r.Report.OK || r.Report.DeadlockFree != check.Yes || r.Report.Planes.Planes != 3 {
		t.Errorf("%v, %+v", err, r.Report)
	}
}
