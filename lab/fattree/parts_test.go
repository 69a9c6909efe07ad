package fattree

import (
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/lab/plain"
	"weft/sim/flow"
)

// TestEstimators on what can be worked out by hand: LASH's one root gives a leaf of 18
// nodes one link for 630 of its 647 targets.
func TestEstimators(t *testing.T) {
	g, err := lab.Graph("fat648")
	if err != nil {
		t.Fatal(err)
	}
	s := &lab.Setup{Workers: 2}
	spec := plain.FirstPort()
	trial, err := s.Route(t.Context(), g, lab.Routing{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	d, err := flow.InOrder(t.Context(), g, trial.Plan, allHosts)
	if err != nil {
		t.Fatal(err)
	}
	if want := 647.0 / 18 / 630; d.Hosts < want-1e-9 || d.Hosts > want+1e-9 {
		t.Errorf("in order: %g, want %g", d.Hosts, want)
	}
	f, err := flow.Independent(t.Context(), g, trial.Plan, allHosts)
	if err != nil {
		t.Fatal(err)
	}
	// 17 of 647 targets are on the leaf and get all; the others share one link.
	if want := (17.0 + 647.0/18) / 647; f.Hosts < want-1e-9 || f.Hosts > want+1e-9 {
		t.Errorf("independent: %g, want %g", f.Hosts, want)
	}
	both, err := flow.InOrder(t.Context(), g, trial.Plan, flow.Uniform{Switches: 0.125})
	if err != nil {
		t.Fatal(err)
	}
	if both.Switches <= 0 || both.Switches > 0.125 {
		t.Errorf("switches get %g of a link", both.Switches)
	}
}

func TestDegrade(t *testing.T) {
	whole, err := gen.Parse(degradedBase)
	if err != nil {
		t.Fatal(err)
	}
	channels := whole.Compile().NumChannels
	for _, c := range []struct {
		what  failure
		n     int
		links int
	}{{anyLink, 0, 0}, {anyLink, 1296, 1296}, {lowLink, 648, 648}, {highLink, 648, 648}, {anyLink, 85, 85}} {
		f := degrade(whole, c.what, c.n, rand.New(rand.NewPCG(1, 0)))
		if got := (channels - f.Compile().NumChannels) / 2; got != c.links {
			t.Errorf("%d %s: %d links are down", c.n, c.what, got)
		}
	}
	f := degrade(whole, wholeSwitch, 7, rand.New(rand.NewPCG(1, 0))).Compile()
	if f.NumSwitches != 108-7 || f.NumHosts != 648 {
		t.Errorf("7 switches failed: %d switches, %d hosts", f.NumSwitches, f.NumHosts)
	}
}

// TestReplugged: with cables plugged elsewhere the switches have as many as before, on
// other neighbours.
func TestReplugged(t *testing.T) {
	for _, c := range []struct {
		base   string
		plug   plugging
		before int
		after  int // neighbours above the first leaf
	}{{"racks648", oneByOne, 4, 12}, {"ranger", oneLeafACore, 4, 2}} {
		whole := newTree(c.base)
		g := replugged(c.base, c.plug)
		above := func(g *fabric.Graph) int {
			seen := map[int32]bool{}
			for _, ch := range g.OutOf(0) {
				if to := g.To[ch]; whole.level[to] == 1 {
					seen[to] = true
				}
			}
			return len(seen)
		}
		if g.NumChannels != whole.graph.NumChannels || above(whole.graph) != c.before || above(g) != c.after {
			t.Errorf("%s: %d channels of %d, %d neighbours above, were %d", c.base, g.NumChannels, whole.graph.NumChannels, above(g), above(whole.graph))
		}
	}
}

func TestRenumbered(t *testing.T) {
	f, err := gen.Parse("racks216")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range guidOrders {
		g := renumbered(f, o, 5)
		if g.Compile().NumChannels != f.Compile().NumChannels || g.Compile().NumHosts != 216 {
			t.Errorf("%s: another network", o)
		}
		level := gen.Levels(g)
		first, _ := g.NodeByGUID(g.Compile().SwitchGUID[0])
		if top := level[first] == 2; top != (o == rootsFirst) && o != shuffled {
			t.Errorf("%s: the first switch is on level %d", o, level[first])
		}
	}
}

func TestBorders(t *testing.T) {
	cases := borders("fat648", 18, 1)
	if len(cases[0].spots) != 17+18 || len(cases[1].spots) != 17+18 {
		t.Errorf("%d and %d spots, want 35 each", len(cases[0].spots), len(cases[1].spots))
	}
	for _, c := range cases {
		if c.spots[0] != (spot{"fat648", 1, 1}) || c.spots[16] != (spot{"fat648", 17, 1}) || c.spots[34] != (spot{"fat648", 18, 18}) {
			t.Errorf("%s: %v", c.name, c.spots)
		}
	}
}

func TestOvertakes(t *testing.T) {
	l := losses{}
	for n, means := range map[int][2]float64{0: {0.8, 1}, 10: {0.7, 0.6}, 20: {0.6, 0.65}, 30: {0.5, 0.4}, 40: {0.5, 0.3}} {
		l[degradation{anyLink, n, "A"}] = estimates{inOrder: flow.Summary{Mean: means[0]}}
		l[degradation{anyLink, n, "B"}] = estimates{inOrder: flow.Summary{Mean: means[1]}}
	}
	if n, found := l.overtakes(anyLink, []int{0, 10, 20, 30, 40}, "A", "B"); !found || n != 30 {
		t.Errorf("A is ahead for good from %d on (%v), want 30", n, found)
	}
	if _, found := l.overtakes(anyLink, []int{0, 20}, "A", "B"); found {
		t.Error("A never is ahead of B here")
	}
	if v, ok := l.drop(anyLink, 40, "B"); !ok || v < 0.699 || v > 0.701 {
		t.Errorf("B loses %g", v)
	}
}
