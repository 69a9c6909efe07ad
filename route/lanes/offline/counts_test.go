package offline

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/conformance"
	"weft/route"
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

// TestChoose: each heuristic cuts its edge of a ring.
func TestChoose(t *testing.T) {
	b := &conformance.Builder{F: fabric.New("ring")}
	var ring []fabric.NodeID
	for range 5 {
		ring = append(ring, b.Switch())
	}
	for i := range ring {
		b.Link(ring[i], ring[(i+1)%len(ring)])
	}
	g := b.F.Compile()
	p := lanes.BySwitch(&route.Input{Graph: g, Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}, route.NewTables(g.NumSwitches, 1))
	cycle := []int32{0}
	for len(cycle) < len(ring) {
		c := cycle[len(cycle)-1]
		out := g.OutOf(g.To[c])
		cycle = append(cycle, out[0])
		if out[0] == c^1 {
			cycle[len(cycle)-1] = out[1]
		}
	}
	count := make([]uint32, p.Index.Size)
	for i, n := range []uint32{4, 7, 2, 9, 3} {
		count[p.Index.Number(cycle[i], cycle[(i+1)%len(cycle)])] = n
	}
	for heuristic, want := range map[Heuristic]int{Weakest: 2, Strongest: 3, First: 0} {
		s := &search{counts: &counts{p: p, count: [][]uint32{count}}, Options: Options{Heuristic: heuristic}}
		if got := s.choose(cycle); got != want {
			t.Errorf("%s: edge %d, want %d", heuristic, got, want)
		}
	}
}
