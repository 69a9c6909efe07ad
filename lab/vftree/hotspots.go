package vftree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/chart"
	"weft/lab"
	"weft/sim/packet"
)

// topologies are the fabrics of Fig. 10.
var topologies = []struct{ name, formula string }{{"648-port 1:1", "fat648"}, {"648-port 2:1", "fat648|without(roots=9)"}}

// scenario is a bar of Fig. 10.
type scenario struct{ topology, spots, lanes int }

// The lanes and numbers of hot-spots of Fig. 10.
var (
	lanesOfFig10 = []int{1, 2, 4, 6, 8}
	spotsOfFig10 = []int{1, 3, 9}
)

// scenarios lists the bars; the ones with one lane, the baseline, come first.
func scenarios() (list []scenario) {
	for topology := range topologies {
		for _, spots := range spotsOfFig10 {
			for _, lanes := range lanesOfFig10 {
				list = append(list, scenario{topology, spots, lanes})
			}
		}
	}
	return list
}

// throughputs holds the mean receive rates of nodes, in Gbit/s.
type throughputs map[scenario]float64

// fig10 sends 5 % of the packets of all nodes to hot-spots, and the others to anyone.
func fig10(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig10", Title: "What a node takes on average, and how much more than with one lane",
		Columns: []string{"fabric", "hot-spots", "lanes", "Gbit/s a node", "more than with 1 lane", "the paper's"},
	}
	got, printed := throughputs{}, printedGains()
	for _, x := range scenarios() {
		engine := "ftree,balance=zahavi"
		if x.lanes > 1 {
			engine += fmt.Sprintf(",lanes=vftree,vls=%d", x.lanes)
		}
		topology := topologies[x.topology]
		build := func() *fabric.Graph { return lab.WithRates(lab.Must(lab.Graph(topology.formula)), 32_000, 32_000) }
		s.Each(ctx, fmt.Sprintf("%s %d hot-spots", topology.name, x.spots), build, []lab.Candidate{{Name: fmt.Sprint(x.lanes), How: lab.Routing{Engine: engine, MaxVLs: 8}}},
			func(_ *lab.Candidate, trial *lab.Trial) {
				got[x] = hotSpots(ctx, trial, hardware(s), fabric.Numbers(trial.Graph.NumHosts), x.spots, s.SeedOf(topology.name), fromOf(s))
				more, paper := "-", "-"
				if one := got[scenario{x.topology, x.spots, 1}]; one > 0 && x.lanes > 1 {
					more = fmt.Sprintf("%+.0f %%", 100*(got[x]/one-1))
				}
				if v, ok := printed[x]; ok {
					paper = fmt.Sprintf("%+.0f %%", v)
				}
				t.Add(topology.name, fmt.Sprint(x.spots), fmt.Sprint(x.lanes), fmt.Sprintf("%.3f", got[x]), more, paper)
			})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: got.claims(printed), Charts: lab.NonEmpty(got.bars(0), got.bars(1)), Notes: []string{
		"Steps are from bar to bar, as the paper's figures are: the second bar has one lane more, each later one two.",
	}}
}

// printedGains returns the gains over one lane in the text, in percent.
func printedGains() map[scenario]float64 {
	gains := map[scenario]float64{}
	for _, row := range lab.ReadPrinted(publishedNumbers) {
		for i, topology := range topologies {
			if row["topology"] == topology.name {
				gains[scenario{i, row.Int("hot_spots"), row.Int("vls")}] = row.Number("improvement_pct")
			}
		}
	}
	return gains
}

// bars draws a fabric.
func (got throughputs) bars(topology int) chart.Chart {
	c := chart.Chart{Name: "fig10" + string(rune('a'+topology)), Kind: chart.Bars, X: chart.Axis{Label: "hot-spots"}}
	var names []string
	for _, n := range lanesOfFig10 {
		names = append(names, nameOfLanes(n))
	}
	c.Fill(names, []string{"1", "3", "9"}, func(name string, i int) (chart.Point, bool) {
		var n int
		lab.Must(fmt.Sscan(name, &n))
		v, ok := got[scenario{topology, spotsOfFig10[i], n}]
		return chart.Point{Y: v}, ok
	})
	return c
}

