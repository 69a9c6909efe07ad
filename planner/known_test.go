package planner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/fabric"
	"weft/internal/racing"
	"weft/route/engine"
)

// Networks of a known kind are decided without trials, whole or with few faults, from links and
// hosts alone: without descriptions the answer is the same.
func TestKnown(t *testing.T) {
	racing.SkipLong(t)
	for _, c := range []struct{ formula, want string }{
		{"rlft(4,3)", "ftree"},
		{"torus(5x5,hosts=2)", "torus"},
		{"torus(4x4x3,hosts=1)", "torus"},
		{"mesh(4x3,hosts=3)", "torus"},
		{"hypercube(5,hosts=1)", "torus"},
		{"hyperx(4x4,hosts=2)", "hyperx"},
		{"fullmesh(7,hosts=3)", "hyperx"},
		{"dragonfly(4,2,2)", "lash,relief=true"},
		{"dragonfly(4,2,2,groups=5)", even + ",relief=true"},
		{"dragonflyplus(4,4,4,2)", even + ",relief=true"},
		{"kautz(3,2,hosts=24)", even + ",relief=true"},
		{"slimfly(5,hosts=1)", "lash,relief=true"},
		{"hypercube(6,hosts=1,width=2)", "hyperx"},
	} {
		g := graph(t, c.formula)
		bare := *g
		bare.SwitchDesc = make([]string, g.NumSwitches)
		for i, g := range []*fabric.Graph{g, &bare} {
			if i > 0 && c.formula == "dragonflyplus(4,4,4,2)" {
				continue // its groups are found in descriptions
			}
			r, err := Route(context.Background(), g, &Request{Chain: chain(t, engine.Auto), Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if r.Choice.Engine != c.want || len(r.Choice.Trials) != 1 || r.Choice.Next != "" {
				t.Errorf("%s: %s after %d trials, want %s", c.formula, r.Choice, len(r.Choice.Trials), c.want)
			}
			if p := Predict(g); !p.Known || p.Engine != c.want {
				t.Errorf("%s: predicted %+v", c.formula, p)
			}
		}
	}
	for formula, want := range map[string]string{
		"torus(6x6,hosts=1)|fail(links=1,seed=1)":       "torus",
		"hyperx(8x4,hosts=2)|fail(links=2,seed=1)":      "hyperx",
		"dragonfly(4,2,2)|fail(links=2,seed=1)":         "lash,relief=true",
		"dragonflyplus(4,4,4,2)|fail(links=2,seed=1)":   even + ",relief=true",
		"torus(4x4,hosts=2)|fail(links=8,seed=3)":       "trials", // torus refuses
		"hyperx(4x4,hosts=2)|fail(share=0.2,seed=1)":    "trials",
		"dragonfly(4,2,2)|fail(share=0.1,seed=1)":       "trials",
		"rlft(4,2)|fail(links=1,seed=1)":                "trials",
		"irregular(switches=16,degree=8,hosts=40)":      "trials",
		"random(switches=10,hosts=20,links=14,seed=12)": "trials",
		"deimos-chain30|fail(share=0.01,seed=1)":        "trials",
		"mesh(6x1,hosts=4,width=3)":                     "trials", // small: parallel links
		"torus(5x7,hosts=3,width=2)":                    "trials", // parallel links
		"mesh(6x1,hosts=4)|without(hosts=0-1)":          "trials", // small: uneven
		"hyperx(3x3,hosts=2)|fail(links=1,seed=1)":      "trials", // small: a fault, where a larger one is decided
		"kautz(2,3,hosts=29)":                           "trials",
	} {
		r, err := Route(context.Background(), graph(t, formula), &Request{Chain: chain(t, engine.Auto), Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Choice.Engine; want != "trials" && (got != want || len(r.Choice.Trials) != 1) || want == "trials" && len(r.Choice.Trials) < 5 {
			t.Errorf("%s: %s after %d trials, want %s", formula, r.Choice, len(r.Choice.Trials), want)
		}
	}
}

// The manager's hosts may send on any lane. There a known engine whose Plan could then deadlock is
// not taken.
func TestKnownOnOneLane(t *testing.T) {
	for _, formula := range []string{"torus(5x5,hosts=1)", "dragonfly(4,2,2)"} {
		req := &Request{Chain: chain(t, engine.Auto), Workers: 1, NoPathRecords: true}
		r, err := Run(context.Background(), graph(t, formula), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Choice.Trials) < 3 || unfit(r, req) != "" {
			t.Errorf("%s: %s", formula, r.Choice)
		}
	}
}

// Trees of one kind of leaf are alike too, but a tree needs its levels: only groups that are linked
// to each other make a regular network of switches without hosts.
func TestAlike(t *testing.T) {
	for formula, want := range map[string]string{
		"rlft(4,2)":           "4 0.00 2 2, 2 0.00 0 0",
		"kautz(2,2,hosts=7)":  "6 0.00 1 2, 0 0.00 0 0",
		"mesh(3x2,hosts=1)":   "6 0.22 1 1, 0 0.00 0 0",
		"fullmesh(4,hosts=2)": "4 0.00 2 2, 0 0.00 0 0",
	} {
		g := graph(t, formula)
		text := func(l likeness) string {
			return fmt.Sprintf("%d %.2f %d %d", l.switches, l.missing, l.fewest, l.most)
		}
		if got := text(alike(g, true)) + ", " + text(alike(g, false)); got != want {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
}

// The share of pairs with one shortest path, counted for all pairs by matrices: entry (s, d) of the
// k-th power of the links is the number of ways of k links.
func TestOnlyPaths(t *testing.T) {
	for _, formula := range []string{"slimfly(5,hosts=1)", "dragonfly(3,2,1)", "kautz(2,3,hosts=20)", "rlft(4,2)", "torus(5x4,hosts=1,width=2)", "random(switches=30,hosts=2,links=55,seed=3)", "mesh(1x1,hosts=2)"} {
		g := graph(t, formula)
		n := g.NumSwitches
		times := func(a []int) []int {
			out := make([]int, n*n)
			for c := range g.NumChannels {
				for s := range n {
					out[s*n+int(g.To[c])] += a[s*n+int(g.From[c])]
				}
			}
			return out
		}
		ways, reached := make([]int, n*n), make([]bool, n*n)
		for s := range n {
			ways[s*n+s], reached[s*n+s] = 1, true
		}
		one, all := 0, 0
		for range n {
			ways = times(ways)
			for i, w := range ways {
				if w > 0 && !reached[i] {
					reached[i] = true
					if all++; w == 1 {
						one++
					}
				}
			}
			for i := range ways {
				ways[i] = min(ways[i], 1<<20)
			}
		}
		if got, want := onlyPaths(g), float64(one)/float64(max(all, 1)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.4f, want %.4f", formula, got, want)
		}
	}
}

// Every candidate that a kind names is one of Auto's.
func TestOrders(t *testing.T) {
	auto := engine.AutoSpec()
	for _, kind := range []*shape{&trees, &grids, &hyperXs, &others} {
		for _, name := range slices.Concat(kind.order, kind.oneLane) {
			if candidate(auto, name) == nil || candidate(auto, name).From != "" {
				t.Errorf("%s: %s is no candidate that routes", kind.kind, name)
			}
		}
	}
	for _, c := range auto.Among {
		if (c.From != "") != (c.Options["relief"] == "true") || c.From != "" && candidate(auto, c.From) == nil {
			t.Errorf("%s relieves %q", c.Name, c.From)
		}
	}
}
