package offline

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/conformance"
	"weft/route/engine/minhop"
	"weft/route/lanes"
	"weft/route/lids"
	"weft/route/recipe"
)

// addEdges counts the dependencies of the path from a switch to a LID.
func addEdges(g *fabric.Graph, tables *route.Tables, s int32, lid fabric.LID, into map[[2]int32]int) {
	last := fabric.Nothing
	for {
		c, _ := g.At(s, tables.Port(s, lid))
		if c < 0 {
			return
		}
		if last >= 0 {
			into[[2]int32{last, c}]++
		}
		last, s = c, g.To[c]
	}
}

// TestCounts: the counts of all edges are those of walking every path.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		req := &recipe.Request{Engine: minhop.Spec(), Names: lids.Options{LMC: rapid.Uint8Range(0, 2).Draw(t, "LMC")}, Workers: 2}
		plan, err := recipe.Run(t.Context(), g, req, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		in := &route.Input{Graph: g, Ends: plan.Ends, Workers: 2}
		p := lanes.ByEnd(in, plan.Tables)
		count, err := countAll(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want := map[[2]int32]int{}
		for lid, end := range in.Ends.ByLID() {
			for src := range int32(g.NumEnds) {
				if end >= 0 {
					addEdges(g, plan.Tables, g.EndSwitch[src], fabric.LID(lid), want)
				}
			}
		}
		for c := range int32(g.NumChannels) {
			for _, d := range g.OutOf(g.To[c]) {
				if got := count[p.Index.Number(c, d)]; int(got) != want[[2]int32{c, d}] {
					t.Fatalf("channels %d, %d: %d paths, want %d", c, d, got, want[[2]int32{c, d}])
				}
			}
		}
	})
}
