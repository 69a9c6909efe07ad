package ways_test

import (
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/shape/ways"
)

// TestBetween: by hand, on a ring with a stub.
func TestBetween(t *testing.T) {
	f, err := gen.Parse("torus(6,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	id := func(name string) fabric.NodeID {
		n, err := f.FindSwitch(name)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []struct {
		from   []string
		needed []string
	}{
		{[]string{"switch (0)"}, []string{"switch (0)"}},
		{[]string{"switch (0)", "switch (2)"}, []string{"switch (0)", "switch (1)", "switch (2)"}},
		{[]string{"switch (0)", "switch (3)"}, []string{"switch (0)", "switch (1)", "switch (2)", "switch (3)", "switch (4)", "switch (5)"}},
		{nil, nil},
	} {
		var from []fabric.NodeID
		for _, name := range c.from {
			from = append(from, id(name))
		}
		want := make([]bool, len(f.Nodes))
		for _, name := range c.needed {
			want[id(name)] = true
		}
		for n, got := range ways.Between(f, from) {
			if got != want[n] {
				t.Errorf("between %q: %s %t", c.from, f.NodeName(fabric.NodeID(n)), got)
			}
		}
	}
}
