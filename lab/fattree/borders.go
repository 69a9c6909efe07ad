package fattree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/lab"
	"weft/lab/chart"
)

// border is one of the two ways to fill a tree that section IV-C takes.
type border struct {
	name  string
	spots []spot
}

// borders fill a tree of most nodes a leaf: from 1:1 to most-1:1, then case 1 goes on
// with full even leaves, case 2 fills the odd leaves first. step leaves spots out.
func borders(base string, most, step int) []border {
	var begin, first, second []spot
	for x := 1; x < most; x += step {
		begin = append(begin, spot{base, x, 1})
	}
	if last := (spot{base, most - 1, 1}); begin[len(begin)-1] != last {
		begin = append(begin, last)
	}
	for y := 1; y < most; y += step {
		first = append(first, spot{base, most, y})
		if y > 1 {
			second = append(second, spot{base, most - 1, y})
		}
	}
	second = append(second, spot{base, most - 1, most}, spot{base, most, most})
	first = append(first, spot{base, most, most})
	return []border{
		{"case 1", append(slices.Clip(begin), first...)},
		{"case 2", append(slices.Clip(begin), second...)},
	}
}

// borderFigure is Fig. 8 or 9.
func borderFigure(ctx context.Context, s *lab.Setup, name, base string, most, step int, claims func(results, []border) []lab.Claim) *lab.Result {
	cases := borders(base, most, step)
	var spots []spot
	seen := map[spot]bool{}
	for _, c := range cases {
		for _, p := range c.spots {
			if !seen[p] {
				seen[p] = true
				spots = append(spots, p)
			}
		}
	}
	t := lab.Table{Name: name, Title: "Uniform traffic at full load, share of a link that a node gets"}
	r := sweep(ctx, s, &t, spots)
	c := chart.Chart{
		Name: name, Title: "Uniform traffic at full load, in order: " + base, Kind: chart.Lines,
		X: chart.Axis{Label: "nodes"}, Y: chart.Axis{Label: "throughput per node (% of capacity)"},
	}
	for _, b := range lab.Names(balances) {
		for _, way := range cases {
			c.Fill([]string{b + ", " + way.name}, ratios(way.spots), func(_ string, i int) (chart.Point, bool) { return r.point(way.spots[i], b) })
		}
	}
	experiment := otherOrder(ctx, s, base, most)
	result := &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: claims(r, cases)}
	for i := range result.Claims {
		result.Claims[i].Explain(false, "Experiment, d-mod-k with the missing end ports counted (balance=dmodk) in place of EFT: %s.", experiment)
	}
	return result
}

// otherOrder is the experiment on dummy end ports: d-mod-k counts the ports that are not
// there, before and after the even leaves are full.
func otherOrder(ctx context.Context, s *lab.Setup, base string, most int) string {
	var text []string
	for _, p := range []spot{{base, most - 1, 1}, {base, most, 1}} {
		s.EachOf(ctx, p.String(), p.formula(), []lab.Candidate{{Name: "dmodk", How: lab.Routing{Engine: "ftree,balance=dmodk"}}}, func(_ *lab.Candidate, trial *lab.Trial) {
			text = append(text, p.ratio()+" "+estimate(ctx, trial).bounds())
		})
	}
	return strings.Join(text, "; ")
}

// lowest is the spot of a way where a balance gets least, in order.
func (r results) lowest(name string, spots []spot) (where spot, least float64, n int) {
	least = 2
	for _, p := range spots {
		if v := r.get(p, name); v != nil {
			n++
			if v.inOrder.Hosts < least-rounding {
				where, least = p, v.inOrder.Hosts
			}
		}
	}
	return where, least, n
}

// all are the spots of both cases.
func all(cases []border) []spot {
	return append(slices.Clip(cases[0].spots), cases[1].spots...)
}

// at is a claim about EFT on one spot: the printed share lies between the estimates.
func (r results) at(p spot, printed float64, paper string) lab.Claim {
	c := lab.NewClaim(fmt.Sprintf("EFT at %s (between in order and independent)", p.ratio()), paper)
	if v := r.get(p, "EFT"); v != nil {
		c.Judge(v.brackets(printed, 0), "%s", v.bounds())
	}
	return c
}

