package datelines

import (
	"reflect"
	"testing"

	"weft/fabric/gen"
	"weft/fabric/shape/coords"
	"weft/route"
)

// TestFillSLs: the SLs of a torus are the same on any number of workers, and some are not 0.
func TestFillSLs(t *testing.T) {
	f, err := gen.Parse("torus(5x4,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	part := coords.Parts(g)[0]
	m, err := coords.Find(part, func(places [][]int32) (*coords.Grid, error) { return coords.NewGrid(part, places) })
	if err != nil {
		t.Fatal(err)
	}
	fill := func(workers int) *route.SLs {
		sl := route.NewSLs(g.EndSwitch, nil, g.NumSwitches, g.NumSwitches)
		if err := FillSLs(t.Context(), m, workers, []int{0, 1}, sl); err != nil {
			t.Fatal(err)
		}
		return sl
	}
	one := fill(1)
	if !reflect.DeepEqual(one, fill(3)) {
		t.Error("three workers fill in other SLs than one")
	}
	if reflect.DeepEqual(one, route.NewSLs(g.EndSwitch, nil, g.NumSwitches, g.NumSwitches)) {
		t.Error("all SLs are 0")
	}
}
