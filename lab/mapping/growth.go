package mapping

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"weft/internal/chart"
	"weft/lab"
	model "weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// witness notes the hosts and switches that answered probes have passed so far, and the wires.
type witness struct {
	model.Prober
	n     *model.Network
	from  int32 // the mapping host
	met   map[int32]bool
	wires map[model.Wire]bool
}

func newWitness(n *model.Network, from string) *witness {
	return &witness{n: n, from: lab.Must(n.FindHost(from)), met: map[int32]bool{}, wires: map[model.Wire]bool{}}
}

// watch shows the witness the probes of a mapper.
func (w *witness) watch(p model.Prober) model.Prober {
	w.Prober = p
	return w
}

func (w *witness) Probe(turns []model.Turn) (model.Reply, time.Duration) {
	reply, took := w.Prober.Probe(turns)
	if reply.Answered {
		at := w.cross(model.End{Node: w.from})
		for _, turn := range turns[:len(turns)-reply.Left] {
			at = w.cross(model.End{Node: at.Node, Port: at.Port + int32(turn)})
		}
	}
	return reply, took
}

// cross notes a wire and the node behind it.
func (w *witness) cross(out model.End) (in model.End) {
	in, _ = w.n.Peer(out)
	w.met[in.Node] = true
	wire := model.Wire{out, in}
	if in.Node < out.Node || in.Node == out.Node && in.Port < out.Port {
		wire = model.Wire{in, out}
	}
	w.wires[wire] = true
	return in
}

// found counts the noted hosts and switches.
func (w *witness) found() (hosts, switches int) {
	for node := range w.met {
		if w.n.IsHost(node) {
			hosts++
		} else {
			switches++
		}
	}
	return hosts, switches
}

// saidOfFig8 holds the numbers printed for Fig. 8: the largest number of nodes, the explorations
// until then, and the remaining nodes.
var saidOfFig8 = []chart.PrintedValue{{Series: "nodes", X: 250, Low: 750, High: 750}, {Series: "nodes", X: 260, Low: 140, High: 140}}

func fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	claims := []lab.Claim{
		lab.NewClaim("C+A+B: most nodes in the model graph, and explorations (within 25 %)", "about 750, about 250"),
		lab.NewClaim("C+A+B: hosts and switches found when 150 of 250 explorations are done (at least 90 of 100 and 36 of 40)", "nearly all"),
		lab.NewClaim("C+A+B: the final prune accounts for the plummet of nodes near exploration 250 (more than half of it)", "yes"),
	}
	r := &lab.Result{Claims: claims, Notes: []string{
		"In the paper the last prune makes the numbers plummet. In ours deductions do: a vertex that is merged with an explored one is not explored again, and nothing is left to prune.",
	}}
	if n, ok := systems[2].wired(s); ok {
		c := chart.Chart{
			Name: "fig8", Title: "Model graph while C+A+B is mapped", Kind: chart.Lines,
			X: chart.Axis{Label: "explorations"}, Y: chart.Axis{Label: "number"},
			Series: []chart.Series{{Name: "edges"}, {Name: "nodes"}, {Name: "frontier"}},
		}
		t := lab.Table{Name: c.Name, Title: c.Title, Columns: []string{"exploration", "nodes", "edges", "frontier", "hosts found", "switches found"}}
		w := newWitness(n, mapper(s))
		var nodes []int
		var found [][2]int
		res := trial{
			algorithm: "berkeley", from: mapper(s), rule: rule(s),
			watch: w.watch,
			step: func(step algorithm.Step) {
				hosts, switches := w.found()
				nodes, found = append(nodes, step.Nodes), append(found, [2]int{hosts, switches})
				at := len(nodes)
				for i, v := range []int{step.Wires, step.Nodes, step.Frontier} {
					c.Series[i].Add(float64(at), float64(v), 0, 0)
				}
				if at%25 == 0 {
					t.Add(count(at), count(step.Nodes), count(step.Wires), count(step.Frontier), count(hosts), count(switches))
				}
			},
		}.run(ctx, n)
		r.Tables, r.Charts = append(r.Tables, t), append(r.Charts, c)
		late := found[len(found)*150/250-1]
		last, pruned := nodes[len(nodes)-1], nodes[len(nodes)-1]-res.Map.NumNodes()
		merged := slices.Max(nodes) - last
		judge(claims,
			finding{fmt.Sprintf("%d, %d", res.Peak, res.Explorations), near([2]int{res.Peak, 750}, [2]int{res.Explorations, 250})},
			finding{fmt.Sprintf("%d, %d", late[0], late[1]), late[0] >= 90 && late[1] >= 36},
			finding{fmt.Sprintf("%d merged from exploration %d to %d, %d pruned", merged, slices.Index(nodes, slices.Max(nodes))+1, len(nodes), pruned), pruned > merged},
		)
	}
	return r
}

// fig9 lets more and more hosts respond, in order and at random.
func fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	claims := []lab.Claim{
		lab.NewClaim("time with 1 host over the least time (within 25 %)", "8"),
		lab.NewClaim("time with 15 hosts at random over the least (at most 2)", "within 2"),
		lab.NewClaim("time with 20 hosts at random over the least (at most 1.5)", "within 1.5"),
		lab.NewClaim("in order: the first host of a subcluster saves more than any other of A or B", "steps"),
		lab.NewClaim("in order: every host more within a subcluster saves time", "yes"),
	}
	for i := range claims {
		restOn(fittedTimes, &claims[i])
	}
	r := &lab.Result{Claims: claims, Notes: []string{
		"The search depth of the paper's runs is not printed. At Q + D one host alone, which no answer tells any switch from another by, takes more than a million probes. Ours is the least depth at which all hosts together give the right map.",
		"Times at random are means over several orders. The mapper counts as the first host.",
	}}
	if n, ok := systems[2].wired(s); ok {
		f := responders{n: n}
		f.measure(ctx, s)
		r.Tables, r.Charts = append(r.Tables, f.table()), append(r.Charts, f.chart())
		last := f.random[len(f.random)-1]
		over := func(hosts int) float64 { return f.random[hosts-1] / last }
		first, other := f.steps()
		least := f.leastSaved()
		claims[0].Judge(within(over(1), 8), "%.2f (depth %d)", over(1), f.depth)
		claims[1].JudgeRange(over(15), 1, 2, "%.2f")
		claims[2].JudgeRange(over(20), 1, 1.5, "%.2f")
		claims[3].Judge(first > other, "%.0f ms at least, others %.0f ms at most", first, other)
		claims[4].Judge(least > 0, "%.1f ms at least", least)
	}
	return r
}

