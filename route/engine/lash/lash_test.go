package lash

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/lanes"
	"weft/route/recipe"
)

func graph(t rapid.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// run routes with so many lanes allowed.
func run(t rapid.TB, g *fabric.Graph, most int, options map[string]string) *route.Plan {
	t.Helper()
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: Spec(), Options: options, MaxVLs: most, Workers: 2}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestLean: paths that begin with a port of their own are spread wider than those that meet.
func TestLean(t *testing.T) {
	g, most := graph(t, "rlft(8,3)"), map[string]int{}
	for _, lean := range []string{"false", "true"} {
		most[lean] = conformance.MeasureLoad(g, run(t, g, 8, map[string]string{"lean": lean})).Max
	}
	if 3*most["false"] > 2*most["true"] {
		t.Errorf("the most loaded channel has %d paths, %d where paths meet", most["false"], most["true"])
	}
}

// TestLanes: lanes on networks on which balanced paths take more.
func TestLanes(t *testing.T) {
	racing.SkipLong(t)
	for _, want := range []struct {
		formula string
		lanes   int
	}{
		{"hypercube(6,hosts=1)", 1},
		{"torus(6x6x6,hosts=1)", 7},
		{"deimos", 3},
		{"dragonfly(4,2,2)", 3},
		{"fat648|fail(share=0.05,links=up,seed=1)", 1},
		{"tsubame", 7}, // so many has OpenSM 3.3.23, here and in the next two
		{"tsubame|fail(share=0.05,links=all,seed=1)", 6},
		{"tsubame|fail(share=0.2,links=all,seed=1)", 7},
	} {
		if got := run(t, graph(t, want.formula), 8, nil).VLs; got > want.lanes {
			t.Errorf("%s: %d lanes, want %d", want.formula, got, want.lanes)
		}
	}
}

// draw draws networks whose paths take several lanes, many of them with parallel links
// and with switches without hosts.
func draw(t *rapid.T) *fabric.Graph {
	formula := rapid.SampledFrom([]string{
		"", "random(switches=16,hosts=2,links=30,seed=1)", "random(switches=40,hosts=1,links=70,seed=1)", "random(switches=40,hosts=1,links=70,seed=3)", "torus(4x4,hosts=1)",
		"rlft(6,3)|fail(links=12,seed=1)", "pgft(2;4,4;1,2;1,2)|fail(links=5,seed=2)", "torus(3x3x4,hosts=1)|fail(links=6,seed=1)",
		"deimos-chain30", "kautz(2,3,hosts=24)", "regular(switches=32,degree=4,hosts=4,seed=1)",
	}).Draw(t, "formula")
	f := conformance.Draw(t)
	if formula != "" {
		var err error
		if f, err = gen.Parse(formula); err != nil {
			t.Fatal(err)
		}
	}
	// GUIDs whose last bytes are in another order than the numbers.
	last := rapid.Permutation(fabric.Numbers(len(f.Nodes))).Draw(t, "last bytes")
	for i := range f.Nodes {
		guid := fabric.GUID(0x1000000 + i<<8 + int(last[i]&0xff))
		if f.Nodes[i].Type == fabric.Switch {
			f.Nodes[i].GUID = guid
		}
	}
	return f.Compile()
}

// openSM lists the switches as OpenSM has them, by their GUIDs with the last byte first.
func openSM(g *fabric.Graph) []int32 {
	key := func(s int32) string {
		b := []byte(fmt.Sprintf("%016x", uint64(g.SwitchGUID[s])))
		text := ""
		for i := 14; i >= 0; i -= 2 {
			text += string(b[i : i+2])
		}
		return text
	}
	list := fabric.Numbers(g.NumSwitches)
	slices.SortFunc(list, func(a, b int32) int { return strings.Compare(key(a), key(b)) })
	return list
}

// TestFirstPort: with lean, every switch sends to the neighbour behind the lowest port on a
// shortest path. Without, no more lanes are taken than pairs of switches need that are put, in
// the order that OpenSM has, on the first lane that takes these paths.
func TestFirstPort(t *testing.T) {
	given := 0
	draws.Check(t, func(t *rapid.T) {
		g := draw(t)
		lean := run(t, g, lanes.MaxLanes-1, map[string]string{"lean": "true"})
		first := route.NewTables(g.NumSwitches, lean.Ends.Top())
		for end, base := range lean.Ends.Base {
			if base == 0 {
				continue
			}
			search := g.NewSearch(g.Drained)
			to := g.EndSwitch[end]
			search.From(to)
			for _, s := range search.Order[1:] {
				got, _ := g.At(s, lean.Tables.Port(s, base))
				want := lowest(g, search, s, to)
				if g.To[got] != g.To[want] {
					t.Fatalf("switch %d sends to %d by switch %d, not %d", s, to, g.To[got], g.To[want])
				}
				first.Set(s, base, g.FromPort[want])
			}
		}
		in := &route.Input{Graph: g, Ends: lean.Ends, Workers: 1}
		plain, err := lanes.OnlineBy(t.Context(), lanes.ByTree(in, first, nil), openSM(g), lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		longest, err := lanes.LongestFirst(t.Context(), lanes.ByTree(in, first, nil), lanes.MaxLanes)
		if err != nil {
			t.Fatal(err)
		}
		plan := run(t, g, lanes.MaxLanes-1, nil)
		if plan.VLs > plain.Need || lean.VLs != min(plain.Need, longest.Need) {
			t.Fatalf("%d lanes, %d with option lean, %d as OpenSM has them, %d with the longest first", plan.VLs, lean.VLs, plain.Need, longest.Need)
		}
		if len(plan.Notes) > 0 {
			given++
		}
		if v, err := check.Judge(t.Context(), g, plan, check.Options{Workers: 1}); err != nil || v.DeadlockFree != check.Yes {
			t.Fatal("a possible deadlock", err)
		}
	}, func() string {
		if given == 0 {
			return "no network on which the engine gives up balance"
		}
		return ""
	})
}

// lowest returns the channel of the lowest port of switch s on a shortest path.
func lowest(g *fabric.Graph, search *fabric.Search, s, to int32) int32 {
	best := fabric.Nothing
	for _, c := range g.OutOf(s) {
		v := g.To[c]
		if search.Hops[v] == search.Hops[s]-1 && (v == to || !g.Drained[v]) && (best < 0 || g.FromPort[c] < g.FromPort[best]) {
			best = c
		}
	}
	return best
}
