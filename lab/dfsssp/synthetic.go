package dfsssp

import (
	"context"
	"strconv"

	"weft/lab"
	"weft/lab/chart"
	"weft/lab/plain"
)

// fig5 is the simulated bandwidth of extended generalised fat-trees.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{
		name: "fig5", title: "Effective bisection bandwidth, XGFT of Table I",
		networks: table1Networks(xgft, lab.Pick(s, 1024, 4096)), engines: engines, runs: lab.Pick(s, 100, 1000),
	}
	t, b := w.run(ctx, s)
	x := w.assumptions()
	plainTable, p := x.run(ctx, s)
	lash := b.falls("LASH falls steadily from 64 endpoints to the largest", "lash", w.networks)
	dor := p.falls("DOR falls steadily (as OpenSM's: by first port)", plain.FirstPort().Name, w.networks)
	lash.Explain(dor.Verdict == lab.Holds, "Experiment, LASH on the first of the shortest paths by port, where weft's lash spreads them: %s.", dor.Ours)
	height2 := b.constant("DFSSSP is about constant for height 2 (512 endpoints and more)", plainDFSSSP, w.networks, 512, 4096)
	explainHeight2(ctx, s, w, b, &height2)
	return &lab.Result{
		Tables: []lab.Table{t, plainTable}, Charts: lab.Drawn(w.draw(b, chart.Lines), x.draw(p, chart.Lines)), Notes: []string{enginesNote},
		Claims: []lab.Claim{
			lash,
			dor,
			b.constant("MinHop is about constant for height 1 (64 to 256 endpoints)", "minhop", w.networks, 64, 256),
			b.constant("Up*/Down* is about constant for height 1", "updn", w.networks, 64, 256),
			b.constant("DFSSSP is about constant for height 1", plainDFSSSP, w.networks, 64, 256),
			height2,
			b.gain("512 endpoints: DFSSSP slightly above MinHop (0 to 20 %)", "512", "small increase", 0, 0.2, []string{"minhop"}, p),
			b.gain("1,024 endpoints: DFSSSP about twice MinHop (70 to 130 % more)", "1024", "about +100 %", 0.7, 1.3, []string{"minhop"}, p),
		},
	}
}

// explainHeight2 gives the tree for 512 endpoints, which has 4.7 of them for each
// cable up from a leaf, as many as that for 1,024 has (2.05), and looks again.
func explainHeight2(ctx context.Context, s *lab.Setup, w *sweep, b bandwidths, c *lab.Claim) {
	if c.Verdict != lab.Differs {
		return
	}
	g := lab.Must(lab.Graph("xgft(2;6,6;3,3;hosts=221)"))
	t := lab.Must(s.Route(ctx, g, lab.Routing{Engine: plainDFSSSP, MaxVLs: allVLs, Seed: s.Seed}))
	r := lab.Must(s.Bisection(ctx, t, w.runs, s.SeedOf("221")))
	low, high := r.Bandwidth.Mean, r.Bandwidth.Mean
	for _, size := range []string{"1024", "2048", "4096"} {
		if v, ok := b.mean(size, plainDFSSSP); ok {
			low, high = min(low, v), max(high, v)
		}
	}
	c.Explain(low > high*2/3, "Experiment, the tree for 512 with 221 endpoints, so that a cable up from a leaf serves 2.05 of them as at 1,024 and not 4.7: %.3f to %.3f.", low, high)
}

// fig6 is the simulated bandwidth of Kautz graphs.
func fig6(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{
		name: "fig6", title: "Effective bisection bandwidth, Kautz graphs of Table I",
		networks: table1Networks(kautz, lab.Pick(s, 1024, 4096)), engines: engines, runs: lab.Pick(s, 100, 1000),
	}
	t, b := w.run(ctx, s)
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.Drawn(w.draw(b, chart.Lines)), Notes: []string{enginesNote},
		Claims: []lab.Claim{
			b.alike("all engines are similar (worst at least 2/3 of the best)", w.networks, []string{"minhop", "updn", "lash", onceSSSP, plainDFSSSP}, 2.0/3),
			b.alike("LASH is nearly the same as DFSSSP (within 15 %)", w.networks, []string{"lash", plainDFSSSP}, 0.85),
			b.steps(w.networks),
		},
	}
}

// falls is a claim that bandwidth goes down from size to size.
func (b bandwidths) falls(text, engine string, nets []network) lab.Claim {
	c := lab.NewClaim(text, "decreasing")
	first, last, ups, steps := 0.0, 0.0, 0, 0
	for _, n := range nets {
		v, ok := b.mean(n.name, engine)
		if !ok {
			continue
		}
		if first == 0 {
			first = v
		} else {
			steps++
			if v > last {
				ups++
			}
		}
		last = v
	}
	if steps > 0 {
		c.Judge(last < first && ups <= steps/4, "%.3f to %.3f, up in %d of %d steps", first, last, ups, steps)
	}
	return c
}

// constant is a claim that bandwidth changes little over sizes: by less than a third.
func (b bandwidths) constant(text, engine string, nets []network, from, to int) lab.Claim {
	c := lab.NewClaim(text, "relatively constant")
	low, high, points := 0.0, 0.0, 0
	for _, n := range nets {
		size, _ := strconv.Atoi(n.name)
		v, ok := b.mean(n.name, engine)
		if !ok || size < from || size > to {
			continue
		}
		if points == 0 {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
		points++
	}
	if points > 1 {
		c.Judge(low > high*2/3, "%.3f to %.3f", low, high)
	}
	return c
}

// alike is a claim that engines give about the same: least / most of them at least share.
func (b bandwidths) alike(text string, nets []network, engines []string, share float64) lab.Claim {
	c := lab.NewClaim(text, "similar")
	worst, where := 2.0, ""
	for _, n := range nets {
		low, high, have := 2.0, 0.0, 0
		for _, e := range engines {
			if v, ok := b.mean(n.name, e); ok {
				low, high, have = min(low, v), max(high, v), have+1
			}
		}
		if have > 1 && low/high < worst {
			worst, where = low/high, n.name
		}
	}
	if where != "" {
		c.Judge(worst >= share, "least/most %.2f (%s endpoints)", worst, where)
	}
	return c
}

// steps is the claim that bandwidth goes up with the endpoints only where the
// number of links between switches does.
func (b bandwidths) steps(nets []network) lab.Claim {
	c := lab.NewClaim("a rise of DFSSSP's bandwidth goes with a larger b or n, a fall with endpoints alone", "each rise")
	links := map[string]string{}
	for _, row := range lab.ReadPrinted(publishedTable1) {
		links[row["endpoints"]] = row["kautz_switch_links"]
	}
	last, lastLinks, wrong, seen := 0.0, "", 0, 0
	for _, n := range nets {
		v, ok := b.mean(n.name, plainDFSSSP)
		if !ok {
			continue
		}
		if last > 0 {
			seen++
			if v > last && links[n.name] == lastLinks {
				wrong++
			}
		}
		last, lastLinks = v, links[n.name]
	}
	if seen > 0 {
		c.Judge(wrong == 0, "%d of %d steps rise without more links", wrong, seen)
	}
	return c
}
