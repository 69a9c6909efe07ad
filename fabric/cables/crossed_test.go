package cables

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
)

// TestCrossedCables: two cables that are plugged in where the other should be are named, and
// nothing else.
func TestCrossedCables(t *testing.T) {
	for i := range 200 {
		formula := wholeTrees[i%len(wholeTrees)]
		f := generated(t, formula)
		g := f.Compile()
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		a, b := rng.IntN(g.NumChannels/2)*2, rng.IntN(g.NumChannels/2)*2
		if g.From[a] == g.From[b] || g.To[a] == g.To[b] || g.From[a] == g.To[b] || g.To[a] == g.From[b] || len(g.OutOf(g.From[a])) < 5 || len(g.OutOf(g.From[b])) < 5 || !alike(g, g.From[a], g.From[b]) || !alike(g, g.To[a], g.To[b]) {
			continue
		}
		crossed := cross(t, f, g, int32(a), int32(b))
		r := Of(crossed, crossed.Compile(), nil)
		if len(r.Cables) != 1 || r.Counts[Crossed] != 1 {
			var lines []string
			for _, o := range r.Cables {
				lines = append(lines, string(o.Kind)+" "+r.Name(&o)+" "+o.Text)
			}
			t.Errorf("run %d, %s, %s and %s: %q %q", i, formula, g.SwitchPort(g.From[a], g.FromPort[a]), g.SwitchPort(g.From[b], g.FromPort[b]), lines, r.Notes)
			continue
		}
		for _, p := range r.Cables[0].Ports {
			if !slices.Contains([]fabric.PortName{g.SwitchPort(g.From[a], g.FromPort[a]), g.SwitchPort(g.To[a], g.ToPort[a]), g.SwitchPort(g.From[b], g.FromPort[b]), g.SwitchPort(g.To[b], g.ToPort[b])}, p) {
				t.Errorf("run %d, %s: %s is not crossed", i, formula, p)
			}
		}
	}
}

// alike reports whether two switches have the same description but for numbers: they are of one
// level.
func alike(g *fabric.Graph, a, b int32) bool {
	word := func(s int32) string { return strings.TrimRight(g.SwitchDesc[s], "0123456789") }
	return word(a) == word(b)
}

// cross plugs the far ends of two cables into each other's ports.
func cross(t *testing.T, f *fabric.Fabric, g *fabric.Graph, a, b int32) *fabric.Fabric {
	end := func(s int32, port uint8) fabric.End {
		id, _ := f.NodeByGUID(g.SwitchGUID[s])
		return fabric.End{Node: id, Port: port}
	}
	link := func(c int32) fabric.LinkID {
		e := end(g.From[c], g.FromPort[c])
		return f.Nodes[e.Node].Ports[e.Port].Link
	}
	la, lb := link(a), link(b)
	out := f.Without(nil, func(id fabric.LinkID) bool { return id == la || id == lb })
	for _, c := range [2][2]int32{{a, b}, {b, a}} {
		from, to := end(g.From[c[0]], g.FromPort[c[0]]), end(g.To[c[1]], g.ToPort[c[1]])
		if _, err := out.Connect(from, to, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestGrids: complete meshes and tori have no odd cables; of damaged ones exactly the lost cables
// are missing.
func TestGrids(t *testing.T) {
	for i, formula := range []string{"torus(4x4x4,hosts=1)", "torus(8x8,hosts=2)", "mesh(5x6,hosts=1)", "torus(6x6x6,hosts=1)", "mesh(4x4x4,hosts=2)", "torus(5x5,hosts=1,width=3)"} {
		f := generated(t, formula)
		if r := Of(f, f.Compile(), nil); r.Pattern != formula[:len(r.Pattern)] || len(r.Cables) > 0 {
			t.Errorf("%s: pattern %s, %v", formula, r.Pattern, r.Cables)
		}
		for seed := range uint64(10) {
			f := generated(t, formula)
			gone, want := removed(f, rand.New(rand.NewPCG(seed, uint64(i))))
			f = f.Without(nil, func(id fabric.LinkID) bool { return gone[id] })
			if r := Of(f, f.Compile(), nil); !slices.Equal(pairsOf(r), want) {
				t.Errorf("%s: named %v, removed %v", formula, pairsOf(r), want)
			}
		}
	}
}
