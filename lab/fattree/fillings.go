package fattree

import (
	"context"
	"slices"

	"weft/internal/chart"
	"weft/lab"
)

// filling is one of the two orders of filling a tree in section IV-C.
type filling struct {
	name          string
	distributions []distribution
}

// fillings returns both cases for a tree with room for full nodes on a leaf. Both go from 1:1 to
// (full-1):1; then case 1 continues with full even leaves, while case 2 fills the odd leaves first.
// Only these numbers of nodes are used on even leaves while odd ones have one, and on odd leaves.
func fillings(base string, full int, even, odd []int) []filling {
	var begin, first, second []distribution
	for _, x := range even {
		begin = append(begin, distribution{base, x, 1})
	}
	first = append(first, distribution{base, full, 1})
	for _, y := range odd {
		first = append(first, distribution{base, full, y})
		second = append(second, distribution{base, full - 1, y})
	}
	end := distribution{base, full, full}
	return []filling{
		{"case 1", append(slices.Clip(begin), append(first, end)...)},
		{"case 2", append(slices.Clip(begin), append(second, end)...)},
	}
}

// fillingFigure makes Fig. 8 or 9.
func (m *paperI) fillingFigure(ctx context.Context, s *lab.Setup, name string, cases []filling, claims func(results) []lab.Claim) *lab.Result {
	w := m.fullLoad(nil)
	for _, p := range both(cases) {
		if !slices.Contains(w.distributions, p) {
			w.distributions = append(w.distributions, p)
		}
	}
	t := lab.Table{Name: name}
	r := w.run(ctx, s, &t)
	c := chart.Chart{Name: name, Kind: chart.Lines}
	for _, b := range []string{"EFT", "BEFT"} {
		for _, way := range cases {
			c.Fill([]string{b + ", " + way.name}, ratios(way.distributions), func(_ string, i int) (chart.Point, bool) {
				v, ok := r.full(way.distributions[i], b)
				if !ok {
					return chart.Point{}, false
				}
				return chart.Point{X: float64(r[way.distributions[i]][b].nodes), Y: v}, true
			})
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Charts: lab.NonEmpty(c), Claims: claims(r)}
}

// both returns the distributions of both cases.
func both(cases []filling) []distribution {
	return append(slices.Clip(cases[0].distributions), cases[1].distributions...)
}

// lowest returns the claim naming the distribution where EFT gets least.
func (r results) lowest(distributions []distribution, p distribution, paper string) lab.Claim {
	least, _, ok1 := r.extremes("EFT", distributions)
	there, ok2 := r.full(p, "EFT")
	return lab.InRange("EFT is lowest at "+p.ratio()+": more there than at its lowest", paper, 0, 1).JudgedBy(there-least, ok1 && ok2)
}

// largestGain returns the largest gain of BEFT on some distributions.
func (r results) largestGain(distributions []distribution) (most float64, ok bool) {
	ok = true
	for _, p := range distributions {
		gain, found := r.gain(p)
		most, ok = max(most, gain), ok && found
	}
	return most, ok
}

// meanOn returns the mean throughput with a balance on some distributions.
func (r results) meanOn(name string, distributions []distribution) (mean float64, ok bool) {
	ok = true
	for _, p := range distributions {
		v, found := r.full(p, name)
		mean, ok = mean+v/float64(len(distributions)), ok && found
	}
	return mean, ok
}

func (m *paperI) fig8(ctx context.Context, s *lab.Setup) *lab.Result {
	cases := fillings("fat648", 18, lab.Pick(s, []int{5, 13, 17}, []int{1, 5, 9, 13, 17}), lab.Pick(s, []int{9}, []int{9, 17}))
	return m.fillingFigure(ctx, s, "fig8", cases, func(r results) []lab.Claim { return r.figure8(both(cases)) })
}

func (r results) figure8(distributions []distribution) []lab.Claim {
	on := func(x, y int) distribution { return distribution{"fat648", x, y} }
	less, highest, ok := r.extremes("BEFT", distributions)
	begun, ok1 := r.step("EFT", on(17, 1), on(17, 9))
	ended, ok2 := r.step("EFT", on(17, 9), on(17, 17))
	if !ok2 { // left out in the quick mode
		ended, ok2 = r.step("EFT", on(17, 9), on(18, 18))
	}
	return []lab.Claim{
		lab.Level("648 ports, 5:1: EFT", "70 %", 70, lab.Exact).JudgedBy(r.full(on(5, 1), "EFT")),
		lab.Level("648 ports, 13:1: EFT", "64.9 %", 64.9, lab.Exact).JudgedBy(r.full(on(13, 1), "EFT")),
		r.lowest(distributions, on(13, 1), "minimum at 13:1"),
		lab.InRange("648 ports, 18:1, even leaves full: EFT jumps", "from 65 % to over 90 %", 90, lab.Most).JudgedBy(r.full(on(18, 1), "EFT")),
		lab.Signed(lab.InRange("case 2, no leaf full: EFT rises with less skew, least step of 17:1, 17:9, 17:17", "increases gradually", lab.Noise, lab.Most)).JudgedBy(min(begun, ended), ok1 && ok2),
		lab.Signed(lab.InRange("case 2, 17:9: EFT is much lower than BEFT", "still much lower", 5, lab.Most)).JudgedBy(r.gain(on(17, 9))),
		lab.Signed(lab.InRange("dummy nodes work where leaves are full: EFT at 18:9 more than at 17:9", "not unless at least one switch is full", 5, lab.Most)).JudgedBy(r.step("EFT", on(17, 9), on(18, 9))),
		lab.Level("BEFT, mean of all distributions", "at a level of 90 %", 90, lab.Rough).JudgedBy(r.meanOn("BEFT", distributions)),
		lab.InRange("BEFT is predictable: most less least", "regardless of the number of nodes and their distribution", 0, 10).JudgedBy(highest-less, ok),
		lab.Signed(lab.InRange("BEFT gets slightly more where no leaf is full: 17:9 more than 18:9", "slightly higher", lab.Noise, 3)).JudgedBy(r.step("BEFT", on(18, 9), on(17, 9))),
		lab.Gained("the most that BEFT gains", "up to 30 % (abstract)", 30).JudgedBy(r.largestGain(distributions)),
	}
}

func (m *paperI) fig9(ctx context.Context, s *lab.Setup) *lab.Result {
	cases := fillings("fat3456", 12, lab.Pick(s, []int{1}, []int{1, 7, 11}), lab.Pick(s, nil, []int{6}))
	if s.Mode != lab.Full { // 1:1 alone
		for i := range cases {
			cases[i].distributions = cases[i].distributions[:1]
		}
	}
	return m.fillingFigure(ctx, s, "fig9", cases, func(r results) []lab.Claim {
		distributions := both(cases)
		if len(distributions) == 2 {
			distributions = append(distributions, distribution{"fat3456", 12, 12}) // not run
		}
		return r.figure9(distributions)
	})
}

func (r results) figure9(distributions []distribution) []lab.Claim {
	one := func(even int) distribution { return distribution{"fat3456", even, 1} } // odd leaves have one node
	lessEFT, mostEFT, ok1 := r.extremes("EFT", distributions)
	less, highest, ok2 := r.extremes("BEFT", distributions)
	return []lab.Claim{
		r.favours(one(1), "3456 ports", "lower even at 1:1"),
		lab.InRange("3456 ports, 7:1: EFT", "lower than 70 %", 0, 70).JudgedBy(r.full(one(7), "EFT")),
		lab.Level("3456 ports, 12:1: EFT", "64.3 %", 64.3, lab.Exact).JudgedBy(r.full(one(12), "EFT")),
		r.lowest(distributions, one(12), "minimum at 12:1"),
		lab.Signed(lab.InRange("3456 ports, 11:1 to 12:1, even leaves full: EFT does not jump", "dummy nodes do not activate", -5, 5)).JudgedBy(r.step("EFT", one(11), one(12))),
		lab.Gained("3456 ports, 12:1: BEFT drops against 11:1", "by 4.8 %", 4.8).JudgedBy(r.step("BEFT", one(12), one(11))),
		lab.Level("BEFT, at least", "88.5 %", 88.5, lab.Exact).JudgedBy(less, ok2),
		lab.Level("BEFT, at most", "96.2 %", 96.2, lab.Exact).JudgedBy(highest, ok2),
		lab.InRange("BEFT is more stable than EFT: most less least of EFT, less that of BEFT", "much more stable and predictable", 10, lab.Most).JudgedBy(mostEFT-lessEFT-highest+less, ok1 && ok2),
	}
}
