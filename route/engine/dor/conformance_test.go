package dor_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/judge/check"
	"weft/judge/conformance"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine/dor"
	"weft/route/lids"
	"weft/route/recipe"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, dor.Spec(), conformance.Claims{Minimal: true, DeadlockFree: true, Refuses: true})
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

// The LIDs of a port use every disjoint path that dimension order allows: the
// parallel links to the next switch that it names.
func TestSpread(t *testing.T) {
	f, err := gen.Parse("torus(6x5,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range slices.Clone(f.Links) { // a second cable, and a third for some
		for range 1 + i%2 {
			if f.IsSwitchLink(fabric.LinkID(i)) {
				addCable(t, f, l.A.Node, l.B.Node)
			}
		}
	}
	g := f.Compile()
	one := routed(t, g, 0)
	allowed := func(to int32) func(c int32) bool {
		lid := one.Ends.Base[g.PortZero(to)]
		return func(c int32) bool {
			next, _ := g.At(g.From[c], one.Tables.Port(g.From[c], lid))
			return next >= 0 && g.To[next] == g.To[c]
		}
	}
	for lmc := range uint8(4) {
		got := conformance.MeasureSpread(g, routed(t, g, lmc), allowed, 300, 1)
		if got.Pairs < 200 || got.Min < 1 {
			t.Errorf("LMC %d: %+v", lmc, got)
		}
	}
}

// addCable joins two switches by one cable more, on new ports.
func addCable(t *testing.T, f *fabric.Fabric, a, b fabric.NodeID) {
	var ends [2]fabric.End
	for i, n := range [2]fabric.NodeID{a, b} {
		f.Nodes[n].Ports = append(f.Nodes[n].Ports, fabric.Port{GUID: f.Nodes[n].GUID, Link: fabric.NoLink})
		ends[i] = fabric.End{Node: n, Port: uint8(f.Nodes[n].NumPorts())}
	}
	if _, err := f.Connect(ends[0], ends[1], 4, fabric.EDR); err != nil {
		t.Fatal(err)
	}
}

func routed(t *testing.T, g *fabric.Graph, lmc uint8) *route.Plan {
	t.Helper()
	p, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: dor.Spec(), Names: lids.Options{LMC: lmc}, Workers: 2}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The judge, on larger tori than the table has, for the answers too.
func TestJudged(t *testing.T) {
	for _, formula := range []string{"torus(8x8x8,hosts=1)", "torus(5x5x3,hosts=2)", "torus(6x5x5x5,hosts=0)", "hypercube(7,hosts=1)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		r, err := quality.Judge(t.Context(), g, routed(t, g, 1), check.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Minimal || r.Unreachable > 0 || r.Loops > 0 || len(r.Faults) > 0 ||
			r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes {
			t.Errorf("%s: %+v", formula, r)
		}
	}
}

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, dor.Spec()) }
