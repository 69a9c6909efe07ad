package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/chart"
	"weft/lab"
	"weft/lab/opensm"
	"weft/sim/flow"
)

// degradedBase is the tree of Paper IV: 1,296 links between levels.
const degradedBase = "racks648"

// failure names the kind of parts that fail at random.
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

// Readings of Paper IV.
const (
	earlyIV  = "first half millisecond"
	inTurn   = "LIDs in turn"
	atRandom = "LIDs at random"
)

// orderOf returns the order of assigning LIDs to hosts, which decides the balance of OpenSM's
// MinHop.
func orderOf(s *lab.Setup) opensm.Order {
	switch {
	case s.Reads(inTurn):
		return opensm.InTurn
	case s.Reads(atRandom):
		return opensm.AtRandom
	}
	return opensm.ByLeaf
}

// enginesIV returns the engines of Paper IV under the active readings. MinHop is OpenSM's, by table
// entries, and LASH takes the first port.
func enginesIV(s *lab.Setup) []lab.Candidate {
	eft, minhop := "ftree,balance=zahavi", opensm.MinHop(orderOf(s))
	if s.Reads(firstWay) {
		eft = "ftree,balance=eft"
	}
	return []lab.Candidate{
		{Name: "fat-tree", How: lab.Routing{Engine: eft}},
		{Name: "DFSSSP", How: lab.Routing{Engine: letterDFSSSP, MaxVLs: 15}},
		{Name: "MinHop", How: lab.Routing{Engine: minhop.Name, Spec: minhop, Seed: s.Seed}},
		{Name: "LASH", How: firstPort()},
	}
}

// enginesOfWeft are not in the paper. Weft's LASH spreads destinations over parallel links.
var enginesOfWeft = []lab.Candidate{
	{Name: "ours", How: lab.Routing{Engine: "ftree"}},
	{Name: "minhop of weft", How: lab.Routing{Engine: "minhop"}},
	{Name: "LASH of weft", How: lab.Routing{Engine: "lash,lean=true", MaxVLs: 15}},
}

// metric measures the share of its link that a node gets on a routed tree.
type metric struct {
	name string
	of   func(ctx context.Context, s *lab.Setup, t *lab.Trial, seed uint64) share
}

var uniformTraffic = metric{"uniform traffic", func(ctx context.Context, _ *lab.Setup, t *lab.Trial, seed uint64) share {
	return inPaper4.run(ctx, t, 1, seed)
}}

// randomRings is the mean of some random rings, the same rings in every measurement.
var randomRings = metric{"average of random rings", func(ctx context.Context, s *lab.Setup, t *lab.Trial, seed uint64) share {
	sum, rings := 0.0, lab.Pick(s, 2, 4)
	for k := range rings {
		sum += flow.Summarise(ring(ctx, t, randomRing(t.Graph, seed, k), inPaper4.mbps, ringBytes)).Mean
	}
	return share{sum / float64(rings), sum / float64(rings)}
}}

// degradation is a tree with a number of failed parts under an engine.
type degradation struct {
	what   failure
	n      int
	engine string
}

// shareLeft holds a node's share of its link on degraded trees, in percent.
type shareLeft map[degradation]float64

// paperIV caches simulations: figures share trees, and a reading changes few runs.
type paperIV struct{ lab.Cache[outcome] }

// outcome is a share, or the reason for having none.
type outcome struct {
	share
	refused string
}

// degradedRun describes a measurement on trees with failed parts.
type degradedRun struct {
	*paperIV
	metric  metric
	what    failure
	numbers []int
	engines []lab.Candidate
}

// measure measures engines on trees with failed parts, drawn anew for each number.
func (d *degradedRun) measure(ctx context.Context, s *lab.Setup, t *lab.Table, out shareLeft) {
	whole := lab.Must(gen.Parse(degradedBase))
	for _, n := range d.numbers {
		row := fmt.Sprintf("%d %s", n, d.what)
		if !s.Want(row) {
			continue
		}
		seed := s.SeedOf(row)
		if n == 0 {
			seed = s.SeedOf("0")
		}
		g := degrade(whole, d.what, n, rand.New(rand.NewPCG(seed, 0))).Compile()
		got := make([]outcome, len(d.engines))
		s.Parallel(ctx, len(got), func(k int) {
			e := &d.engines[k]
			name := fmt.Sprint(d.metric.name, e.How.Engine, orderOf(s), seed)
			if e.How.Spec == nil {
				name = fmt.Sprint(d.metric.name, e.How.Engine, seed)
			}
			got[k] = d.Get(name, func() outcome { return d.metric.on(ctx, s, g, e.How, seed) })
		})
		for k, e := range d.engines {
			if got[k].refused != "" {
				t.Add(string(d.what), fmt.Sprint(n), e.Name, "-", "-", got[k].refused)
				continue
			}
			v := got[k].steady
			if s.Reads(earlyIV) {
				v = got[k].first
			}
			out[degradation{d.what, n, e.Name}] = 100 * v
			t.Add(string(d.what), fmt.Sprint(n), e.Name, percent(got[k].steady), percent(got[k].first), "")
		}
	}
}

// on routes a tree on one core and measures.
func (m *metric) on(ctx context.Context, s *lab.Setup, g *fabric.Graph, how lab.Routing, seed uint64) outcome {
	alone := *s
	alone.Workers = 1
	trial := lab.Must(alone.Route(ctx, g, how))
	if trial.Refused != "" {
		return outcome{refused: trial.Refused}
	}
	return outcome{share: m.of(ctx, &alone, trial, seed)}
}

// lost returns the throughput that an engine loses, in percent of the undamaged tree's.
func (l shareLeft) lost(what failure, n int, engine string) (percent float64, ok bool) {
	whole, ok1 := l[degradation{what, 0, engine}]
	now, ok2 := l[degradation{what, n, engine}]
	if !ok1 || !ok2 || whole == 0 {
		return 0, false
	}
	return 100 * (1 - now/whole), true
}

// ahead returns the lead of one engine over another at some number of failed parts, in points.
func (l shareLeft) ahead(what failure, n int, engine, other string) (points float64, ok bool) {
	x, ok1 := l[degradation{what, n, engine}]
	y, ok2 := l[degradation{what, n, other}]
	return x - y, ok1 && ok2
}

// rise returns the gain of an engine from one number of failed parts to another, in points.
func (l shareLeft) rise(what failure, engine string, from, to int) (points float64, ok bool) {
	x, ok1 := l[degradation{what, from, engine}]
	y, ok2 := l[degradation{what, to, engine}]
	return y - x, ok1 && ok2
}

// draw draws throughput against failed parts.
func (l shareLeft) draw(name, title string, what failure, numbers []int, engines []lab.Candidate) chart.Chart {
	c := chart.Chart{Name: name, Title: title, Kind: chart.Lines, X: chart.Axis{Label: "failed " + string(what)}, Y: chart.Axis{Label: "throughput per node (% of capacity)"}}
	c.Fill(lab.Names(engines), make([]string, len(numbers)), func(engine string, i int) (chart.Point, bool) {
		v, ok := l[degradation{what, numbers[i], engine}]
		return chart.Point{X: float64(numbers[i]), Y: v}, ok
	})
	return c
}
