package torus

import (
	"strings"
	"testing"

	"weft/fabric/gen"
	"weft/fabric/shape/coords"
)

// TestVerify: paths that go round a ring on one lane, and paths that do not end, are
// noticed.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		formula string
		hop     func(m *torus, s, d int32) uint8
		want    string // "" is no refusal
	}{
		{"torus(3,hosts=1)", func(*torus, int32, int32) uint8 { return coords.Up }, "can deadlock: dependencies form a cycle through switch"},
		{"torus(3,hosts=1)", func(_ *torus, s, _ int32) uint8 { return uint8(s & 1) }, "no way around the failures from switch"},
		{"torus(3,hosts=1)", func(m *torus, s, d int32) uint8 { return uint8(m.short(s, d, 0)) }, ""},
		{"torus(5,hosts=1)", func(m *torus, s, d int32) uint8 { return uint8(m.short(s, d, 0)) }, ""},
		{"mesh(3x3,hosts=1)", against, ""}, // y before x: all turns against the order, none with it
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		m, err := find(coords.Parts(g)[0])
		if err != nil {
			t.Fatal(err)
		}
		n := int32(len(m.Switches))
		m.hops = make([]uint8, n*n)
		for d := range n {
			for s := range n {
				if s != d {
					m.hops[d*n+s] = c.hop(m, s, d)
				}
			}
		}
		err = m.verify(t.Context(), 2)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.formula, err, c.want)
		}
		if turns := strings.HasPrefix(c.formula, "mesh"); m.turns != turns {
			t.Errorf("%s: turns against the order: %v", c.formula, m.turns)
		}
	}
}

// against takes the last dimension first.
func against(m *torus, s, d int32) uint8 {
	for dim := m.Dims - 1; ; dim-- {
		if m.Coords(s)[dim] != m.Coords(d)[dim] {
			return uint8(2*dim + m.short(s, d, dim))
		}
	}
}
