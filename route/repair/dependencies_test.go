package repair

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
)

// TestLookUp: what is looked up one by one, with several lanes, is what reading all entries finds.
func TestLookUp(t *testing.T) {
	several := 0
	for _, p := range []struct{ formula, engine string }{
		{"torus(4x4,hosts=2)", "lash"},
		{"torus(4x4,hosts=2)", "dfsssp"},
		{"kautz(2,3,hosts=24)", "dfsssp"},
		{"kautz(2,3,hosts=24)", "nue"},
		{"random(switches=16,hosts=32,links=30,seed=2)", "lash"},
		{"dragonfly(4,2,2)", "dfsssp"},
	} {
		f, err := gen.Parse(p.formula)
		if err != nil {
			t.Fatal(err)
		}
		old := f.Compile()
		plan := routed(t, old, p.engine)
		f.SetLinkDown(betweenSwitches(f, 5), true)
		lazy, eager := bothDependencies(t, old, plan, f.Compile())
		if lazy.l.n == 1 {
			continue
		}
		if several++; !lazy.lazy() {
			t.Fatalf("%s by %s: not looked up one by one", p.formula, p.engine)
		}
		if err := eager.arrangeAll(t.Context(), 1); err != nil || eager.cyclic {
			t.Fatalf("%s by %s: a cycle, or %v", p.formula, p.engine, err)
		}
		w, found := lazy.l.layer, 0
		for layer, order := range eager.orders {
			first := int32(layer * w.NumChannels)
			for c := range int32(w.NumChannels) {
				for k, next := range w.OutOf(w.To[c]) {
					want := order.Has(c, int32(k))
					if got := lazy.has(first+c, first+next); got != want {
						t.Fatalf("%s by %s: layer %d, channel %d to %d: %v, want %v", p.formula, p.engine, layer, c, next, got, want)
					}
					if want {
						found++
					}
				}
			}
		}
		if found == 0 {
			t.Errorf("%s by %s has no dependencies", p.formula, p.engine)
		}
	}
	if several < 4 {
		t.Errorf("only %d Plans have several lanes", several)
	}
}

// TestReadOnce: LIDs whose packets go like those to another one are left out, and nothing is lost
// by that, also where some entries are wrong.
func TestReadOnce(t *testing.T) {
	for _, c := range []struct{ formula, engine string }{
		{"torus(4x4,hosts=4)", "lash"}, {"rlft(8,2)", "updn"}, {"random(switches=16,hosts=64,links=30,seed=2)", "dfsssp"},
	} {
		f, err := gen.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		right := routed(t, g, c.engine)
		rapid.Check(t, func(rt *rapid.T) {
			plan := *right
			plan.Tables = right.Tables.Clone()
			for range rapid.IntRange(0, 20).Draw(rt, "wrong") {
				end := rapid.Int32Range(0, int32(g.NumHosts)-1).Draw(rt, "end")
				s := rapid.SampledFrom([]int32{g.EndSwitch[end], int32(rapid.IntRange(0, g.NumSwitches-1).Draw(rt, "switch"))}).Draw(rt, "where")
				plan.Tables.Set(s, plan.Ends.Base[end], uint8(rapid.Int32Range(1, g.SwitchPorts[s]).Draw(rt, "port")))
			}
			_, d := bothDependencies(t, g, &plan, g)
			all, left := newReader(d), 0
			for lid := range d.b.owner {
				if d.b.same[lid] {
					all.readColumn(lid, nil)
				}
			}
			got, err := d.read(t.Context(), 2, false)
			if err != nil || !slices.EqualFunc(got.edges, all.edges, slices.Equal) {
				rt.Fatalf("%s by %s: edges differ, or %v", c.formula, c.engine, err)
			}
			for _, lids := range d.lidsBySwitch() {
				for i, lid := range lids {
					if slices.ContainsFunc(lids[:i], func(other int) bool { return d.alike(lid, other) }) {
						left++
					}
				}
			}
			if c.engine == "lash" && left == 0 {
				rt.Errorf("%s by %s: every LID was read", c.formula, c.engine)
			}
		})
	}
}

// TestLayers: there is a layer for each VL where packets keep theirs, and else one for all. A pair
// names one channel and VL, and its reverse stands beside it.
func TestLayers(t *testing.T) {
	for _, p := range []struct {
		formula, engine string
		stay            bool
	}{
		{"torus(4x4,hosts=2)", "lash", true},
		{"kautz(2,3,hosts=24)", "nue", true},
		{"torus(5x5,hosts=1)", "torus", false},
		{"rlft(4,2)", "ftree", true},
	} {
		f, err := gen.Parse(p.formula)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		plan := routed(t, g, p.engine)
		l := newLanes(g, plan, plan.Ends.ByLID())
		if want := map[bool]int{true: l.n, false: 1}[p.stay]; l.stay != p.stay || l.layers() != want {
			t.Errorf("%s by %s: %d VLs, %d layers", p.formula, p.engine, l.n, l.layers())
		}
		seen := map[int32]bool{}
		for c := range int32(g.NumChannels) {
			for vl := range int32(l.n) {
				pair := l.pair(c, vl)
				seen[pair] = true
				layer, there := l.layerOf(pair)
				c1, vl1 := l.channelOf(pair)
				if c1 != c || int32(vl1) != vl || l.pair(c^1, vl) != pair^1 || int(layer) >= l.layers() ||
					p.stay && (there != c || layer != vl) || l.layer.From[there] != g.From[c] {
					t.Fatalf("%s by %s: channel %d, VL %d: pair %d, layer %d", p.formula, p.engine, c, vl, pair, layer)
				}
			}
		}
		if len(seen) != g.NumChannels*l.n || len(seen) != l.layer.NumChannels*l.layers() {
			t.Errorf("%s by %s: %d pairs of %d", p.formula, p.engine, len(seen), g.NumChannels*l.n)
		}
	}
}

// bothDependencies makes the dependencies of a Plan on a Graph that has changed: looked up one by
// one if that is possible, and to be read.
func bothDependencies(t *testing.T, old *fabric.Graph, plan *route.Plan, g *fabric.Graph) (lazy, eager *dependencies) {
	t.Helper()
	held := route.Hold(old, plan, g)
	ends, err := assignLIDs(g, held)
	if err != nil {
		t.Fatal(err)
	}
	b := bind(g, &Request{Old: old, Plan: plan, Held: held}, ends)
	now, err := b.newPlan(held)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := b.losses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	l := newLanes(g, now, b.owner)
	lazy, eager = newDependencies(b, l, lost), newDependencies(b, l, lost)
	eager.looked = nil
	return lazy, eager
}

// TestMovedClasses: where hosts have moved to other switches, their SLs start where none did, and
// all entries are read.
func TestMovedClasses(t *testing.T) {
	f, err := gen.Parse("torus(4x4,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	old := f.Compile()
	plan := routed(t, old, "lash")
	var hosts []int
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			hosts = append(hosts, i)
		}
	}
	if lazy, _ := bothDependencies(t, old, plan, f.Compile()); lazy.l.n == 1 || !lazy.lazy() {
		t.Fatalf("%d lanes, looked up one by one: %v", lazy.l.n, lazy.lazy())
	}
	a, b := &f.Nodes[hosts[0]], &f.Nodes[hosts[5]]
	a.GUID, b.GUID = b.GUID, a.GUID
	g := f.Compile()
	if slices.Equal(g.EndSwitch, old.EndSwitch) {
		t.Fatal("no host has moved")
	}
	if lazy, _ := bothDependencies(t, old, plan, g); lazy.lazy() {
		t.Error("dependencies are looked up one by one though hosts have moved")
	}
}
