package dor_test

import (
	"testing"

	"weft/fabric/gen"
	"weft/route/engine/conformance"
	"weft/route/engine/dor"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, dor.Spec(), conformance.Claims{Minimal: true, HostMinimal: true, Refuses: true})
}

// Formulas are recognised, their coordinates taken from the descriptions.
func TestFormulas(t *testing.T) {
	for _, formula := range []string{
		"torus(6x5,hosts=2)", "torus(3x3x4,hosts=1)", "torus(2x5,hosts=1)", "torus(9,hosts=1)",
		"mesh(4x3,hosts=2)", "mesh(5,hosts=1)", "hypercube(5,hosts=1)",
	} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := dor.Recognise(f.Compile()); err != nil {
			t.Errorf("%s: %v", formula, err)
		}
	}
}
