package dfsssp

import (
	"context"
	"fmt"
	"slices"

	"weft/lab"
	"weft/lab/chart"
)

// fig5 is the simulated bandwidth of extended generalised fat-trees.
func (p *paper) fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{name: "fig5", title: "Effective bisection bandwidth, XGFT of Table I", networks: table1Networks(xgft, lab.Pick(s, 1024, 4096))}
	t, b := p.run(ctx, s, w)
	c := w.draw(b, chart.Lines)
	if pt, ok := b.printed(1024, "1024", 100, []string{minhop}); ok {
		c.Series = append(c.Series, chart.Series{Name: printedMark, Marks: dfsssp, Points: []chart.Point{pt}})
	}
	claims := []lab.Claim{
		b.falls("XGFT: LASH falls steadily from 64 endpoints to the largest", lash, w.networks),
		b.falls("XGFT: DOR falls steadily from 64 endpoints to the largest", dor, w.networks),
	}
	for _, height := range []struct {
		text     string
		from, to float64
	}{{"height 1 (64 to 256 endpoints)", 64, 256}, {"height 2 (512 endpoints and more)", 512, 4096}} {
		for _, e := range []string{minhop, updn, dfsssp} {
			claims = append(claims, b.constant(fmt.Sprintf("XGFT: %s is about constant for %s: least/most at least 2/3", e, height.text), e, w.networks, height.from, height.to))
		}
	}
	for _, n := range []string{"512", "2048", "4096"} {
		claims = append(claims, lab.Signed(lab.InRange("XGFT, "+n+" endpoints: DFSSSP slightly above MinHop", "small increase", 0, 20)).JudgedBy(b.gain(n, []string{minhop})))
	}
	twice := lab.RangeClaim{Claim: lab.NewClaim("XGFT, 1024 endpoints: DFSSSP about twice MinHop (70 to 130 % more)", "about +100 %"), Low: 70, High: 130, Format: "%+.1f %%"}
	claims = append(claims, twice.JudgedBy(b.gain("1024", []string{minhop})))
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: claims, Notes: []string{dfssspNote, heightNote}}
}

const heightNote = "At 512 endpoints a cable up from a leaf serves 4.7 of them, at 1,024 and more 2.0 to 2.8: that alone makes bandwidths of height 2 differ by nearly a half, whatever the routing."

// fig6 is the simulated bandwidth of Kautz graphs.
func (p *paper) fig6(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{name: "fig6", title: "Effective bisection bandwidth, Kautz graphs of Table I", networks: table1Networks(kautz, lab.Pick(s, 1024, 4096))}
	t, b := p.run(ctx, s, w)
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.NonEmpty(w.draw(b, chart.Lines)), Notes: []string{dfssspNote},
		Claims: []lab.Claim{
			b.alike("Kautz: all engines are similar (worst at least 2/3 of the best)", w.networks, engines, 2.0/3),
			b.alike("Kautz: LASH is nearly the same as DFSSSP (within 15 %)", w.networks, []string{lash, dfsssp}, 0.85),
			b.steps(w.networks),
		},
	}
}

// falls is a claim that bandwidth goes down from size to size. An engine that refuses all sizes does not.
func (b bandwidths) falls(text, engine string, nets []network) lab.Claim {
	c := lab.NewClaim(text, "decreasing")
	var seen []float64
	refused, ups := false, 0
	for _, n := range nets {
		v, ok := b.mean(n.name, engine)
		_, ran := b[n.name][engine]
		refused = refused || ran && !ok
		if ok && len(seen) > 0 && v > seen[len(seen)-1] {
			ups++
		}
		if ok {
			seen = append(seen, v)
		}
	}
	switch {
	case len(seen) > 1:
		c.Judge(seen[len(seen)-1] < seen[0] && ups <= (len(seen)-1)/4, "%.3f to %.3f, up in %d of %d steps", seen[0], seen[len(seen)-1], ups, len(seen)-1)
	case refused && len(seen) == 0:
		c.Judge(false, "%s refuses these networks", engine)
	}
	return c
}

// constant is a claim that bandwidth changes little over sizes: by less than a third.
func (b bandwidths) constant(text, engine string, nets []network, from, to float64) lab.Claim {
	c := lab.NewClaim(text, "relatively constant")
	var seen []float64
	for _, n := range nets {
		if v, ok := b.mean(n.name, engine); ok && endpoints(n.name) >= from && endpoints(n.name) <= to {
			seen = append(seen, v)
		}
	}
	if len(seen) > 1 {
		c.JudgeRange(slices.Min(seen)/slices.Max(seen), 2.0/3, 1, "%.2f")
	}
	return c
}

// alike is a claim that engines give about the same: least / most of them at least share, on every network.
func (b bandwidths) alike(text string, nets []network, engines []string, share float64) lab.Claim {
	c := lab.NewClaim(text, "similar")
	worst := 2.0
	for _, n := range nets {
		var seen []float64
		for _, e := range engines {
			if v, ok := b.mean(n.name, e); ok {
				seen = append(seen, v)
			}
		}
		if len(seen) > 1 {
			worst = min(worst, slices.Min(seen)/slices.Max(seen))
		}
	}
	if worst <= 1 {
		c.JudgeRange(worst, share, 1, "%.2f")
	}
	return c
}

// steps is the claim that bandwidth goes up with the endpoints only where the
// number of links between switches does.
func (b bandwidths) steps(nets []network) lab.Claim {
	c := lab.NewClaim("Kautz: a rise of DFSSSP's bandwidth goes with a larger b or n, a fall with endpoints alone", "each rise")
	links := map[string]string{}
	for _, row := range lab.ReadPrinted(publishedTable1) {
		links[row["endpoints"]] = row["kautz_switch_links"]
	}
	last, lastLinks, wrong, seen := 0.0, "", 0, 0
	for _, n := range nets {
		v, ok := b.mean(n.name, dfsssp)
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