func nameOfLanes(n int) string { return fmt.Sprint(n, " VL") }

// finish draws the charts of Fig. 10 as gains over one lane, since the paper prints gains alone.
func finish(c *chart.Chart) {
	for i := range topologies {
		if c.Name != "fig10"+string(rune('a'+i)) {
			continue
		}
		c.Title, c.Y = topologies[i].name+": more lanes against one", chart.Axis{Label: "throughput, times that of one lane", Log: true}
		c.DivideBy(nameOfLanes(1))
		var said []chart.PrintedValue
		printed := printedGains()
		for _, x := range scenarios() {
			if gain, ok := printed[x]; ok && x.topology == i {
				said = append(said, chart.PrintedValue{Series: nameOfLanes(x.lanes), Group: fmt.Sprint(x.spots), Low: 1 + gain/100, High: 1 + gain/100})
			}
		}
		c.Mark(said...)
	}
}

// The measured time of Fig. 10, and the time before it.
const (
	settling = 250 * packet.Microsecond
	window   = 500 * packet.Microsecond
)

// fromOf returns the begin of the measured time of Fig. 10 under the active readings.
func fromOf(s *lab.Setup) packet.Time {
	if s.Reads(fromEmpty) {
		return 0
	}
	return settling
}

// hotSpots makes one run, measured from a time on, and returns a node's mean receive rate, in
// Gbit/s. Each group of hosts has its first one as its hot-spot.
func hotSpots(ctx context.Context, trial *lab.Trial, c packet.Config, hosts []int32, spots int, seed uint64, from packet.Time) float64 {
	g := trial.Graph
	work := &packet.Streams{Targets: hosts, Seed: seed}
	gap := packet.Time(c.MTU+c.Headers) * 250 // 32 Gbit/s
	for h := range hosts {
		stream := packet.Stream{Src: hosts[h], Dst: packet.Anyone, Bytes: int64(c.MTU), Gap: gap}
		if spot := packet.HotSpot(hosts, spots, h); spot != hosts[h] {
			stream.Spot, stream.Share = spot, 0.05
		}
		work.List = append(work.List, stream)
	}
	sim := lab.Must(packet.New(g, trial.Plan, c, work))
	r := lab.Must(sim.Run(ctx, from, from+window))
	total := int64(0)
	for _, b := range r.Bytes {
		total += b
	}
	return float64(total) * 8000 / float64(window) / float64(len(hosts))
}

// by divides the throughput of a node in one scenario by another.
func (got throughputs) by(a, b scenario) (times float64, ok bool) {
	x, ok1 := got[a]
	y, ok2 := got[b]
	return x / y, ok1 && ok2
}

// step returns the gain of a node's rate from one scenario to another, in Gbit/s.
func (got throughputs) step(from, to scenario) (gbps float64, ok bool) {
	a, ok1 := got[from]
	b, ok2 := got[to]
	return b - a, ok1 && ok2
}

// leastStep returns the least step along some scenarios.
func (got throughputs) leastStep(along ...scenario) (least float64, ok bool) {
	ok = true
	for i := range along[1:] {
		v, found := got.step(along[i], along[i+1])
		if ok = ok && found; i == 0 || v < least {
			least = v
		}
	}
	return least, ok
}

// stepBy divides the second of two steps along three scenarios by the first.
func (got throughputs) stepBy(a, b, c scenario) (times float64, ok bool) {
	first, ok1 := got.step(a, b)
	second, ok2 := got.step(b, c)
	return second / first, ok1 && ok2
}

// steps returns each step along some scenarios except the first, divided by the previous one: below
// 1 if lanes add less and less.
func (got throughputs) steps(along ...scenario) (parts []lab.Range) {
	for i := range along[2:] {
		if v, ok := got.stepBy(along[i], along[i+1], along[i+2]); ok {
			parts = append(parts, lab.Range{Of: fmt.Sprint(along[i+2].lanes, " lanes"), Value: v, High: .95, Format: "%.3f times"})
		}
	}
	return parts
}

