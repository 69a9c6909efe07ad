package pathset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/pathset"
	"weft/route/lids"
	"weft/route/names/colouring"
	"weft/route/names/ilp"
	"weft/route/paths"
	"weft/route/recipe"
	"weft/sim/flow"
)

func graph(t testing.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

func spec(t rapid.TB, name string) *route.Spec {
	t.Helper()
	s, ok, err := pathset.Parse(name)
	if err != nil || !ok {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func run(t rapid.TB, name string, g *fabric.Graph, workers int, options map[string]string) *route.Plan {
	t.Helper()
	p, err := recipe.Run(context.Background(), g, &recipe.Request{
		Engine: spec(t, name), Options: options, Names: lids.Options{Fresh: true}, Workers: workers, Seed: 7,
	}, func(string) {})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// realised checks that the pairs of hosts take the computed paths, one for one, and
// what the judge says of the whole Plan.
func realised(t rapid.TB, a *paths.Algorithm, scheme string, g *fabric.Graph) {
	t.Helper()
	name := a.Name + "+" + scheme
	plan := run(t, name, g, 2, nil)
	if err := plan.Ends.Validate(g); err != nil {
		t.Fatal(err)
	}
	want, err := a.Compute(context.Background(), &paths.Input{Graph: g, Seed: 7, Workers: 1, Root: -1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := listed(want), walked(t, g, plan); !slices.Equal(a, b) {
		t.Fatalf("%s: %d paths realised, %d computed, and not the same", name, len(b), len(a))
	}
	r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.IntendedPaths != int64(want.NumPaths()) || r.DifferingPaths != 0 {
		t.Fatalf("%s: %d paths intended of %d, %d differ", name, r.IntendedPaths, want.NumPaths(), r.DifferingPaths)
	}
	complete := r.Unreachable == 0 && len(r.Faults) == 0
	if !complete || r.Loops > 0 ||
		a.DeadlockFree && (r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes) {
		t.Fatalf("%s on %s: %+v", name, g.Name, r)
	}
}

// The loads of the path set are those that the flow simulator finds in the Plan.
func TestLoads(t *testing.T) {
	g := graph(t, "irregular(switches=16,degree=8,hosts=64,seed=3)")
	for _, a := range []string{"path-selection", "smart", "srd", "shortest-widest"} {
		plan := run(t, a+"+color-l", g, 2, nil)
		n, err := flow.New(context.Background(), g, plan, 2)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := n.AllPairs(context.Background(), 2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := paths.Find(a)
		if err != nil {
			t.Fatal(err)
		}
		set, err := c.Compute(context.Background(), &paths.Input{Graph: g, Seed: 7, Workers: 1, Root: -1})
		if err != nil {
			t.Fatal(err)
		}
		for ch, load := range set.Loads() {
			if got := int64(math.Round(load * float64(g.NumHosts-1))); got != pairs.Loads[ch] {
				t.Fatalf("%s: channel %d carries %d paths of the set, %d of the Plan", a, ch, got, pairs.Loads[ch])
			}
		}
	}
}

// listed are the paths of a set in an order of their own.
func listed(s *paths.Set) []string {
	var all []string
	for p := range s.NumPaths() {
		all = append(all, fmt.Sprintf("%d %d %v", s.Source(p), s.Dest(p), s.AppendChannels(nil, p)))
	}
	slices.Sort(all)
	return all
}

// walked are the walks through the tables of a Plan, one for each LID that a source uses,
// as listed has them.
func walked(t rapid.TB, g *fabric.Graph, plan *route.Plan) []string {
	t.Helper()
	var all []string
	for dst := range int32(g.NumHosts) {
		for src := range int32(g.NumHosts) {
			for _, o := range plan.Choice.Offsets(src, dst) {
				way := []int32{}
				for at := g.EndSwitch[src]; src != dst && at != g.EndSwitch[dst]; at = g.To[way[len(way)-1]] {
					c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[dst]+fabric.LID(o)))
					if c < 0 || len(way) > g.NumChannels {
						t.Fatalf("from %d to %d: %v leads to %d", src, dst, way, c)
					}
					way = append(way, c)
				}
				if src != dst {
					all = append(all, fmt.Sprintf("%d %d %v", src, dst, way))
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// Every computation with every assignment.
func TestRealised(t *testing.T) {
	for _, formula := range []string{"renaming-fig1", "irregular(switches=24,degree=6,hosts=30,seed=2)"} {
		g := graph(t, formula)
		for _, a := range paths.All() {
			if a.Name == "dor" || a.Name == "mport" {
				continue
			}
			for _, scheme := range []string{"greedy", "split-merge-s", "split-merge-l", "color-s", "color-l", "renaming", "exact"} {
				realised(t, a, scheme, g)
			}
		}
	}
	for _, c := range []struct{ name, formula string }{
		{"mport", "mport(4,3)"},
		{"mport", "mport(6,2)|fail(links=2,seed=1)"},
		{"dor", "mesh(4x3,hosts=1)"},
		{"dor", "torus(4x3,hosts=1)|fail(links=2,seed=1)"},
	} {
		a, err := paths.Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		realised(t, a, "color-l", graph(t, c.formula))
	}
}

// Networks of any kind: several parts, drained switches, parallel links, switches
// without hosts.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		a := rapid.SampledFrom(paths.All()).Draw(t, "paths")
		if a.Name == "dor" || a.Name == "mport" {
			return
		}
		plan := run(t, a.Name+"+color-l", g, 1, nil)
		r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Loops > 0 || r.HostPairs.Unreachable > 0 || r.Assigned.DeadlockFree == check.No || r.AnyDLID.DeadlockFree == check.No {
			t.Fatalf("%s: %+v", a.Name, r)
		}
		if r.Unreachable > 0 || len(r.Faults) > 0 {
			t.Fatalf("%s: %+v", a.Name, r)
		}
	})
}

// The root is the one that was asked for; seeds and names of recipes count.
func TestOptions(t *testing.T) {
	g := graph(t, "renaming-fig1")
	p := run(t, "renaming", g, 1, map[string]string{"root": g.SwitchDesc[0]})
	if p.Recipe.Paths != "updn-shortest" || p.Recipe.Names != "renaming" || p.Recipe.Lanes != "none" {
		t.Errorf("recipe %+v", p.Recipe)
	}
	for _, c := range []struct {
		name    string
		options map[string]string
		lmc     uint8
		want    string
		refused bool
	}{
		{"separate", map[string]string{"root": "no such switch"}, 0, `option root of engine separate: no switch that is up is called "no such switch"`, false},
		{"separate", map[string]string{"root": "random"}, 2, "LMC 2 was asked for", false},
		{"dor+greedy", nil, 0, "dor+greedy: ", true},
		{"dor+greedy", map[string]string{"root": g.SwitchDesc[0]}, 0, `has no option "root"`, false},
		{"mport+greedy", map[string]string{"root": g.SwitchDesc[0]}, 0, `has no option "root"`, false},
	} {
		_, err := recipe.Run(context.Background(), g, &recipe.Request{
			Engine: spec(t, c.name), Options: c.options, Names: lids.Options{LMC: c.lmc},
		}, func(string) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if _, refused := errors.AsType[*route.Refusal](err); refused != c.refused {
			t.Errorf("%s: %v: refusal is %v", c.name, err, refused)
		}
	}
	for _, option := range []map[string]string{{"remove": "drawn"}, {"detour": "0"}, {"degree": "shrinking"}, {"order": "switch"}} {
		g := graph(t, "irregular(switches=16,degree=8,hosts=64,seed=3)")
		if plain, other := run(t, "separate", g, 1, nil), run(t, "separate", g, 1, option); plain.Used == other.Used {
			t.Errorf("%v does nothing", option)
		}
	}
	for name, want := range map[string]string{"x+greedy": "no path computation", "srd+x": "no scheme"} {
		if _, ok, err := pathset.Parse(name); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, ok, _ := pathset.Parse("updn"); ok {
		t.Error("updn is no pair of stages")
	}
}

// LIDs by ilp need a solver. One whose time is always over leaves those of color/L,
// and bounds; one that has no answer but No proves them.
func TestSolver(t *testing.T) {
	g := graph(t, "irregular(switches=12,degree=8,hosts=40,seed=1)")
	for name, want := range map[string]bool{"srd+ilp": true, "srd+exact": false, "separate": false, "updn": false} {
		if got := pathset.NeedsSolver(&route.Spec{Name: name}, nil); got != want {
			t.Errorf("%s needs a solver: %v", name, got)
		}
	}
	if !pathset.NeedsSolver(spec(t, "smart+greedy"), map[string]string{"balance": "programme"}) {
		t.Error("smart by programme needs no solver")
	}
	unsolved := spec(t, "shortest-widest+ilp")
	request := func(s *route.Spec) *recipe.Request { return &recipe.Request{Engine: s, Seed: 7} }
	_, err := recipe.Run(context.Background(), g, request(unsolved), func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); !refused || !strings.Contains(err.Error(), "need a solver") {
		t.Error(err)
	}
	asked := 0
	for answer, proven := range map[colouring.Answer]bool{colouring.Unknown: false, colouring.No: true} {
		says := func(context.Context, ilp.Programme) (colouring.Answer, []int32, error) {
			asked++
			return answer, nil, nil
		}
		plan, err := recipe.Run(context.Background(), g, request(pathset.WithSolver(unsolved, says, nil)), func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		color := run(t, "shortest-widest+color-l", g, 1, nil)
		if plan.Ends.Total() != color.Ends.Total() || (plan.LeastLIDs == plan.Ends.Total()) != proven || color.LeastLIDs != 0 {
			t.Errorf("%d LIDs, at least %d, by color/L %d", plan.Ends.Total(), plan.LeastLIDs, color.Ends.Total())
		}
	}
	if asked == 0 {
		t.Error("the solver was not asked")
	}
	exact := run(t, "shortest-widest+exact", g, 1, nil)
	if exact.LeastLIDs != exact.Ends.Total() {
		t.Errorf("exact: %d LIDs, at least %d", exact.Ends.Total(), exact.LeastLIDs)
	}
}

// Paths that need more LIDs than a port can have, or than a switch has entries for, are
// a refusal with the port, or the LID and the switch.
func TestLimits(t *testing.T) {
	b := conformance.Builder{F: fabric.New("hub")}
	hub, far := b.Node(fabric.Switch, 254), b.Node(fabric.Switch, 254)
	b.Links(hub, far, 250)
	b.Hosts(far, 1)
	for range 2 {
		s := b.Node(fabric.Switch, 140)
		b.Links(hub, s, 2)
		b.Hosts(s, 130)
	}
	request := &recipe.Request{Engine: spec(t, "updn-shortest+greedy")}
	_, err := recipe.Run(context.Background(), b.F.Compile(), request, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); !refused || !strings.Contains(err.Error(), `updn-shortest+greedy: the paths to CA "CA 3"`) ||
		!strings.Contains(err.Error(), "LIDs, but a port has at most 128") {
		t.Error(err)
	}
	g := graph(t, "renaming-fig1")
	g.SwitchFDBCap[3] = 10
	_, err = recipe.Run(context.Background(), g, request, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); !refused || !strings.Contains(err.Error(), "is beyond the forwarding table of switch") {
		t.Error(err)
	}
}

// TestSelectionRules: the judge proves path selection over every rule, and color/L of its paths.
func TestSelectionRules(t *testing.T) {
	for seed := range 4 {
		for _, formula := range []string{fmt.Sprintf("irregular(switches=24,degree=6,hosts=60,seed=%d)", seed+1), fmt.Sprintf("torus(4x4,hosts=2)|fail(links=%d,seed=%d)", seed+1, seed+1)} {
			g := graph(t, formula)
			for _, rule := range []string{"up-down", "l-turn", "smart", "nue"} {
				plan := run(t, "path-selection-short+color-l", g, 2, map[string]string{"rule": rule})
				r, err := quality.Judge(context.Background(), g, plan, check.Options{Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				if r.Unreachable != 0 || len(r.Faults) != 0 || r.Loops > 0 || r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes {
					t.Errorf("%s, rule %s: %+v", formula, rule, r)
				}
			}
		}
	}
}

// TestOtherRoots: from the root that the seed draws, a switch cannot join the tree of a LID here;
// from another one all can.
func TestOtherRoots(t *testing.T) {
	g := graph(t, "irregular(switches=32,degree=8,hosts=128,seed=8)")
	p, err := recipe.Run(context.Background(), g, &recipe.Request{
		Engine: spec(t, "path-selection+color-l"), Options: map[string]string{"rule": "nue"}, Names: lids.Options{Fresh: true}, Workers: 2, Seed: 8,
	}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 2})
	if err != nil || len(r.Faults) > 0 {
		t.Errorf("%v, faults: %+v", err, r.Faults)
	}
}

// TestRuleCanBeFaulty: with rule smart and a root that the user names, a switch can be left without
// an entry for a LID. The help of the option says so.
func TestRuleCanBeFaulty(t *testing.T) {
	g := graph(t, "irregular(switches=32,degree=8,hosts=128,seed=8)")
	options := map[string]string{"rule": "smart", "root": "switch 2"}
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec(t, "path-selection+color-l"), Options: options, Workers: 2, Seed: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), g, p, check.Options{Workers: 2})
	if err != nil || r.Unreachable == 0 {
		t.Errorf("%v, every pair is reachable: the help of option rule says that this can be FAULTY", err)
	}
	i := slices.IndexFunc(spec(t, "path-selection+color-l").Options, func(o route.Option) bool { return o.Name == "rule" })
	if doc := spec(t, "path-selection+color-l").Options[i].Doc; !strings.Contains(doc, "FAULTY") {
		t.Errorf("the help does not say so: %s", doc)
	}
}