const respondersTitle = "Time to map C+A+B against responding hosts (modelled, ms)"

// responders holds the times by the number of responding hosts, from 1.
type responders struct {
	n               *model.Network
	from            string // the mapping host
	rule            model.Collision
	depth           int
	inOrder, random []float64 // random is the mean over several orders
}

func (f *responders) measure(ctx context.Context, s *lab.Setup) {
	f.from, f.rule = mapper(s), rule(s)
	f.depth = f.leastDepth(ctx)
	mapper := lab.Must(f.n.FindHost(f.from))
	rest := make([]int, 0, f.n.NumHosts())
	for h := range f.n.NumHosts() {
		if int32(h) != mapper {
			rest = append(rest, h)
		}
	}
	f.inOrder = f.times(ctx, mapper, rest)
	orders := lab.Pick(s, 2, 20)
	if s.Reads(oneOrder) {
		orders = 1
	}
	rng := rand.New(rand.NewPCG(s.SeedOf("fig9"), 9))
	f.random = make([]float64, f.n.NumHosts())
	for range orders {
		rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		times := f.times(ctx, mapper, rest)
		for i, t := range times {
			f.random[i] += t / float64(orders)
		}
	}
}

// times adds one host after the other and returns the time to map with each number.
func (f *responders) times(ctx context.Context, mapper int32, order []int) []float64 {
	responding := make([]bool, f.n.NumHosts())
	responding[mapper] = true
	var times []float64
	for k := 0; ; k++ {
		times = append(times, ms(trial{algorithm: "berkeley", from: f.from, rule: f.rule, depth: f.depth, responding: responding}.run(ctx, f.n)))
		if k == len(order) {
			return times
		}
		responding[order[k]] = true
	}
}

// leastDepth returns the least search depth at which the Berkeley algorithm finds a network when
// all hosts respond.
func (f *responders) leastDepth(ctx context.Context) int {
	for depth := 1; ; depth++ {
		if theory.Same(trial{algorithm: "berkeley", from: f.from, rule: f.rule, depth: depth}.run(ctx, f.n).Map, f.n) == nil {
			return depth
		}
	}
}

// Positions of the first hosts of A and B in order: the mapper and the 35 hosts of C come before A,
// whose 34 come before B.
const (
	firstOfA = 36
	firstOfB = firstOfA + 34
)

// steps returns the least time that the first host of A or B saves, and the largest that any other
// host of A or B saves.
func (f *responders) steps() (first, other float64) {
	const a, b = firstOfA, firstOfB
	first = min(f.inOrder[a-1]-f.inOrder[a], f.inOrder[b-1]-f.inOrder[b])
	for k := a; k < len(f.inOrder); k++ {
		if k != a && k != b {
			other = max(other, f.inOrder[k-1]-f.inOrder[k])
		}
	}
	return first, other
}

// leastSaved returns the least time that a host saves, without the first hosts of the subclusters.
func (f *responders) leastSaved() float64 {
	least := f.inOrder[0]
	for k := 1; k < len(f.inOrder); k++ {
		if k != firstOfA && k != firstOfB {
			least = min(least, f.inOrder[k-1]-f.inOrder[k])
		}
	}
	return least
}

func (f *responders) table() lab.Table {
	t := lab.Table{Name: "fig9", Title: respondersTitle, Columns: []string{"hosts", "in order", "at random"}}
	for k := 1; k <= len(f.inOrder); k++ {
		if k == 1 || k%5 == 0 {
			t.Add(count(k), lab.Num(f.inOrder[k-1]), lab.Num(f.random[k-1]))
		}
	}
	return t
}

func (f *responders) chart() chart.Chart {
	c := chart.Chart{
		Name: "fig9", Title: respondersTitle, Kind: chart.Lines, X: chart.Axis{Label: "responding hosts"}, Y: chart.Axis{Label: "time (ms)", Log: true},
		Series: []chart.Series{{Name: "in order"}, {Name: "at random"}},
	}
	for k := range f.inOrder {
		c.Series[0].Add(float64(k+1), f.inOrder[k], 0, 0)
		c.Series[1].Add(float64(k+1), f.random[k], 0, 0)
	}
	return c
}

// finish sets the marks for printed values.
func finish(c *chart.Chart) {
	switch c.Name {
	case "fig8":
		c.Mark(saidOfFig8...)
	case "fig9":
		if slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Points) == 0 }) {
			return
		}
		least := func(series int) float64 {
			return slices.MinFunc(c.Series[series].Points, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }).X
		}
		c.Mark(
			chart.PrintedValue{Series: "in order", X: 1, Low: 8, High: 8, Of: "in order", OfX: least(0)},
			chart.PrintedValue{Series: "at random", X: 15, Low: 2, High: 2, Of: "at random", OfX: least(1)},
			chart.PrintedValue{Series: "at random", X: 20, Low: 1.5, High: 1.5, Of: "at random", OfX: least(1)},
		)
	}
}
