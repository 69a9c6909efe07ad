package check

import (
	"encoding/json"
	"testing"

	"weft/route"
)

// TestManyBlocks: on tables of several blocks the judge finds the same on any number of workers, a
// cycle, the packets on it, and the pairs whose packets a switch discards among it; so does the
// judge of a mixture.
func TestManyBlocks(t *testing.T) {
	g, old := plan(t, "torus(9x9,hosts=1)", "minhop", 0, nil)
	_, now := plan(t, "torus(9x9,hosts=1)", "sssp", 0, nil)
	drops, nothing := *old, route.VLTable{}
	for sl := range nothing {
		nothing[sl] = route.DropVL
	}
	drops.SL2VL = route.UniformVL(g, nothing)
	found := func(workers int) string {
		verdict, err := Judge(t.Context(), g, old, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if len(verdict.Assigned.Cycle) == 0 {
			t.Error("minhop has no cycle on a torus")
		}
		discarded, err := Judge(t.Context(), g, &drops, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if discarded.Discarded == 0 {
			t.Error("no packet is discarded")
		}
		mixture, err := Mix(t.Context(), g, old, g, now, Options{Workers: workers}, Writing{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal([]any{verdict, discarded, mixture})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if one, three := found(1), found(3); one != three {
		t.Errorf("one worker:\n%s\nthree:\n%s", one, three)
	}
}
