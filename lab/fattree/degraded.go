package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/lab/chart"
	"weft/lab/plain"
	"weft/sim/flow"
)

// degradedBase is the tree of Paper IV: 1,296 links between levels.
const degradedBase = "racks648"

// failure names the parts that are taken down at random.
type failure string

const (
	anyLink     failure = "links"           // between two levels
	lowLink     failure = "links to leaves" // between rack switches and the middle
	highLink    failure = "links to roots"  // between the middle and the roots
	wholeSwitch failure = "switches"        // of the middle and the roots: 36 links each
)

// degrade takes n parts of a fabric down.
func degrade(f *fabric.Fabric, what failure, n int, rng *rand.Rand) *fabric.Fabric {
	f = f.Clone()
	level := gen.Levels(f)
	var links []fabric.LinkID
	for i := range f.Links {
		l := &f.Links[i]
		a, b := level[l.A.Node], level[l.B.Node]
		low, high := min(a, b), max(a, b)
		if low != gen.NoLevel && low != high && (what == anyLink || what == lowLink && low == 0 || what == highLink && low == 1) {
			links = append(links, fabric.LinkID(i))
		}
	}
	var switches []fabric.NodeID
	for id, l := range level {
		if l > 0 {
			switches = append(switches, fabric.NodeID(id))
		}
	}
	if what == wholeSwitch {
		rng.Shuffle(len(switches), func(i, j int) { switches[i], switches[j] = switches[j], switches[i] })
		for _, id := range switches[:n] {
			f.SetNodeDown(id, true)
		}
		return f
	}
	rng.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	for _, id := range links[:n] {
		f.SetLinkDown(id, true)
	}
	return f
}

// lashOfWeft spreads destinations over parallel links.
const lashOfWeft = "LASH of weft"

// degradedEngines lists the engines of Paper IV, and ours. MinHop is OpenSM's, that of the
// anomaly, and LASH takes the first port.
func degradedEngines() []lab.Candidate {
	spec := plain.MinHop(plain.ByLeaf)
	return []lab.Candidate{
		{Name: "EFT", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "ours", How: lab.Routing{Engine: "ftree"}},
		{Name: "DFSSSP", How: lab.Routing{Engine: "dfsssp", MaxVLs: 15}},
		{Name: "MinHop", How: lab.Routing{Engine: spec.Name, Spec: spec}},
		{Name: "minhop of weft", How: lab.Routing{Engine: "minhop"}},
		{Name: "LASH", How: firstPort()},
		{Name: lashOfWeft, How: lab.Routing{Engine: "lash,lean=true", MaxVLs: 15}},
	}
}

// metric measures the share of a link that a node of a routed tree gets: in order and
// independent, where there are two estimates.
type metric struct {
	name string
	of   func(ctx context.Context, s *lab.Setup, t *lab.Trial, seed uint64) (inOrder, independent float64)
}

var uniformTraffic = metric{"uniform traffic", func(ctx context.Context, _ *lab.Setup, t *lab.Trial, _ uint64) (float64, float64) {
	v := estimate(ctx, t)
	return v.inOrder.Hosts, v.independent.Hosts
}}

var randomRings = metric{"average of 30 random rings", func(ctx context.Context, s *lab.Setup, t *lab.Trial, seed uint64) (float64, float64) {
	r := ring(ctx, s, t, ringsOfPaper, seed)
	return r.Average, r.Average
}}

// estimates holds both over draws of failed parts.
type estimates struct{ inOrder, independent flow.Summary }

// degradation is a tree with so many failed parts under an engine.
type degradation struct {
	what   failure
	n      int
	engine string
}

// losses holds what was measured of degraded trees.
type losses map[degradation]estimates

// mean is the mean in order, and whether it was measured.
func (l losses) mean(what failure, n int, engine string) (float64, bool) {
	v, ok := l[degradation{what, n, engine}]
	return v.inOrder.Mean, ok
}

// independently returns the losses with the independent estimate in place of both.
func (l losses) independently() losses {
	out := losses{}
	for k, v := range l {
		out[k] = estimates{v.independent, v.independent}
	}
	return out
}

// drop is the part of its throughput that an engine loses, and whether it was run.
func (l losses) drop(what failure, n int, engine string) (float64, bool) {
	whole, ok1 := l.mean(what, 0, engine)
	now, ok2 := l.mean(what, n, engine)
	if !ok1 || !ok2 || whole == 0 {
		return 0, false
	}
	return 1 - now/whole, true
}

// measureDegraded measures engines on trees with parts failed.
func measureDegraded(ctx context.Context, s *lab.Setup, t *lab.Table, m metric, what failure, numbers []int, draws int, out losses) {
	whole := lab.Must(gen.Parse(degradedBase))
	engines := degradedEngines()
	for _, n := range numbers {
		row := fmt.Sprintf("%d %s", n, what)
		if !s.Want(row) {
			continue
		}
		many := draws
		if n == 0 {
			many = 1
		}
		low, high := make([][]float64, len(engines)), make([][]float64, len(engines))
		refused := make([][]string, len(engines))
		for i := range engines {
			low[i], high[i], refused[i] = make([]float64, many), make([]float64, many), make([]string, many)
		}
		alone := *s
		alone.Workers = 1
		s.Parallel(ctx, many*len(engines), func(k int) {
			draw, e := k/len(engines), k%len(engines)
			seed := s.SeedOf(fmt.Sprintf("%s %d", what, draw))
			// The same parts fail for every engine, and more where fewer did.
			g := degrade(whole, what, n, rand.New(rand.NewPCG(seed, 0))).Compile()
			trial := lab.Must(alone.Route(ctx, g, engines[e].How))
			if refused[e][draw] = trial.Refused; trial.Refused == "" {
				low[e][draw], high[e][draw] = m.of(ctx, &alone, trial, seed)
			}
		})
		for i, e := range engines {
			if at := slices.IndexFunc(refused[i], func(why string) bool { return why != "" }); at >= 0 { // a mean of the others is of other trees
				why := refused[i][at]
				t.Add(string(what), fmt.Sprint(n), e.Name, fmt.Sprint(many), "-", "-", "-", "-", why)
				continue
			}
			sum := estimates{flow.Summarise(low[i]), flow.Summarise(high[i])}
			out[degradation{what, n, e.Name}] = sum
			t.Add(string(what), fmt.Sprint(n), e.Name, fmt.Sprint(many), lab.Mean(sum.inOrder), fmt.Sprintf("%.4f", sum.inOrder.Min), fmt.Sprintf("%.4f", sum.inOrder.Max), lab.Mean(sum.independent), "")
		}
	}
}

// draw draws throughput against failed parts.
func (l losses) draw(name, title string, what failure, numbers []int) chart.Chart {
	c := chart.Chart{Name: name, Title: title, Kind: chart.Lines, X: chart.Axis{Label: "failed " + string(what)}, Y: chart.Axis{Label: "throughput per node (% of capacity)"}}
	c.Fill(lab.Names(degradedEngines()), make([]string, len(numbers)), func(engine string, i int) (chart.Point, bool) {
		v, ok := l.mean(what, numbers[i], engine)
		return chart.Point{X: float64(numbers[i]), Y: 100 * v}, ok
	})
	return c
}
