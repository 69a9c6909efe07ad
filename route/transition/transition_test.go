package transition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/transition"
)

// routed routes a fabric by an engine, or repairs a Plan.
func routed(t *rapid.T, f *fabric.Fabric, name string, kept *planner.Kept) (*fabric.Graph, *route.Plan) {
	g := f.Compile()
	chain, err := engine.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	req := &planner.Request{Chain: chain, Kept: kept}
	if kept != nil {
		req.Afresh = rapid.Bool().Draw(t, "afresh")
		if err := kept.Hold(g, req); err != nil {
			t.Fatal(err)
		}
	}
	r, err := planner.Run(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	return g, r.Plan
}

// TestOrder writes the blocks of each step in random order, and after each follows the packets from
// every switch to every LID: none goes in circles that did not before. Every switch holds the
// tables of the new Plan in the end.
func TestOrder(t *testing.T) {
	steps, circles := 0, 0
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"rlft(4,3)", "rlft(6,2)", "torus(4x3,hosts=1)", "random(switches=12,hosts=1,links=24,seed=3)"}).Draw(t, "fabric")
		engine := rapid.SampledFrom([]string{"updn", "nue", "minhop", "dfsssp"}).Draw(t, "engine")
		f, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		old, before := routed(t, f, engine, nil)
		for range rapid.IntRange(1, 3).Draw(t, "lost") {
			id := fabric.LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(t, "link"))
			if l := f.Links[id]; f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
				f.SetLinkDown(id, true)
			}
		}
		g, after := routed(t, f, engine, planner.Keep(before, old))
		if g.NumSwitches != old.NumSwitches {
			return // a switch is cut off; that the others are found again is fabric.Match's
		}
		between := transition.Order(old, before, g, after)
		steps += len(between)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		held := before.Tables.Clone()
		for _, next := range append(between, after.Tables) {
			for _, k := range rng.Perm(g.NumSwitches * next.NumBlocks()) {
				s, b := int32(k/next.NumBlocks()), k%next.NumBlocks()
				if *held.BlockOrEmpty(s, b) == *next.Block(s, b) {
					continue
				}
				held.SetRun(s, fabric.LID(b*route.BlockSize), next.Block(s, b)[:])
				for lid := fabric.LID(1); lid <= after.Ends.Top(); lid++ {
					for from := range int32(g.NumSwitches) {
						if goesRound(g, held, from, lid) {
							t.Fatalf("packets to LID %d go in circles", lid)
						}
					}
				}
			}
		}
		if mixed := anyOrder(g, before.Tables, after.Tables, after.Ends.Top()); mixed {
			circles++
		}
		for s := range int32(g.NumSwitches) {
			for b := range after.Tables.NumBlocks() {
				if *held.Block(s, b) != *after.Tables.Block(s, b) {
					t.Fatalf("switch %d does not hold block %d of the new Plan", s, b)
				}
			}
		}
	}, func() string {
		if steps == 0 || circles == 0 {
			return fmt.Sprintf("%d steps; %d changes that could go in circles", steps, circles)
		}
		return ""
	})
}

// goesRound reports whether packets from a switch to a LID go in circles.
func goesRound(g *fabric.Graph, held *route.Tables, from int32, lid fabric.LID) bool {
	at := from
	for range g.NumSwitches + 1 {
		port := held.Port(at, lid)
		if port == route.NoPort {
			return false
		}
		c, _ := g.At(at, port)
		if c < 0 {
			return false
		}
		at = g.To[c]
	}
	return true
}

// anyOrder reports whether some mixture of two tables has a circle of two switches, or, tried at
// random, a longer one.
func anyOrder(g *fabric.Graph, was, now *route.Tables, top fabric.LID) bool {
	rng := rand.New(rand.NewPCG(1, 1))
	for lid := fabric.LID(1); lid <= top; lid++ {
		for range 20 {
			held := was.Clone()
			for s := range int32(g.NumSwitches) {
				if rng.IntN(2) == 0 {
					held.Set(s, lid, now.Port(s, lid))
				}
			}
			for from := range int32(g.NumSwitches) {
				if goesRound(g, held, from, lid) {
					return true
				}
			}
		}
	}
	return false
}

// TestDrop: what differs is dropped, and all else stays.
func TestDrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("torus(4x3,hosts=1)")
		if err != nil {
			t.Fatal(err)
		}
		old, before := routed(t, f, "updn", nil)
		f.SetLinkDown(fabric.LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")), true)
		g, after := routed(t, f, "updn", planner.Keep(before, old))
		tables := transition.Drop(old, before, g, after)
		for s := range int32(g.NumSwitches) {
			for lid := fabric.LID(1); lid <= after.Ends.Top(); lid++ {
				want := after.Tables.Port(s, lid)
				if was := before.Tables.Port(s, lid); was != want {
					want = route.NoPort
				}
				if got := tables.Port(s, lid); got != want {
					t.Fatalf("switch %d sends LID %d to port %d, want %d", s, lid, got, want)
				}
			}
		}
	})
}
