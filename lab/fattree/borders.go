package fattree

import (
	"context"
	"slices"

	"weft/lab"
	"weft/lab/chart"
)

// border is one of the two ways to fill a tree that section IV-C takes.
type border struct {
	name  string
	spots []spot
}

// borders fill a tree of most nodes a leaf: from 1:1 to most-1:1, then case 1 goes on with full even leaves, case 2 fills the odd
// leaves first. Only these numbers of nodes are taken on even leaves while odd ones have one, and on odd leaves.
func borders(base string, full int, even, odd []int) []border {
	var begin, first, second []spot
	for _, x := range even {
		begin = append(begin, spot{base, x, 1})
	}
	first = append(first, spot{base, full, 1})
	for _, y := range odd {
		first = append(first, spot{base, full, y})
		second = append(second, spot{base, full - 1, y})
	}
	end := spot{base, full, full}
	return []border{
		{"case 1", append(slices.Clip(begin), append(first, end)...)},
		{"case 2", append(slices.Clip(begin), append(second, end)...)},
	}
}

// borderFigure is Fig. 8 or 9.
func (m *paperI) borderFigure(ctx context.Context, s *lab.Setup, name string, cases []border, claims func(results) []lab.Claim) *lab.Result {
	w := m.fullLoad(nil)
	for _, p := range both(cases) {
		if !slices.Contains(w.spots, p) {
			w.spots = append(w.spots, p)
		}
	}
	t := lab.Table{Name: name}
	r := w.run(ctx, s, &t)
	c := chart.Chart{
		Name: name, Title: "Uniform traffic at full load: " + w.spots[0].base, Kind: chart.Lines,
		X: chart.Axis{Label: "nodes"}, Y: chart.Axis{Label: "throughput per node (% of capacity)"},
	}
	for _, b := range []string{"EFT", "BEFT"} {
		for _, way := range cases {
			c.Fill([]string{b + ", " + way.name}, ratios(way.spots), func(_ string, i int) (chart.Point, bool) {
				v, ok := r.full(way.spots[i], b)
				if !ok {
					return chart.Point{}, false
				}
				return chart.Point{X: float64(r[way.spots[i]][b].nodes), Y: v}, true
			})
		}
	}
	c.Mark(saidOfPaper1[name]...)
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.Drawn(c), Claims: claims(r)}
}

// both are the spots of both cases.
func both(cases []border) []spot { return append(slices.Clip(cases[0].spots), cases[1].spots...) }

// lowest is the claim where EFT gets least.
func (r results) lowest(spots []spot, p spot, paper string) lab.Claim {
	least, _, ok1 := r.extremes("EFT", spots)
	there, ok2 := r.full(p, "EFT")
	return lab.InRange("EFT is lowest at "+p.ratio()+": more there than at its lowest", paper, 0, 1).Is(there-least, ok1 && ok2)
}

// largestGain is the most that BEFT gains on some spots.
func (r results) largestGain(spots []spot) (most float64, ok bool) {
	ok = true
	for _, p := range spots {
		gain, found := r.gain(p)
		most, ok = max(most, gain), ok && found
	}
	return most, ok
}

// meanOn is the mean of what a balance gets on some spots.
func (r results) meanOn(name string, spots []spot) (mean float64, ok bool) {
	ok = true
	for _, p := range spots {
		v, found := r.full(p, name)
		mean, ok = mean+v/float64(len(spots)), ok && found
	}
	return mean, ok
}

func (m *paperI) fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	cases := borders("fat648", 18, lab.Pick(s, []int{5, 13, 17}, []int{1, 5, 9, 13, 17}), lab.Pick(s, []int{9}, []int{9, 17}))
	return m.borderFigure(ctx, s, "fig8", cases, func(r results) []lab.Claim { return r.figure8(both(cases)) })
}

