package vftree

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/lab"
	"weft/lab/chart"
	"weft/sim/flow"
	"weft/sim/packet"
)

// topologies are the fabrics of Fig. 10.
var topologies = []struct{ name, formula string }{{"648-port 1:1", "fat648"}, {"648-port 2:1", "fat648|without(roots=9)"}}

// lanes are the numbers of lanes of Fig. 10.
var lanes = []int{1, 2, 4, 6, 8}

// fig10 sends 5 % of the packets of all nodes to hot-spots, and the others to anyone.
func fig10(ctx context.Context, s *lab.Setup) *lab.Result {
	seeds := lab.Pick(s, 2, 8)
	t := lab.Table{
		Name: "fig10", Title: fmt.Sprintf("What a node takes on average, %d seeds, and how much more than with one lane", seeds),
		Columns: []string{"fabric", "hot-spots", "lanes", "Gbit/s a node", "more than with 1 lane", "the paper's"},
	}
	printed := map[string]float64{}
	for _, row := range lab.ReadPrinted(publishedNumbers) {
		printed[fmt.Sprintf("%s %d %d", row["topology"], row.Int("hot_spots"), row.Int("vls"))] = row.Number("improvement_pct")
	}
	means, gains := map[string]float64{}, map[string]float64{}
	var charts []chart.Chart
	for i, topology := range topologies {
		bars := chart.Chart{
			Name: "fig10" + string(rune('a'+i)), Title: topology.name + ": what a node takes on average", Kind: chart.Bars,
			X: chart.Axis{Label: "hot-spots"}, Y: chart.Axis{Label: "Gbit/s"}, Categories: []string{"1", "3", "9"},
		}
		for _, vls := range lanes {
			bars.Series = append(bars.Series, chart.Series{Name: fmt.Sprint(vls, " VL")})
		}
		for group, spots := range []int{1, 3, 9} {
			for k, vls := range lanes {
				name := fmt.Sprintf("%s %d %d", topology.name, spots, vls)
				engine := "ftree,balance=zahavi"
				if vls > 1 {
					engine += fmt.Sprintf(",lanes=vftree,vls=%d", vls)
				}
				build := func() *fabric.Graph { return setRates(lab.Must(lab.Graph(topology.formula)), 32_000, 32_000) }
				s.Each(ctx, fmt.Sprintf("%s %d hot-spots", topology.name, spots), build, []lab.Candidate{{Name: fmt.Sprint(vls), How: lab.Routing{Engine: engine, MaxVLs: 8}}},
					func(_ *lab.Candidate, trial *lab.Trial) {
						sample := make([]float64, seeds)
						s.Parallel(ctx, seeds, func(k int) { sample[k] = hotSpots(ctx, trial, spots, s.SeedOf(fmt.Sprint(topology.name, k))) })
						got := flow.Summarise(sample)
						means[name] = got.Mean
						bars.Series[k].Points = append(bars.Series[k].Points, chart.Point{X: float64(group), Y: got.Mean, Low: got.Mean - got.CI95, High: got.Mean + got.CI95})
						more, paper := "-", "-"
						if one := means[fmt.Sprintf("%s %d 1", topology.name, spots)]; one > 0 && vls > 1 {
							gains[name] = 100 * (got.Mean/one - 1)
							more = fmt.Sprintf("%+.0f %%", gains[name])
						}
						if v, ok := printed[name]; ok {
							paper = fmt.Sprintf("%+.0f %%", v)
						}
						t.Add(topology.name, fmt.Sprint(spots), fmt.Sprint(vls), lab.Mean(got), more, paper)
					})
			}
		}
		charts = append(charts, bars)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: hotSpotClaims(means, gains, printed), Charts: lab.Drawn(charts...)}
}

// window is the time that is measured.
const window = packet.Millisecond

// hotSpots makes one run and returns what a node takes on average, in Gbit/s.
func hotSpots(ctx context.Context, trial *lab.Trial, spots int, seed uint64) float64 {
	g := trial.Graph
	hosts := fabric.Numbers(g.NumHosts)
	work := &packet.Streams{Targets: hosts, Seed: seed}
	c := packet.Default()
	gap := packet.Time(c.MTU+c.Headers) * 250 // 32 Gbit/s
	for h := range hosts {
		stream := packet.Stream{Src: hosts[h], Dst: packet.Anyone, Bytes: int64(c.MTU), Gap: gap}
		if spot := packet.HotSpot(hosts, spots, h); spot != hosts[h] {
			stream.Spot, stream.Share = spot, 0.05
		}
		work.List = append(work.List, stream)
	}
	sim := lab.Must(packet.New(g, trial.Plan, c, work))
	r := lab.Must(sim.Run(ctx, window/2, window/2+window))
	total := int64(0)
	for _, b := range r.Bytes {
		total += b
	}
	return float64(total) * 8000 / float64(window) / float64(len(hosts))
}

func hotSpotClaims(means, gains, printed map[string]float64) (claims []lab.Claim) {
	add := func(text, paper string) *lab.Claim {
		claims = append(claims, lab.NewClaim(text, paper))
		return &claims[len(claims)-1]
	}
	for _, x := range []struct {
		name, text string
	}{
		{"648-port 1:1 1 2", "1:1, one hot-spot: 2 lanes"},
		{"648-port 1:1 1 4", "1:1, one hot-spot: 4 lanes"},
		{"648-port 1:1 1 6", "1:1, one hot-spot: 6 lanes"},
		{"648-port 1:1 1 8", "1:1, one hot-spot: 8 lanes"},
		{"648-port 1:1 9 8", "1:1, nine hot-spots: 8 lanes"},
		{"648-port 2:1 1 8", "2:1, one hot-spot: 8 lanes"},
		{"648-port 2:1 3 8", "2:1, three hot-spots: 8 lanes"},
		{"648-port 2:1 9 8", "2:1, nine hot-spots: 8 lanes"},
		{"648-port 2:1 9 6", "2:1, nine hot-spots: 6 lanes"},
	} {
		c := add(x.text+" against one", fmt.Sprintf("%+.0f %%", printed[x.name]))
		if gain, ok := gains[x.name]; ok {
			c.Judge(near(gain, printed[x.name], .12), "%+.0f %%", gain)
		}
	}
	step := add("the second lane is the largest step (one hot-spot, 1:1)", "largest relative increase")
	if two, four := gains["648-port 1:1 1 2"], gains["648-port 1:1 1 4"]; two > 0 && four > 0 {
		next := 100 * ((100+four)/(100+two) - 1)
		step.Judge(two > next, "%+.0f %%, then from 2 to 4 lanes %+.0f %%", two, next)
	}
	local := add("one lane: more hot-spots, each of its own nodes, leave more throughput", "rises")
	if one, three, nine := means["648-port 1:1 1 1"], means["648-port 1:1 3 1"], means["648-port 1:1 9 1"]; one > 0 && three > 0 && nine > 0 {
		local.Judge(one < three && three < nine, "%.2f, %.2f, %.2f Gbit/s", one, three, nine)
	}
	half := add("2:1: the average of a node is generally halved (8 lanes)", "half")
	if a, b := means["648-port 1:1 1 8"], means["648-port 2:1 1 8"]; a > 0 && b > 0 {
		half.Judge(near(b/a, .5, .12), "%.2f of 1:1", b/a)
	}
	return claims
}
