package coords

import (
	"math"
	"strings"
	"testing"

	"weft/fabric/gen"
)

// TestIndexLarge: coordinates that name more places than 32 bits count are refused.
func TestIndexLarge(t *testing.T) {
	f, err := gen.Parse("mesh(1x1,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	m := &Grid{Part: Part{G: f.Compile(), Switches: make([]int32, 40000)}, Box: Box{Dims: 2, Size: []int32{1 << 16, 1 << 15}, Coord: make([]int32, 2)}}
	if err := m.Index(); err == nil || !strings.Contains(err.Error(), "have no switch") {
		t.Errorf("%d places: %v", len(m.at), err)
	}
}

// The share of present links follows from the number of failed ones; parallel links count once.
func TestGridShare(t *testing.T) {
	for formula, want := range map[string]float64{
		"torus(4x3,hosts=1)":                      1,
		"mesh(4x3,hosts=1)":                       1,
		"mesh(2x1,hosts=1,width=2)":               1,
		"fullmesh(1,hosts=2)":                     1,
		"hypercube(3,hosts=1)":                    1,
		"torus(5x5,hosts=1)|fail(links=2,seed=1)": 1 - 2./50,
		"mesh(4x4,hosts=1)|fail(links=3,seed=2)":  1 - 3./24,
		"rlft(4,2)":                               0,
		"hyperx(4x4,hosts=1)":                     0,
	} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		if got := GridShare(f.Compile()); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.4f, want %.4f", formula, got, want)
		}
	}
}
