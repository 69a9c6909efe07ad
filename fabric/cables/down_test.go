package cables

import (
	"slices"
	"testing"

	"weft/fabric"
)

// TestDown: cables that are known and down are named in any network, those to hosts too, and
// switches that are down are noted with no word of their cables.
func TestDown(t *testing.T) {
	for formula, links := range map[string]int{"kautz(3,4)|fail(links=3,seed=1)": 3, "deimos|fail(links=20,seed=2)": 20, "rlft(36,2)|fail(links=5,seed=1)|fail(switches=1,seed=3)": 5} {
		f := generated(t, formula)
		host := slices.IndexFunc(f.Links, func(l fabric.Link) bool { return f.Nodes[l.A.Node].Type != f.Nodes[l.B.Node].Type && !l.Down })
		f.SetLinkDown(fabric.LinkID(host), true)
		var want []string
		for i, l := range f.Links {
			if l.Down && !f.Nodes[l.A.Node].Down && !f.Nodes[l.B.Node].Down {
				ports := f.LinkPorts(fabric.LinkID(i))
				want = append(want, pairName(ports[0].GUID, ports[1].GUID))
			}
		}
		slices.Sort(want)
		r := Of(f, f.Compile(), nil)
		if got := pairsOf(r); !slices.Equal(got, want) || len(r.Cables) != links+1 {
			t.Errorf("%s: named %v\nwant %v", formula, got, want)
		}
		down := slices.ContainsFunc(f.Nodes, func(n fabric.Node) bool { return n.Down })
		if noted := slices.Equal(r.Notes, []string{"switches that are down, with all their cables: leaf 15"}); noted != down || !down && len(r.Notes) > 0 {
			t.Errorf("%s: notes %q", formula, r.Notes)
		}
	}
}

// TestOddNetworks: small or strange networks cause no panic and few lines.
func TestOddNetworks(t *testing.T) {
	for _, formula := range []string{
		"fullmesh(1)", "rlft(2,1)", "rlft(2,3)", "karytree(1,3)", "torus(2x2,hosts=1)", "torus(3,hosts=0)", "hyperx(4x4,hosts=2)", "slimfly(5)",
		"rlft(4,2)|hosts(even=0,odd=0)", "random(switches=40,hosts=16,links=80,seed=1)", "dragonfly(4,2,2)", "irregular(switches=64,degree=8,hosts=512,seed=1)",
	} {
		f := generated(t, formula)
		if r := Of(f, f.Compile(), nil); len(r.Cables) > 0 {
			t.Errorf("%s: pattern %s, %d odd cables, the first %s %s", formula, r.Pattern, len(r.Cables), r.Name(&r.Cables[0]), r.Cables[0].Text)
		}
	}
	empty := fabric.New("empty")
	if r := Of(empty, empty.Compile(), nil); len(r.Cables) > 0 || r.Pattern != NoPattern {
		t.Errorf("empty: %+v", r)
	}
}
