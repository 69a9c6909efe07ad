package fattree

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// Readings of Paper VI.
const (
	inOrder      = "nodes in order of leaves"
	longMessages = "messages of 16 KB"
	oneQueue     = "one queue a buffer"
	printedAlone = "algorithms 2 to 4 alone"
)

// setting holds run parameters that Paper VI leaves open.
type setting struct {
	inPlace  bool  // nodes in order of leaves, instead of at random
	bytes    int64 // of every message; 0: from 84 to 2,048
	oneQueue bool  // in each input buffer, instead of one for each output
}

// settingVI returns the setting under the active readings.
func settingVI(s *lab.Setup) setting {
	how := setting{inPlace: s.Reads(inOrder), oneQueue: s.Reads(oneQueue)}
	if s.Reads(longMessages) {
		how.bytes = 16 << 10
	}
	return how
}

// targetsOf makes a run of a pattern: the sending ports, and a function for a port's next target.
// Nodes or ports are in order of leaves, or at random if order is not nil.
type targetsOf func(g *fabric.Graph, order *rand.PCG) (ports []int32, next func(port int32) int32)

// window is the measured time of a run.
const window = 250 * packet.Microsecond

// run simulates a pattern, and returns a port's mean receive rate in MB/s.
func (of targetsOf) run(ctx context.Context, trial *lab.Trial, how setting, seed uint64) float64 {
	g := lab.WithRates(trial.Graph, dataOfDDR, dataOfDDR)
	order := rand.NewPCG(seed, 0)
	if how.inPlace {
		order = nil
	}
	ports, next := of(g, order)
	sizes := make([]*rand.Rand, g.NumHosts)
	for port := range sizes {
		sizes[port] = rand.New(rand.NewPCG(seed, uint64(port)+1))
	}
	w := &senders{ports: ports, next: func(port int32) (int32, int64) { return next(port), drawLength(sizes[port], how.bytes) }}
	c := packet.Default()
	c.OneQueue = how.oneQueue
	return throughputOf(ctx, g, trial.Plan, c, w, window)
}

// roundsByPort turns rounds into targets: each port repeats its own rounds, without waiting for
// others.
func roundsByPort(g *fabric.Graph, rounds []traffic.Flows) (ports []int32, next func(port int32) int32) {
	lists, at := make([][]int32, g.NumHosts), make([]int, g.NumHosts)
	for _, flows := range rounds {
		for i, src := range flows.Src {
			lists[src] = append(lists[src], flows.Dst[i])
		}
	}
	for port, list := range lists {
		if len(list) > 0 {
			ports = append(ports, int32(port))
		}
	}
	return ports, func(port int32) int32 {
		at[port]++
		return lists[port][(at[port]-1)%len(lists[port])]
	}
}

// anyPorts draws every target among the ports of other nodes.
func anyPorts(g *fabric.Graph, order *rand.PCG) (ports []int32, next func(port int32) int32) {
	rng := rand.New(order)
	return fabric.Numbers(g.NumHosts), func(port int32) int32 {
		for {
			if dst := int32(rng.IntN(g.NumHosts)); g.EndNode[dst] != g.EndNode[port] {
				return dst
			}
		}
	}
}

// shifts returns all shifts of the ports, from the next on.
func shifts(g *fabric.Graph, order *rand.PCG) (ports []int32, next func(port int32) int32) {
	ranks := fabric.Numbers(g.NumHosts)
	arrange(g, ranks, order, func(port int32) int32 { return port })
	return roundsByPort(g, traffic.ShiftsOfPorts(g, ranks, 1))
}

// doublings returns recursive doubling of the nodes, each port to the same port of the other node.
func doublings(g *fabric.Graph, order *rand.PCG) (ports []int32, next func(port int32) int32) {
	nodes := traffic.TwoPortNodes(g)
	arrange(g, nodes, order, func(n int32) int32 { return g.NodeEnds[g.NodeStart[n]] })
	return roundsByPort(g, traffic.DoublingOfNodes(g, nodes))
}

// arrange puts ports or nodes in the order of their leaves and ports there, or at random.
func arrange(g *fabric.Graph, list []int32, order *rand.PCG, end func(int32) int32) {
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.EndSwitch[end(a)], g.EndSwitch[end(b)]), cmp.Compare(g.EndPort[end(a)], g.EndPort[end(b)]))
	})
	if order != nil {
		traffic.Shuffle(list, order)
	}
}

// paperVI caches simulations.
type paperVI struct{ lab.Cache[float64] }

// exchange is a pattern of Paper VI.
type exchange struct {
	name, title string
	targets     targetsOf
}

// The patterns of the paper.
var (
	uniformOfTwo  = exchange{"fig4", "uniform traffic", anyPorts}
	shiftOfTwo    = exchange{"fig5", "all shifts", shifts}
	doublingOfTwo = exchange{"fig6", "recursive doubling", doublings}
)

// taken holds the mean receive rate of a port in MB/s, by topology and engine.
type taken map[string]map[string]float64

