package groups_test

import (
	"slices"
	"testing"

	"weft/fabric/gen"
	"weft/fabric/shape/groups"
)

// TestFind: groups are found by the graph as by descriptions, and the groups of a full mesh are its
// switches.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		formula string
		groups  int // 0: none
	}{
		{"dragonfly(4,1,2)", 9},
		{"dragonfly(6,1,3)", 19},
		{"dragonfly(6,1,2,groups=7)|fail(links=3,seed=1)", 7},
		{"fullmesh(6,hosts=1)", 6},
		{"torus(4x4,hosts=1)", 0},
		{"rlft(8,2)", 0},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		named, err := groups.Find(g)
		if found := err == nil; found != (c.groups > 0) || found && len(named.Members) != c.groups {
			t.Errorf("%s: groups %v, error %v, want %d", c.formula, named, err, c.groups)
			continue
		}
		for s := range g.SwitchDesc {
			g.SwitchDesc[s] = ""
		}
		if bare, err := groups.Find(g); c.groups > 0 && (err != nil || !slices.Equal(bare.Of, named.Of) || bare.Single() != (c.groups == g.NumSwitches)) {
			t.Errorf("%s without descriptions: groups %v, error %v", c.formula, bare, err)
		}
	}
}
