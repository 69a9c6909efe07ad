package dfsssp

import (
	"context"
	"fmt"
	"slices"

	"weft/internal/chart"
	"weft/lab"
)

// fig5 simulates the bandwidth of extended generalised fat-trees.
func (p *paper) fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{name: "fig5", title: "Effective bisection bandwidth, XGFT of Table I", networks: table1Networks(xgft, lab.Pick(s, 1024, 4096))}
	t, b := p.run(ctx, s, w)
	charts := lab.NonEmpty(w.draw(b, chart.Lines), b.gains("fig5-gain", "DFSSSP against MinHop, XGFT of Table I", w.networks, chart.Lines, []string{minhop}))
	claims := []lab.Claim{
		b.falls("XGFT: LASH falls at every step from 64 endpoints to the largest", lash, w.networks),
		b.falls("XGFT: DOR falls at every step from 64 endpoints to the largest", dor, w.networks),
	}
	for _, height := range []struct {
		text     string
		from, to float64
	}{{"height 1 (64 to 256 endpoints)", 64, 256}, {"height 2 (512 endpoints and more)", 512, 4096}} {
		for _, e := range []string{minhop, updn, dfsssp} {
			claims = append(claims, b.constant(fmt.Sprintf("XGFT: %s is about constant for %s: least/most at least %g", e, height.text, lab.Similar), e, w.networks, height.from, height.to))
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: charts, Claims: append(claims, b.slightly(w.networks)), Notes: []string{dfssspNote, "Heights differ from 256 to 512 endpoints, and so do the networks: sizes are bars, without lines between them. No bar: the engine refused.", heightNote}}
}

const heightNote = "At 512 endpoints a cable up from a leaf serves 4.7 of them, at 1,024 and more 2.0 to 2.8: that alone makes bandwidths of height 2 differ by nearly a half, whatever the routing."

// slightly returns the claim about height 2: a small increase over MinHop, but at 1,024 endpoints a
// factor of about two.
func (b bandwidths) slightly(nets []network) lab.Claim {
	c := lab.NewClaim("XGFT, height 2: DFSSSP is slightly above MinHop (0.5 to 10 %), and at 1,024 endpoints about twice (50 to 200 % more)", "small increase, about twice")
	var parts []lab.Range
	for _, n := range nets {
		if ours, ok := b.gain(n.name, []string{minhop}); ok && endpoints(n.name) >= 512 {
			r := lab.Range{Of: n.name + " endpoints", Value: ours, Low: lab.Noise, High: lab.Slight, Format: "%+.1f %%"}
			if n.name == "1024" {
				r.Low, r.High = 50, 200
			}
			parts = append(parts, r)
		}
	}
	c.JudgeEach(parts)
	return c
}

// fig6 simulates the bandwidth of Kautz graphs.
func (p *paper) fig6(ctx context.Context, s *lab.Setup) *lab.Result {
	w := &sweep{name: "fig6", title: "Effective bisection bandwidth, Kautz graphs of Table I", networks: table1Networks(kautz, lab.Pick(s, 1024, 4096))}
	t, b := p.run(ctx, s, w)
	return &lab.Result{
		Tables: []lab.Table{t}, Charts: lab.NonEmpty(w.draw(b, chart.Lines)), Notes: []string{dfssspNote, "Engines that refuse a network are left out, as in the paper's figures: fat-tree routing all of these, dimension order five."},
		Claims: []lab.Claim{
			b.alike(fmt.Sprintf("Kautz: all engines are similar (each at least %g of the best)", lab.Similar), "similar", w.networks, engines, lab.Similar),
			b.alike(fmt.Sprintf("Kautz: LASH is nearly the same as DFSSSP (the lower at least %g of the higher)", lab.NearlySame), "nearly the same", w.networks, []string{lash, dfsssp}, lab.NearlySame),
			b.rises(w.networks),
		},
	}
}

// falls returns a claim that bandwidth falls from size to size. It does not hold if the engine
// refuses all sizes.
func (b bandwidths) falls(text, engine string, nets []network) lab.Claim {
	c := lab.NewClaim(text, "decreasing steadily")
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
		c.Judge(ups == 0, "%.3f to %.3f, up in %d of %d steps", seen[0], seen[len(seen)-1], ups, len(seen)-1)
	case refused && len(seen) == 0:
		c.Judge(false, "%s refuses these networks", engine)
	}
	return c
}

// constant returns a claim that bandwidth changes little over sizes.
func (b bandwidths) constant(text, engine string, nets []network, from, to float64) lab.Claim {
	c := lab.NewClaim(text, "relatively constant")
	var seen []float64
	for _, n := range nets {
		if v, ok := b.mean(n.name, engine); ok && endpoints(n.name) >= from && endpoints(n.name) <= to {
			seen = append(seen, v)
		}
	}
	if len(seen) > 1 {
		c.JudgeRange(slices.Min(seen)/slices.Max(seen), lab.Similar, 1, "%.2f")
	}
	return c
}

// alike returns a claim that engines give about the same bandwidth: on every network each has at
// least a share of the best. It skips engines that refuse, as the paper leaves out their bars.
func (b bandwidths) alike(text, said string, nets []network, engines []string, share float64) lab.Claim {
	const most = 2 // a share of the best is never above 1
	c := lab.NewClaim(text, said)
	var parts []lab.Range
	for _, n := range nets {
		best := b.best(n.name, engines)
		for _, e := range engines {
			if v, ok := b.mean(n.name, e); ok {
				parts = append(parts, lab.Range{Of: n.name + " " + e, Value: v / best, Low: share, High: most, Format: "%.2f"})
			}
		}
	}
	c.JudgeEach(parts)
	return c
}

// rises returns the claim that bandwidth rises with the endpoints only where the number of links
// between switches does.
func (b bandwidths) rises(nets []network) lab.Claim {
	c := lab.NewClaim("Kautz: each rise of an engine's bandwidth with the endpoints goes with more links between switches", "each increase")
	links := map[string]int{}
	for _, row := range lab.ReadPrinted(publishedTable1) {
		links[row["endpoints"]] = row.Int("kautz_switch_links")
	}
	steps, up, wrong := 0, 0, 0
	for _, e := range engines {
		for i := 1; i < len(nets); i++ {
			before, ok := b.mean(nets[i-1].name, e)
			after, too := b.mean(nets[i].name, e)
			if !ok || !too {
				continue
			}
			if steps++; after > before {
				up++
				if links[nets[i].name] <= links[nets[i-1].name] {
					wrong++
				}
			}
		}
	}
	if steps > 0 {
		c.Judge(up > 0 && wrong == 0, "%d rises in %d steps, %d without more links", up, steps, wrong)
	}
	return c
}