// gbpsIn returns a claim that a difference of rates is in a range.
func gbpsIn(text, paper string, low, high float64) lab.RangeClaim {
	return lab.RangeClaim{Claim: lab.NewClaim(fmt.Sprintf("%s (%.3g to %.3g Gbit/s)", text, low, high), paper), Low: low, High: high, Format: "%+.2f Gbit/s"}
}

func (got throughputs) claims(printed map[scenario]float64) (claims []lab.Claim) {
	one := func(lanes int) scenario { return scenario{0, 1, lanes} }
	for _, x := range scenarios() {
		if gain, ok := printed[x]; ok {
			text := fmt.Sprintf("%s, hot-spots: %d, with %d lanes against one", topologies[x.topology].name, x.spots, x.lanes)
			claims = append(claims, factorOf(text, fmt.Sprintf("%+.0f %%", gain), gain).JudgedBy(got.by(x, scenario{x.topology, x.spots, 1})))
		}
	}
	all, ok1 := got.step(one(1), one(8))
	first, ok2 := got.step(one(1), one(2))
	localised, ok3 := got.by(scenario{0, 9, 8}, scenario{0, 9, 1})
	single, ok4 := got.by(one(8), one(1))
	six, ok5 := got.by(scenario{1, 9, 6}, scenario{1, 9, 1})
	eight, ok6 := got.by(scenario{1, 9, 8}, scenario{1, 9, 1})
	halved, n := 0., 0.
	for _, x := range scenarios() {
		if v, ok := got.by(x, scenario{0, x.spots, x.lanes}); ok && x.topology == 1 {
			halved, n = halved+v, n+1
		}
	}
	next, ok7 := got.stepBy(one(1), one(2), one(4))
	smaller := lab.NewClaim("one hot-spot: every bar with more lanes adds less than the one before (0 to 0.95 times)", "every additional VL provides a smaller increase")
	smaller.JudgeEach(got.steps(one(1), one(2), one(4), one(6), one(8)))
	return append(claims,
		ratioIn("one hot-spot: the second lane adds more than the next two", "the largest relative increase: +459, then +217 points", 1.05, 100).JudgedBy(1/next, ok7),
		ratioIn("one hot-spot: part of the gain of 8 lanes that 2 lanes have", "most of the gain with only 2 VLs (section I)", .5, 1).JudgedBy(first/all, ok1 && ok2),
		gbpsIn("one hot-spot: every additional lane adds, least step", "every additional VL increases the performance", 0, 30).JudgedBy(got.leastStep(one(1), one(2), one(4), one(6), one(8))),
		smaller,
		gbpsIn("one hot-spot: 8 lanes against 6", "in a range of 400 Mb/s", 0, .4).JudgedBy(got.step(one(6), one(8))),
		gbpsIn("one lane: 3 hot-spots leave more than one, 9 more than 3, least step", "the throughput increases", .01, 30).JudgedBy(got.leastStep(one(1), scenario{0, 3, 1}, scenario{0, 9, 1})),
		gbpsIn("two lanes: more hot-spots leave less, least step", "the drops with 2 VLs", -30, -.01).JudgedBy(got.leastStep(one(2), scenario{0, 3, 2}, scenario{0, 9, 2})),
		ratioIn("8 lanes help less where hot-spots are localised, 9 against 1", "smaller", 0, .95).JudgedBy(localised/single, ok3 && ok4),
		ratioIn("2:1 against 1:1, mean of the scenarios", "generally halved", .45, .55).JudgedBy(halved/max(n, 1), n > 0),
		lab.Gained("2:1, 9 hot-spots: by how much 6 lanes gain more than 8", "+7 points: 97 against 90", 7).JudgedBy(100*(six-eight), ok5 && ok6),
	)
}
