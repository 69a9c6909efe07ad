package coords

import (
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
