package cables

import (
	"math/rand/v2"
	"testing"

	"weft/fabric"
)

// TestUnevenTrees: a complete tree has no odd cables even if a switch's cables are no multiple of
// the switches above. After losses, no existing cable is named, and every lower switch that lost
// one is.
func TestUnevenTrees(t *testing.T) {
	for formula, pairs := range map[string]bool{"over384": false, "tree(14,334,ratio=2)": false, "tree(20,264,ratio=2)": true} { // pairs: both ends are known
		whole := generated(t, formula)
		if r := Of(whole, whole.Compile(), nil); r.Pattern != "tree" || len(r.Cables) > 0 || len(r.Notes) > 0 {
			t.Errorf("%s: pattern %s, %v, %v", formula, r.Pattern, r.Counts, r.Notes)
		}
		for seed := range uint64(40) {
			f := whole.Clone()
			gone, want := removed(f, rand.New(rand.NewPCG(seed, 9)))
			f = f.Without(nil, func(id fabric.LinkID) bool { return gone[id] })
			r := Of(f, f.Compile(), nil)
			if wrong := less(pairsOf(r), want); len(wrong) > 0 || r.Counts[Missing] != len(r.Cables) {
				t.Errorf("%s, seed %d: %v are there, %v", formula, seed, wrong, r.Counts)
			}
			named := map[fabric.GUID]bool{}
			for _, o := range r.Cables {
				for _, p := range o.Ports {
					named[p.GUID] = true
				}
			}
			for id := range gone {
				lower := min(whole.Nodes[whole.Links[id].A.Node].GUID, whole.Nodes[whole.Links[id].B.Node].GUID) // levels are numbered from below
				if !named[lower] || pairs && len(less(want, pairsOf(r))) > 0 {
					t.Errorf("%s, seed %d: %s has lost a cable, %v are named", formula, seed, lower, pairsOf(r))
					break
				}
			}
		}
	}
}
