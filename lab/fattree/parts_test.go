package fattree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/lab/plain"
	"weft/sim/flow"
)

// TestFair holds progressive filling against the definition of max-min fairness: no link
// carries more than it can, and every demand has what it asks for or a full link on
// which nobody has a higher rate.
func TestFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		links := rapid.IntRange(1, 6).Draw(r, "links")
		d := newDemands()
		for range rapid.IntRange(1, 8).Draw(r, "demands") {
			for l := range links {
				if rapid.Bool().Draw(r, "uses") {
					d.use(int32(l), float64(rapid.IntRange(1, 8).Draw(r, "amount"))/4)
				}
			}
			d.close(float64(rapid.IntRange(1, 4).Draw(r, "most")) / 4)
		}
		rate := d.fair(links)
		const eps = 1e-6
		load, highest := make([]float64, links), make([]float64, links)
		each := func(i int, do func(link int32, amount float64)) {
			for k := d.start[i]; k < d.start[i+1]; k++ {
				do(d.link[k], d.amount[k])
			}
		}
		for i := range rate {
			each(i, func(l int32, amount float64) {
				load[l] += rate[i] * amount
				highest[l] = max(highest[l], rate[i])
			})
		}
		for i := range rate {
			content := rate[i] >= d.most[i]-eps
			each(i, func(l int32, _ float64) {
				content = content || load[l] >= 1-eps && rate[i] >= highest[l]-eps
			})
			if !content || rate[i] > d.most[i]+eps {
				r.Fatalf("demand %d has rate %g of %g, and no full link to blame", i, rate[i], d.most[i])
			}
		}
		for l, v := range load {
			if v > 1+eps {
				r.Fatalf("link %d carries %g", l, v)
			}
		}
	})
}

// TestWalker: the paths that the estimators walk are those that sim/flow counts.
func TestWalker(t *testing.T) {
	s := &lab.Setup{Workers: 2}
	for _, formula := range []string{"fat648|hosts(even=5,odd=1)", "racks216", "racks216|fail(links=20,seed=2)"} {
		g, err := lab.Graph(formula)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := s.Route(t.Context(), g, lab.Routing{Engine: "ftree"})
		if err != nil {
			t.Fatal(err)
		}
		net, err := flow.New(t.Context(), g, trial.Plan, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := net.AllPairs(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		w := &walker{g: g, p: trial.Plan}
		loads := make([]int64, g.NumChannels)
		pairs := int64(0)
		for sw := range int32(g.NumSwitches) {
			for _, to := range w.targets(&sender{at: sw, n: float64(len(g.HostsOf(sw)))}) {
				pairs += int64(to.pairs)
				for _, c := range w.follow(sw, to.end) {
					loads[c] += int64(to.pairs)
				}
			}
		}
		if pairs != want.Pairs || !slices.Equal(loads, want.Loads) {
			t.Errorf("%s: %d pairs, want %d; or other loads", formula, pairs, want.Pairs)
		}
	}
}

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
	d, err := inOrder(t.Context(), trial, allHosts)
	if err != nil {
		t.Fatal(err)
	}
	if want := 647.0 / 18 / 630; d.hosts < want-1e-9 || d.hosts > want+1e-9 {
		t.Errorf("in order: %g, want %g", d.hosts, want)
	}
	f, err := independent(t.Context(), trial, allHosts)
	if err != nil {
		t.Fatal(err)
	}
	// 17 of 647 targets are on the leaf and get all; the others share one link.
	if want := (17.0 + 647.0/18) / 647; f.hosts < want-1e-9 || f.hosts > want+1e-9 {
		t.Errorf("independent: %g, want %g", f.hosts, want)
	}
	both, err := inOrder(t.Context(), trial, load{switches: 0.125})
	if err != nil {
		t.Fatal(err)
	}
	if both.switches <= 0 || both.switches > 0.125 {
		t.Errorf("switches get %g of a link", both.switches)
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
		whole, err := newTree(c.base)
		if err != nil {
			t.Fatal(err)
		}
		g, err := replugged(c.base, c.plug)
		if err != nil {
			t.Fatal(err)
		}
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
		g, err := renumbered(f, o, 5)
		if err != nil {
			t.Fatal(err)
		}
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

func TestDoubling(t *testing.T) {
	g, err := lab.Graph("racks216|ports(2)")
	if err != nil {
		t.Fatal(err)
	}
	nodes := pairsOfPorts(g)
	out := doubling(g, nodes)
	if len(nodes) != 108 || len(out) != 6 || out[0].Len() != 2*64 {
		t.Fatalf("%d nodes, %d rounds of %d flows", len(nodes), len(out), out[0].Len())
	}
	for i := range out[5].Src {
		if g.EndNum[out[5].Src[i]] != g.EndNum[out[5].Dst[i]] {
			t.Error("a port sends to another port number")
		}
	}
}

func TestOvertakes(t *testing.T) {
	at := func(a, b float64) map[string]estimates {
		return map[string]estimates{"A": {inOrder: flow.Summary{Mean: a}}, "B": {inOrder: flow.Summary{Mean: b}}}
	}
	l := losses{anyLink: {0: at(0.8, 1), 10: at(0.7, 0.6), 20: at(0.6, 0.65), 30: at(0.5, 0.4), 40: at(0.5, 0.3)}}
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
