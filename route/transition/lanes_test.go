package transition_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/planner"
	"weft/route"
	"weft/route/routetest"
	"weft/route/transition"
)

// TestDropLanes: an SL has its VL where both Plans have the same one, and VL 15 otherwise.
func TestDropLanes(t *testing.T) {
	dropped, kept := 0, 0
	draws.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("torus(5x3,hosts=1)")
		if err != nil {
			t.Fatal(err)
		}
		old, before := routed(t, f, rapid.SampledFrom([]string{"dor", "dfsssp", "lash"}).Draw(t, "engine"), nil)
		f.SetLinkDown(fabric.LinkID(rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")), true)
		g, after := routed(t, f, rapid.SampledFrom([]string{"nue", "dfsssp", "lash"}).Draw(t, "engine then"), planner.Keep(before, old))
		if before.SL2VL == nil || after.SL2VL == nil || g.NumSwitches != old.NumSwitches || g.NumHosts != old.NumHosts {
			return
		}
		less := transition.DropLanes(old, before, g, after)
		if err := less.Fits(g); err != nil {
			t.Fatal(err)
		}
		same := func(was, now, less *route.VLTable) {
			for sl := range less {
				want := now[sl]
				if kept++; was[sl] != want {
					want = route.DropVL
					dropped++
				}
				if less[sl] != want {
					t.Fatalf("SL %d has VL %d, and then %d; between %d", sl, was[sl], now[sl], less[sl])
				}
			}
		}
		for h := range int32(g.NumHosts) {
			same(before.SL2VL.HostTable(h), after.SL2VL.HostTable(h), less.HostTable(h))
		}
		for s := range int32(g.NumSwitches) {
			for in := range uint8(g.SwitchPorts[s] + 1) {
				for out := range uint8(g.SwitchPorts[s] + 1) {
					same(before.SL2VL.Table(old, s, in, out), after.SL2VL.Table(g, s, in, out), less.Table(g, s, in, out))
				}
			}
		}
	}, func() string {
		if dropped == 0 || dropped == kept {
			return fmt.Sprintf("%d of %d dropped", dropped, kept)
		}
		return ""
	})
}

// TestDropLanesOfReplaced: a switch that has another number of ports is another one, which has no
// old lanes.
func TestDropLanesOfReplaced(t *testing.T) {
	old, g := routetest.Line(t, 2, 2).Compile(), routetest.Line(t, 2, 3).Compile()
	before := &route.Plan{SL2VL: route.UniformVL(old, route.VLTable{})}
	after := &route.Plan{SL2VL: route.UniformVL(g, route.VLTable{3: 1})}
	m := transition.DropLanes(old, before, g, after)
	for s := range int32(g.NumSwitches) {
		if table := m.Table(g, s, 1, 2); *table != (route.VLTable{3: 1}) {
			t.Errorf("switch %d has table %v", s, table)
		}
	}
	if table := m.HostTable(0); table[3] != route.DropVL || table[0] != 0 {
		t.Errorf("a host that stays has table %v", table)
	}
}
