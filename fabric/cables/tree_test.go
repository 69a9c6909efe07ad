package cables

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
)

// wholeTrees are trees of two and three levels, with bundles, of unlike heights, with hosts on
// several leaves.
var wholeTrees = []string{
	"rlft(36,2)", "rlft(16,2)", "rlft(8,3)", "rlft(12,3)", "rlft(6,3)", "rlft(8,2)|ports(2)",
	"xgft(2;12,12;1,8)", "xgft(3;4,4,6;1,4,4)", "xgft(3;6,5,4;1,3,5)", "xgft(2;10,9;1,3)",
	"pgft(2;18,12;1,6;1,3)", "pgft(2;24,4;1,2;1,6)", "pgft(3;6,6,4;1,3,3;1,2,2)", "pgft(3;4,6,8;1,4,2;1,1,3)",
	"karytree(4,3)", "karytree(6,2)", "mport(8,3)", "fat648",
	"rlft(8,3)|merge(tree=rlft(8,3))", "rlft(16,2)|merge(tree=rlft(16,2),at=leaves)", "rlft(8,3)|merge(tree=rlft(8,2))",
	"rail(8,16,4,spines=8,width=2)", "rail(4,12,3)", "rail(8,8,6,width=3)", "rail(4,6,5,spines=3,width=2,cores=2,up=2)",
}

func generated(t *testing.T, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pairName names a pair of switches, and one that lists of odd cables name.
func pairName(a, b fabric.GUID) string { return fmt.Sprint(min(a, b), " - ", max(a, b)) }

func pairsOf(r *Report) (pairs []string) {
	for _, o := range r.Cables {
		if len(o.Ports) == 2 {
			pairs = append(pairs, pairName(o.Ports[0].GUID, o.Ports[1].GUID))
		}
	}
	slices.Sort(pairs)
	return pairs
}

// TestWholeTrees: nothing is odd about a tree that is whole.
func TestWholeTrees(t *testing.T) {
	for _, formula := range wholeTrees {
		f := generated(t, formula)
		if r := Of(f, f.Compile(), nil); r.Pattern != "tree" || len(r.Cables) > 0 || len(r.Notes) > 0 {
			t.Errorf("%s: pattern %s, %v, %v", formula, r.Pattern, r.Cables, r.Notes)
		}
	}
}

// TestRemovedCables: of trees that lost up to a twentieth of the cables between switches exactly
// these are missing, whether the fabric still knows them or not.
func TestRemovedCables(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 60
	}
	whole := map[string]*fabric.Fabric{}
	ports, known := 0, 0
	for i := range runs {
		formula := wholeTrees[i%len(wholeTrees)]
		if whole[formula] == nil {
			whole[formula] = generated(t, formula)
		}
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		f := whole[formula].Clone()
		gone, want := removed(f, rng)
		lost := map[fabric.PortName]bool{}
		for id := range gone {
			for _, p := range f.LinkPorts(id) {
				lost[p] = true
			}
		}
		if i%2 == 0 {
			f = f.Without(nil, func(id fabric.LinkID) bool { return gone[id] })
		}
		r := Of(f, f.Compile(), nil)
		if got := pairsOf(r); !slices.Equal(got, want) || len(r.Cables) != len(want) || r.Counts[Missing] != len(want) {
			t.Errorf("run %d, %s: %d cables removed, pattern %s, %v odd, notes %v\nnot named %v\nnot removed %v", i, formula, len(want), r.Pattern, r.Counts, r.Notes, less(want, got), less(got, want))
		}
		for _, o := range r.Cables {
			for _, p := range o.Ports {
				ports++
				if p.Port > 0 {
					known++
				}
				if p.Port > 0 && !lost[p] {
					t.Errorf("run %d, %s: %s has no port of a cable removed", i, formula, p)
				}
			}
			if strings.Contains(o.Text, "down") != (i%2 == 1) {
				t.Errorf("run %d, %s: %s %q", i, formula, r.Name(&o), o.Text)
				break
			}
		}
	}
	if 10*known < 9*ports {
		t.Errorf("%d of %d ports of cables removed are told", known, ports)
	}
	t.Logf("%d of %d ports told", known, ports)
}

// TestMostCablesOfOne: where a root has one cable left, a group or a small tier has lost many, they
// are named all the same.
func TestMostCablesOfOne(t *testing.T) {
	for formula, ports := range map[string][]string{
		"karytree(4,3)":                   {"root 14[1]", "root 14[3]", "root 14[4]"},
		"xgft(3;4,4,6;1,4,4)":             {"middle1 13[5]", "middle1 14[8]", "middle1 12[7]", "middle1 12[8]"},
		"rlft(8,3)|merge(tree=rlft(8,2))": {"tree 2 leaf 6[8]", "tree 2 leaf 2[8]", "tree 2 leaf 3[6]", "tree 2 leaf 1[5]", "tree 2 leaf 7[6]"},
	} {
		f := generated(t, formula)
		gone, want := map[fabric.LinkID]bool{}, []string{}
		for _, port := range ports {
			id, err := f.FindLink(port)
			if err != nil {
				t.Fatal(err)
			}
			gone[id] = true
			l := &f.Links[id]
			want = append(want, pairName(f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID))
		}
		slices.Sort(want)
		f = f.Without(nil, func(id fabric.LinkID) bool { return gone[id] })
		if r := Of(f, f.Compile(), nil); !slices.Equal(pairsOf(r), want) {
			t.Errorf("%s: %v are named, want %v", formula, pairsOf(r), want)
		}
	}
}

// removed fails up to a twentieth of the cables between switches, and names their pairs.
func removed(f *fabric.Fabric, rng *rand.Rand) (gone map[fabric.LinkID]bool, want []string) {
	var all []fabric.LinkID
	for i := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(i)) {
			all = append(all, fabric.LinkID(i))
		}
	}
	gone = map[fabric.LinkID]bool{}
	for _, k := range rng.Perm(len(all))[:rng.IntN(len(all)/20+1)] {
		l := &f.Links[all[k]]
		gone[all[k]] = true
		f.SetLinkDown(all[k], true)
		want = append(want, pairName(f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID))
	}
	slices.Sort(want)
	return gone, want
}

// less returns the elements of a that are not in b.
func less(a, b []string) []string {
	a = slices.Clone(a)
	for _, x := range b {
		if i := slices.Index(a, x); i >= 0 {
			a = slices.Delete(a, i, i+1)
		}
	}
	return a
}