func (r results) figure8(spots []spot) []lab.Claim {
	on := func(x, y int) spot { return spot{"fat648", x, y} }
	less, highest, ok := r.extremes("BEFT", spots)
	begun, ok1 := r.step("EFT", on(17, 1), on(17, 9))
	ended, ok2 := r.step("EFT", on(17, 9), on(17, 17))
	if !ok2 { // left out in the quick mode
		ended, ok2 = r.step("EFT", on(17, 9), on(18, 18))
	}
	return []lab.Claim{
		lab.Level("648 ports, 5:1: EFT", "70 %", 70, lab.Exact).Is(r.full(on(5, 1), "EFT")),
		lab.Level("648 ports, 13:1: EFT", "64.9 %", 64.9, lab.Exact).Is(r.full(on(13, 1), "EFT")),
		r.lowest(spots, on(13, 1), "minimum at 13:1"),
		lab.InRange("648 ports, 18:1, even leaves full: EFT jumps", "from 65 % to over 90 %", 90, lab.Most).Is(r.full(on(18, 1), "EFT")),
		lab.Signed(lab.InRange("case 2, no leaf full: EFT rises with less skew, least step of 17:1, 17:9, 17:17", "increases gradually", 0, lab.Most)).Is(min(begun, ended), ok1 && ok2),
		lab.Signed(lab.InRange("case 2, 17:9: EFT is much lower than BEFT", "still much lower", 5, lab.Most)).Is(r.gain(on(17, 9))),
		lab.Signed(lab.InRange("dummy nodes work where leaves are full: EFT at 18:9 more than at 17:9", "not unless at least one switch is full", 5, lab.Most)).Is(r.step("EFT", on(17, 9), on(18, 9))),
		lab.Level("BEFT, mean of all distributions", "at a level of 90 %", 90, lab.Rough).Is(r.meanOn("BEFT", spots)),
		lab.InRange("BEFT is predictable: most less least", "regardless of the number of nodes and their distribution", 0, 10).Is(highest-less, ok),
		lab.Signed(lab.InRange("BEFT gets slightly more where no leaf is full: 17:9 more than 18:9", "slightly higher", 0, 3)).Is(r.step("BEFT", on(18, 9), on(17, 9))),
		lab.Gained("the most that BEFT gains", "up to 30 % (abstract)", 30).Is(r.largestGain(spots)),
	}
}

func (m *paperI) fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	cases := borders("fat3456", 12, lab.Pick(s, []int{1}, []int{1, 7, 11}), lab.Pick(s, nil, []int{6}))
	if s.Mode != lab.Full { // 1:1 alone
		for i := range cases {
			cases[i].spots = cases[i].spots[:1]
		}
	}
	return m.borderFigure(ctx, s, "fig9", cases, func(r results) []lab.Claim {
		spots := both(cases)
		if len(spots) == 2 {
			spots = append(spots, spot{"fat3456", 12, 12}) // not run
		}
		return r.figure9(spots)
	})
}

func (r results) figure9(spots []spot) []lab.Claim {
	one := func(even int) spot { return spot{"fat3456", even, 1} } // odd leaves have one node
	lessEFT, mostEFT, ok1 := r.extremes("EFT", spots)
	less, highest, ok2 := r.extremes("BEFT", spots)
	return []lab.Claim{
		r.favours(one(1), "3456 ports", "lower even at 1:1"),
		lab.InRange("3456 ports, 7:1: EFT", "lower than 70 %", 0, 70).Is(r.full(one(7), "EFT")),
		lab.Level("3456 ports, 12:1: EFT", "64.3 %", 64.3, lab.Exact).Is(r.full(one(12), "EFT")),
		r.lowest(spots, one(12), "minimum at 12:1"),
		lab.Signed(lab.InRange("3456 ports, 11:1 to 12:1, even leaves full: EFT does not jump", "dummy nodes do not activate", -5, 5)).Is(r.step("EFT", one(11), one(12))),
		lab.Gained("3456 ports, 12:1: BEFT drops against 11:1", "by 4.8 %", 4.8).Is(r.step("BEFT", one(12), one(11))),
		lab.Level("BEFT, at least", "88.5 %", 88.5, lab.Exact).Is(less, ok2),
		lab.Level("BEFT, at most", "96.2 %", 96.2, lab.Exact).Is(highest, ok2),
		lab.InRange("BEFT is more stable than EFT: most less least of EFT, less that of BEFT", "much more stable and predictable", 10, lab.Most).Is(mostEFT-lessEFT-highest+less, ok1 && ok2),
	}
}
