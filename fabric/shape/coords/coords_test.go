package coords

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParseCoords(t *testing.T) {
	for desc, want := range map[string][]int32{
		"switch (1,2,3)":       {1, 2, 3},
		"(0)":                  {0},
		"a (9) b ( 4 , 32768)": {4, 32768},
		"":                     nil,
		"switch 1,2":           nil,
		"switch (1,2":          nil,
		"switch ()":            nil,
		"switch (1,,2)":        nil,
		"switch (-1)":          nil,
		"switch (1,32769)":     nil,
		"switch (1) (x)":       nil,
	} {
		if got := parseCoords(desc); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", desc, got, want)
		}
	}
}

// TestBox: the short way takes as few hops as there are, is the same both ways, and
// crosses the dateline when Crosses says so where there is one.
func TestBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int32Range(3, 9).Draw(t, "size")
		later := rapid.Int32Range(2, 4).Draw(t, "later")
		var places [][]int32
		for x := range size {
			for y := range later {
				places = append(places, []int32{x, 0, y})
			}
		}
		b := newBox(places)
		if b.Dims != 2 || !slices.Equal(b.Size, []int32{size, later}) {
			t.Fatalf("%d dimensions of %v", b.Dims, b.Size)
		}
		b.Wrap[0] = rapid.Bool().Draw(t, "ring")
		for s := range int32(len(places)) {
			for d := range int32(len(places)) {
				x, y := b.Coords(s)[0], b.Coords(d)[0]
				odd := b.Parity(s, d, 0)
				crosses := b.crosses(0, x, y, odd)
				if odd != b.Parity(d, s, 0) || crosses != b.crosses(0, y, x, odd) {
					t.Fatalf("from %v to %v the way is not that of the answer", b.Coords(s), b.Coords(d))
				}
				if x == y {
					continue
				}
				hops, over := int32(0), false
				for step := 1 - 2*int32(b.Short(0, x, y, odd)); x != y; hops++ {
					if x += step; x < 0 || x == size {
						x, over = (x+size)%size, true
					}
				}
				far := max(b.Coords(s)[0], y) - min(b.Coords(s)[0], y)
				if b.Wrap[0] {
					far = min(far, size-far)
				}
				if hops != far || over != crosses && size >= DatelineFrom {
					t.Fatalf("from %v to %v: %d hops, the least is %d; crosses %v, told %v", b.Coords(s), b.Coords(d), hops, far, over, crosses)
				}
			}
		}
	})
}
