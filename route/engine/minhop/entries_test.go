package minhop

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/recipe"
)

// TestFormsOfOpenSM: every engine rule holds for them too.
func TestFormsOfOpenSM(t *testing.T) {
	for _, balance := range []string{"entries", "first"} {
		conformance.Run(t, with(balance), conformance.Claims{Minimal: true})
	}
}

// with returns the engine with a fixed balance.
func with(balance string) *route.Spec {
	spec := Spec()
	spec.Options = nil
	spec.New = func(route.Options) (route.Engine, error) { return engine{balance}, nil }
	return spec
}

// TestEntries: at each switch, LID after LID, the port is one with the fewest entries so far among
// those a hop nearer to the target, or the first of them.
func TestEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		balance := rapid.SampledFrom([]string{"entries", "first"}).Draw(t, "balance")
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: with(balance), Workers: 2}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		search := g.NewSearch(g.Drained)
		entries := make([]map[uint8]int, g.NumSwitches)
		for lid, end := range plan.Ends.ByLID() {
			if end < 0 {
				continue
			}
			search.From(g.EndSwitch[end])
			for s := range int32(g.NumSwitches) {
				if entries[s] == nil {
					entries[s] = map[uint8]int{}
				}
				got := plan.Tables.Port(s, fabric.LID(lid))
				if s == g.EndSwitch[end] || search.Hops[s] < 0 {
					if got != route.NoPort && !g.IsPortZero(end) {
						entries[s][got]++
					}
					continue
				}
				want := route.NoPort
				for _, c := range g.OutOf(s) {
					v := g.To[c]
					if search.Hops[v] != search.Hops[s]-1 || v != g.EndSwitch[end] && g.Drained[v] {
						continue
					}
					if p := g.FromPort[c]; want == route.NoPort || balance == "entries" && entries[s][p] < entries[s][want] {
						want = p
					}
				}
				if got != want {
					t.Fatalf("%s, switch %d, LID %d: port %d, want %d", balance, s, lid, got, want)
				}
				if !g.IsPortZero(end) {
					entries[s][got]++
				}
			}
		}
	})
}
