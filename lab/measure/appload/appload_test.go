package appload

import (
	"testing"

	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
)

// TestSends: the order of sends reaches the run. An eager binomial broadcast ends earlier if a port
// sends one message after the other.
func TestSends(t *testing.T) {
	f, err := gen.Parse("rlft(4,3)")
	if err != nil {
		t.Fatal(err)
	}
	chain, err := engine.Parse("ftree", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	routed, err := planner.Run(t.Context(), g, &planner.Request{Chain: chain, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]float64{}
	for _, order := range []string{"", "pair", "port", "shared"} {
		p := &Params{Program: "broadcast(binomial,ranks=16,size=32KiB)", Sends: order}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		figures, err := Measure(t.Context(), g, routed, p, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		ends[order] = *figures.End
	}
	if ends[""] != ends["pair"] || ends["port"] >= 0.7*ends["pair"] {
		t.Errorf("ends %v: want that without an order as with pair, and an earlier one with port", ends)
	}
	if (&Params{Program: "barrier", Sends: "lifo"}).Validate() == nil {
		t.Error("an unknown order is accepted")
	}
}
