package fattree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/sim/flow"
)

// near says whether a share differs from another by at most so much.
func near(ours, paper, most float64) bool { return math.Abs(ours-paper) <= most }

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
	}{{"racks648", oneByOne, 4, 12}} {
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
	for _, o := range []guidOrder{leavesFirst, rootsFirst, shuffled} {
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
	cases := fillings("fat648", 18, []int{1, 17}, []int{9})
	want := []filling{
		{"case 1", []distribution{{"fat648", 1, 1}, {"fat648", 17, 1}, {"fat648", 18, 1}, {"fat648", 18, 9}, {"fat648", 18, 18}}},
		{"case 2", []distribution{{"fat648", 1, 1}, {"fat648", 17, 1}, {"fat648", 17, 9}, {"fat648", 18, 18}}},
	}
	for i, c := range cases {
		if c.name != want[i].name || !slices.Equal(c.distributions, want[i].distributions) {
			t.Errorf("%v, want %v", c, want[i])
		}
	}
}

func TestLeft(t *testing.T) {
	l := shareLeft{}
	for n, v := range map[int][2]float64{0: {80, 100}, 10: {70, 60}, 20: {60, 65}} {
		l[degradation{anyLink, n, "A"}], l[degradation{anyLink, n, "B"}] = v[0], v[1]
	}
	if v, ok := l.lost(anyLink, 20, "B"); !ok || v != 35 {
		t.Errorf("B loses %g", v)
	}
	if v, ok := l.ahead(anyLink, 20, "B", "A"); !ok || v != 5 {
		t.Errorf("B is %g ahead", v)
	}
	if v, ok := l.rise(anyLink, "B", 10, 20); !ok || v != 5 {
		t.Errorf("B rises by %g", v)
	}
	if _, ok := l.ahead(anyLink, 30, "A", "B"); ok {
		t.Error("30 was not measured")
	}
}

// TestComparisons: each number decides a claim, half a point is no difference, and an unmeasured
// number is not judged.
func TestComparisons(t *testing.T) {
	l := shareLeft{}
	set := func(what failure, engine string, shares map[int]float64) {
		for n, v := range shares {
			l[degradation{what, n, engine}] = v
		}
	}
	set(anyLink, "fat-tree", map[int]float64{0: 90, 1: 50, 34: 45, 259: 30})
	set(anyLink, "DFSSSP", map[int]float64{0: 78, 1: 60, 34: 60, 259: 30.4})
	set(anyLink, "flat", map[int]float64{0: 1.5, 1: 1.5, 34: 1.6, 259: 1.4})
	set(wholeSwitch, "MinHop", map[int]float64{1: 20, 2: 30, 3: 20.4, 4: 10, 5: 10})
	numbers := []int{0, 1, 34, 259}
	crossing, spike := l.crossing(numbers, 34, ""), l.spike("")
	for _, c := range []struct {
		name  string
		claim lab.Claim
		want  lab.Verdict
		of    string
	}{
		{"12 points ahead with none do not make up for 10 behind with one", crossing[0], lab.Differs, "1 failed"},
		{"0.4 points are not ahead", crossing[1], lab.Differs, "259 failed"},
		{"less with each number", l.falls("fat-tree", numbers), lab.Holds, ""},
		{"what stays does not fall", l.falls("flat", numbers), lab.Differs, "0 to 259, less"},
		{"3 is no more than 1", spike[0], lab.Differs, "3 against 1"},
		{"2 and 3 are more than 4 and 5", spike[1], lab.Holds, ""},
		{"not measured", l.notBehind(wholeSwitch, "", "", []int{1}), lab.NotRun, ""},
		{"rings with a higher spike", l.lowerSpike(shareLeft{
			{wholeSwitch, 1, "MinHop"}: 10, {wholeSwitch, 2, "MinHop"}: 40, {wholeSwitch, 3, "MinHop"}: 40, {wholeSwitch, 4, "MinHop"}: 10, {wholeSwitch, 5, "MinHop"}: 10,
		}, ""), lab.Holds, ""},
	} {
		if c.claim.Verdict != c.want || c.of != "" && c.claim.Range.Of != c.of {
			t.Errorf("%s: %s, %+v", c.name, c.claim.Verdict, c.claim.Range)
		}
	}
}

// TestRing: on one switch the nodes of a ring do not disturb each other, and all get their links'
// rate minus headers.
func TestRing(t *testing.T) {
	g, err := lab.Graph("fullmesh(1,hosts=6)")
	if err != nil {
		t.Fatal(err)
	}
	trial, err := (&lab.Setup{Workers: 1}).Route(t.Context(), g, lab.Routing{Engine: "minhop"})
	if err != nil {
		t.Fatal(err)
	}
	for i, share := range ring(t.Context(), trial, randomRing(g, 1, 1), 8_000, 1<<20) {
		if share < .98 || share > 2048./2074 {
			t.Errorf("node %d gets %.4f of its link", i, share)
		}
	}
}

// TestLongerRuns: rings with longer messages, and uniform traffic measured for longer, agree with
// the papers' figures within a point.
func TestLongerRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short") // 324 hosts take long with the race detector
	}
	p := distribution{"fat648", 9, 9}
	g, err := lab.Graph(p.formula())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range balances(&lab.Setup{})[:2] {
		trial, err := (&lab.Setup{Workers: 2}).Route(t.Context(), g, b.How)
		if err != nil {
			t.Fatal(err)
		}
		order := randomRing(g, 1, 1)
		short, long := flow.Summarise(ring(t.Context(), trial, order, inPaper1.mbps, ringBytes)), flow.Summarise(ring(t.Context(), trial, order, inPaper1.mbps, 4*ringBytes))
		if !near(short.Mean, long.Mean, .01) {
			t.Errorf("%s: a ring gives %.4f, with longer messages %.4f", b.Name, short.Mean, long.Mean)
		}
		twice := inPaper1
		twice.warmup, twice.window = 2*twice.warmup, 2*twice.window
		if a, b := inPaper1.run(t.Context(), trial, 1, 1), twice.run(t.Context(), trial, 1, 1); !near(a.steady, b.steady, .01) {
			t.Errorf("uniform traffic gives %.4f, measured for longer %.4f", a.steady, b.steady)
		}
		if half := inPaper1.run(t.Context(), trial, .5, 1).steady; !near(half, .5, .01) {
			t.Errorf("at half load %.4f arrive", half)
		}
	}
}
