package fattree

import (
	"fmt"

	"weft/lab"
)

// favours returns the claim that BEFT is better than EFT on a distribution, if no number is
// printed.
func (r results) favours(p distribution, text, paper string) lab.Claim {
	return lab.Signed(lab.InRange(fmt.Sprintf("%s, %s: BEFT gains", text, p.ratio()), paper, lab.Noise, lab.Most)).JudgedBy(r.gain(p))
}

// gains returns the claim that BEFT gains the printed value.
func (r results) gains(p distribution, text, paper string, printed float64) lab.Claim {
	return lab.Gained(fmt.Sprintf("%s, %s: BEFT gains", text, p.ratio()), paper, printed).JudgedBy(r.gain(p))
}

// extremes returns the least and the largest throughput with a balance on some distributions.
func (r results) extremes(name string, distributions []distribution) (least, most float64, ok bool) {
	n := 0
	for _, p := range distributions {
		if v, found := r.full(p, name); found {
			if n == 0 {
				least, most = v, v
			}
			least, most, n = min(least, v), max(most, v), n+1
		}
	}
	return least, most, n == len(distributions) && n > 0
}

func (r results) figure4() []lab.Claim {
	const name = "648 ports"
	whole, skewed, sparse := distribution{"fat648", 18, 18}, distribution{"fat648", 17, 1}, distribution{"fat648", 9, 9}
	others := []distribution{sparse, {"fat648", 11, 7}, {"fat648", 13, 5}, skewed}
	eft, ok1 := r.full(whole, "EFT")
	beft, ok2 := r.full(whole, "BEFT")
	_, best, ok3 := r.extremes("EFT", others)
	worst, _, ok4 := r.extremes("BEFT", others)
	fewer, ok5 := r.step("EFT", sparse, whole)
	return []lab.Claim{
		r.gains(sparse, name, "about 5 %", 5),
		r.favours(others[1], name, "better for all distributions"),
		r.favours(others[2], name, "better for all distributions"),
		lab.Level("648 ports, 17:1: EFT", "about 65 %", 65, lab.Rough).JudgedBy(r.full(skewed, "EFT")),
		lab.InRange("648 ports, 17:1: BEFT", "over 90 %", 90, lab.Most).JudgedBy(r.full(skewed, "BEFT")),
		r.gains(whole, name, "the best case of EFT equals the worst of BEFT, fully populated", 0),
		lab.Signed(lab.InRange("fully populated is the best case of EFT: no less there than on any other distribution", "the best case", -lab.Noise, lab.Most)).JudgedBy(eft-best, ok1 && ok3),
		lab.Signed(lab.InRange("fully populated is the worst case of BEFT: no more there than on any other distribution", "the worst case", -lab.Noise, lab.Most)).JudgedBy(worst-beft, ok2 && ok4),
		lab.Signed(lab.InRange("EFT gives a node less when there are fewer: 18:18 against 9:9", "less throughput a node (section I)", lab.Noise, lab.Most)).JudgedBy(fewer, ok5),
	}
}

func (r results) figure5() (claims []lab.Claim) {
	for _, p := range printedDistributions("racks648") {
		claims = append(claims, lab.Signed(lab.InRange(fmt.Sprintf("648 ports with racks, %s: BEFT gains at most 6 %%", p.ratio()), "at most 6 %, always in favour of BEFT", lab.Noise, 6)).JudgedBy(r.gain(p)))
	}
	return claims
}

func (r results) figure6() []lab.Claim {
	even, skewed := distribution{"fat3456", 6, 6}, distribution{"fat3456", 11, 1}
	fall, ok1 := r.step("EFT", skewed, even)
	least, highest, ok2 := r.extremes("BEFT", []distribution{even, {"fat3456", 7, 5}, {"fat3456", 9, 3}, skewed})
	return []lab.Claim{
		lab.Level("3456 ports, 6:6: BEFT", "95.42 %", 95.42, lab.Exact).JudgedBy(r.full(even, "BEFT")),
		lab.Level("3456 ports, 6:6: EFT", "89.85 %", 89.85, lab.Exact).JudgedBy(r.full(even, "EFT")),
		lab.InRange("3456 ports: EFT falls with skew, from 6:6 to 11:1", "dramatically", 15, lab.Most).JudgedBy(fall, ok1),
		lab.InRange("3456 ports: BEFT stays with skew, from 6:6 to 11:1, most less least", "generally constant", 0, 3).JudgedBy(highest-least, ok2),
	}
}

func (r results) figure7() []lab.Claim {
	return []lab.Claim{
		r.gains(distribution{"juropa", 23, 1}, "JuRoPA-like", "5 %", 5),
		lab.Signed(lab.InRange("JuRoPA-like, 12:12: BEFT gains", "at least a few percent", 2, lab.Most)).JudgedBy(r.gain(distribution{"juropa", 12, 12})),
		lab.Signed(lab.InRange("JuRoPA-like, 24:24: BEFT gains less than a few percent", "apart from the fully-populated state", -lab.Noise, 2)).JudgedBy(r.gain(distribution{"juropa", 24, 24})),
	}
}

func (r results) ranger() (claims []lab.Claim) {
	for _, x := range [][2]int{{6, 6}, {7, 5}, {9, 3}, {11, 1}} {
		p := distribution{"ranger", x[0], x[1]}
		claims = append(claims, lab.Signed(lab.InRange(fmt.Sprintf("Ranger-like, %s: BEFT gains 1 to 2 %%", p.ratio()), "1 to 2 %, in favour of BEFT", .5, 4)).JudgedBy(r.gain(p)))
	}
	return append(claims, r.gains(distribution{"ranger", 12, 12}, "Ranger-like", "identical", 0))
}
