package conformance

import (
	"context"
	"testing"

	"weft/fabric/gen"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// Bench measures routing a formula with 2^lmc LIDs a port, on two cores.
func Bench(b *testing.B, spec *route.Spec, formula string, lmc uint8) {
	f, err := gen.Parse(formula)
	if err != nil {
		b.Fatal(err)
	}
	g := f.Compile()
	req := &recipe.Request{Engine: spec, Names: lids.Options{LMC: lmc}, Workers: 2}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := recipe.Run(context.Background(), g, req, func(string) {}); err != nil {
			b.Fatal(err)
		}
	}
}