// minimum is the claim where EFT is lowest: a node a leaf more or less is the same place.
func (r results) minimum(cases []border, p spot, paper string) lab.Claim {
	c := lab.NewClaim(fmt.Sprintf("EFT is lowest about %s (within 2 points there of its lowest)", p.ratio()), paper)
	where, least, n := r.lowest("EFT", all(cases))
	if v := r.get(p, "EFT"); v != nil && n > 2 {
		c.Judge(v.inOrder.Hosts-least <= 0.02, "lowest %s at %s; %s there", percent(least), where.ratio(), percent(v.inOrder.Hosts))
	}
	return c
}

// jump is the claim what dummy end ports do once even leaves are full.
func (r results) jump(from, to spot, text, paper string, up bool) lab.Claim {
	c := lab.NewClaim(text, paper)
	a, b := r.get(from, "EFT"), r.get(to, "EFT")
	if a != nil && b != nil {
		gain := b.inOrder.Hosts - a.inOrder.Hosts
		c.Judge((gain > 0.15) == up, "%s to %s", percent(a.inOrder.Hosts), percent(b.inOrder.Hosts))
	}
	return c
}

// steady is the claim that BEFT hardly depends on the distribution.
func (r results) steady(cases []border, least float64, text, paper string) lab.Claim {
	c := lab.NewClaim(text, paper)
	where, low, n := r.lowest("BEFT", all(cases))
	_, ours, _ := r.lowest("ours", all(cases))
	if n > 2 {
		c.Judge(low >= least, "BEFT at least %s (%s), ours at least %s", percent(low), where.ratio(), percent(ours))
	}
	return c
}

// ahead says in how many spots ours is at least as good as another balance.
func (r results) ahead(cases []border) lab.Claim {
	c := lab.NewClaim("ours, beyond the paper: at least as good as EFT and BEFT everywhere", "-")
	n, good := 0, 0
	seen := map[spot]bool{}
	for _, p := range all(cases) {
		eft, beft, ok := r.both(p)
		ours := r.get(p, "ours")
		if !ok || ours == nil || seen[p] {
			continue
		}
		seen[p] = true
		n++
		if ours.inOrder.Hosts >= max(eft.inOrder.Hosts, beft.inOrder.Hosts)-rounding {
			good++
		}
	}
	if n > 0 {
		c.Judge(good == n, "%d of %d distributions", good, n)
	}
	return c
}

func fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	const base = "fat648"
	return borderFigure(ctx, s, "fig8", base, 18, lab.Pick(s, 4, 1), func(r results, cases []border) []lab.Claim {
		return []lab.Claim{
			r.at(spot{base, 5, 1}, 0.70, "70 %"),
			r.at(spot{base, 13, 1}, 0.649, "64.9 %"),
			r.minimum(cases, spot{base, 13, 1}, "lowest at 13:1"),
			r.jump(spot{base, 17, 1}, spot{base, 18, 1}, "EFT jumps when the even leaves are full (18:1)", "65 % to over 90 %", true),
			r.steady(cases, 0.9, "BEFT is predictable whatever the distribution", "about 90 %"),
			r.ahead(cases),
		}
	})
}

func fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	const base = "fat3456"
	return borderFigure(ctx, s, "fig9", base, 12, lab.Pick(s, 6, 1), func(r results, cases []border) []lab.Claim {
		drop := lab.NewClaim("BEFT drops when the even leaves are full (11:1 to 12:1; within 2 points)", "by 4.8 %")
		before, after := r.get(spot{base, 11, 1}, "BEFT"), r.get(spot{base, 12, 1}, "BEFT")
		if before != nil && after != nil {
			fall := before.inOrder.Hosts - after.inOrder.Hosts
			drop.Judge(fall > 0.028 && fall < 0.068, "%s", percent(fall))
		}
		claims := []lab.Claim{
			r.at(spot{base, 7, 1}, 0.70, "below 70 %"),
			r.at(spot{base, 12, 1}, 0.643, "64.3 %"),
			r.minimum(cases, spot{base, 12, 1}, "lowest at 12:1"),
			r.jump(spot{base, 11, 1}, spot{base, 12, 1}, "dummy nodes do nothing when the even leaves are full (12:1)", "no jump", false),
			drop,
			r.steady(cases, 0.885, "BEFT stays in a narrow range", "88.5 to 96.2 %"),
			r.ahead(cases),
		}
		if eft, beft, ok := r.both(spot{base, 1, 1}); ok {
			claims = append(claims, needsPackets("EFT is below BEFT even at 1:1", "lower", unseen(eft, beft)))
		}
		return claims
	})
}