// measure runs a pattern on the paper's topologies.
func (m *paperVI) measure(ctx context.Context, s *lab.Setup, x *exchange, engines []lab.Candidate) (lab.Table, taken) {
	t := lab.Table{Name: x.name, Title: x.title + ": what a port takes on average", Columns: []string{"topology", "engine", "MB/s", "of the link", "against ftree"}}
	got := taken{}
	for _, base := range treesOfPaper6 {
		got[base] = map[string]float64{}
		s.EachOf(ctx, base, base+twoPorts, engines, func(e *lab.Candidate, trial *lab.Trial) {
			mustBeRouted(e, trial)
			v := m.Get(fmt.Sprint(x.name, base, e.How.Engine, settingVI(s), s.Seed), func() float64 {
				return x.targets.run(ctx, trial, settingVI(s), s.SeedOf(base))
			})
			got[base][e.Name] = v
			more, _ := got.gain(base, e.Name)
			t.Add(base, e.Name, fmt.Sprintf("%.0f", v), percent(v*8/dataOfDDR), fmt.Sprintf("%+.1f %%", more))
		})
	}
	return t, got
}

// gain returns the lead of an engine over base, in percent.
func (got taken) gain(base, engine string) (percent float64, ok bool) {
	a, b := got[base]["ftree"], got[base][engine]
	if a == 0 || b == 0 {
		return 0, false
	}
	return 100 * (b/a - 1), true
}

// printedGain is the gain of mFtree that the text prints for a topology, in percent, or its least
// and largest value.
type printedGain struct {
	base, paper string
	gain, most  float64
}

// risesOfShifts are the gains of mFtree under shifts on trees with racks, printed as one range.
var risesOfShifts = []printedGain{{"racks648", "+0.8 to +1.8 %", .8, 1.8}, {"racks432", "+0.8 to +1.8 %", .8, 1.8}, {"racks216", "+0.8 to +1.8 %", .8, 1.8}}

// The gains of mFtree in Figs. 4 to 6; gains within a range are judged separately.
var (
	gainsOfUniform   = []printedGain{{"fat648", "equal", 0, 0}, {"racks648", "equal", 0, 0}, {"racks432", "equal", 0, 0}, {"racks216", "equal", 0, 0}, {"over384", "equal", 0, 0}}
	gainsOfShifts    = []printedGain{{"fat648", "-4.5 %", -4.5, 0}, {"over384", "equal", 0, 0}}
	gainsOfDoublings = []printedGain{
		{"fat648", "+25.6 %", 25.6, 0}, {"over384", "+52.6 %", 52.6, 0}, {"racks648", "+2 %", 2, 0}, {"racks432", "+7.1 %", 7.1, 0}, {"racks216", "+8.2 %", 8.2, 0},
	}
)

// figure makes one of Figs. 4 to 6.
func (m *paperVI) figure(ctx context.Context, s *lab.Setup, x *exchange, text []printedGain) (*lab.Result, taken) {
	t, got := m.measure(ctx, s, x, enginesVI(s)[:2])
	var claims []lab.Claim
	for _, c := range text {
		claims = append(claims, lab.Gained(c.base+": mFtree against ftree", c.paper, c.gain).JudgedBy(got.gain(c.base, "mFtree")))
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: claims, Charts: portBars(x, got, enginesVI(s)[:2])}, got
}

// portBars draws the receive rates of ports.
func portBars(x *exchange, got taken, engines []lab.Candidate) []chart.Chart {
	c := chart.Chart{Name: x.name, Title: "Nodes with two ports: " + x.title, Kind: chart.Bars, Y: chart.Axis{Label: "throughput per port (MB/s)"}}
	c.Fill(lab.Names(engines), treesOfPaper6, func(engine string, i int) (chart.Point, bool) {
		v := got[treesOfPaper6[i]][engine]
		return chart.Point{Y: v}, v > 0
	})
	return lab.NonEmpty(c)
}

func (m *paperVI) fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	r, _ := m.figure(ctx, s, &uniformOfTwo, gainsOfUniform)
	return r
}

func (m *paperVI) fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := m.figure(ctx, s, &shiftOfTwo, gainsOfShifts)
	for _, c := range risesOfShifts {
		r.Claims = append(r.Claims, lab.Signed(lab.InRange(c.base+": mFtree against ftree", c.paper, c.gain/2, 2*c.most)).JudgedBy(got.gain(c.base, "mFtree")))
	}
	return r
}

func (m *paperVI) fig6(ctx context.Context, s *lab.Setup) *lab.Result {
	r, got := m.figure(ctx, s, &doublingOfTwo, gainsOfDoublings)
	r.Notes = append(r.Notes, "On 648 ports in two stages every leaf has a spine of its own for each of its ports under both engines, so that nothing but the order of spines tells them apart. The tables of OpenSM 3.3.23's ftree give what those of ours give, within 1 %.")
	_, shift := m.measure(ctx, s, &shiftOfTwo, enginesVI(s)[:2])
	for _, e := range []string{"ftree", "mFtree"} {
		less, ok := 0., true
		for _, base := range treesOfPaper6 {
			a, b := shift[base][e], got[base][e]
			if ok = ok && a > 0 && b > 0; ok {
				less += 100 * (1 - b/a) / float64(len(treesOfPaper6))
			}
		}
		r.Claims = append(r.Claims, lab.InRange(e+": less than under shifts, on average of the topologies", "the overall performance is lower", lab.Noise, lab.Most).JudgedBy(less, ok))
	}
	return r
}

// beyond compares our engine with both of the paper's.
func (m *paperVI) beyond(ctx context.Context, s *lab.Setup) *lab.Result {
	r := &lab.Result{}
	for _, x := range []exchange{uniformOfTwo, shiftOfTwo, doublingOfTwo} {
		name := x.name
		t, got := m.measure(ctx, s, &x, enginesVI(s))
		t.Name, x.name = "beyond-"+name, "beyond-"+name
		r.Tables, r.Charts = append(r.Tables, t), append(r.Charts, portBars(&x, got, enginesVI(s))...)
	}
	return r
}
