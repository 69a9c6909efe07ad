package intersubnet

import (
	"fmt"

	"weft/lab"
)

// Meanings of words of section 5.1, in points. Its smallest deterioration is 5 %; half of that
// counts as one.
const (
	deteriorates = 2.5 // at least; "almost constant" or "stable" curves change by less
	clearly      = 5.  // at least, for "clearly" more
	almostAll    = 4   // of the five shares above 0
	optimal      = 88. // at least, for "almost optimal", said of losses of up to 12 %
	slightly     = 17. // at most, for a "slight" loss, such as the 12 % of three subnets
)

// between are the shares with traffic between subnets.
var between = shares[1:]

// at returns a throughput; ok is false if it was not run.
func (got throughputs) at(count int, spots bool, method string, share int) (float64, bool) {
	v, ok := got[point{count, spots, method, share}]
	return v, ok
}

// mean returns the mean of a curve over some shares.
func (got throughputs) mean(count int, spots bool, method string, at []int) (mean float64, ok bool) {
	for _, share := range at {
		v, ok := got.at(count, spots, method, share)
		if !ok {
			return 0, false
		}
		mean += v / float64(len(at))
	}
	return mean, true
}

// change returns the rise of a curve from one share to another, in points.
func (got throughputs) change(count int, spots bool, method string, from, to int) (float64, bool) {
	x, ok1 := got.at(count, spots, method, from)
	y, ok2 := got.at(count, spots, method, to)
	return y - x, ok1 && ok2
}

// more returns the distance of curve a above curve b at a share, in points.
func (got throughputs) more(count int, spots bool, a, b string, share int) (float64, bool) {
	x, ok1 := got.at(count, spots, a, share)
	y, ok2 := got.at(count, spots, b, share)
	return x - y, ok1 && ok2
}

// claims judges the statements of section 5.1 about Fig. 2.
func (got throughputs) claims() (claims []lab.Claim) {
	for i, row := range lab.ReadPrinted(publishedText) {
		printed := row.Number("opensm_throughput_pct")
		claims = append(claims, lab.Level("OpenSM, uniform, 20 %: "+fabricName(fabrics[i]), fmt.Sprintf("%.4g %%", printed), printed, lab.Exact).JudgedBy(got.at(fabrics[i], false, "OpenSM", 20)))
	}
	claims = append(claims, got.growing("OpenSM, uniform, 20 %: more with each larger number of subnets", "increase for a larger number of subnets", false, "OpenSM", []int{20}), got.most())
	for _, count := range fabrics {
		claims = append(claims, got.ofUniform(count)...)
		claims = append(claims, got.ofHotSpots(count)...)
	}
	loss := func(count int) (float64, bool) {
		v, ok := got.change(count, false, "ISSR", 0, 100)
		return -v, ok
	}
	two, ok2 := loss(2)
	three, ok3 := loss(3)
	six, ok6 := loss(6)
	claims = append(claims,
		lab.Signed(lab.InRange("ISSR, uniform, loses at 100 %: 2 subnets", "slightly", deteriorates, slightly)).JudgedBy(two, ok2),
		lab.Gained("ISSR, uniform, loses at 100 %: 3 subnets", "12 %", 12).JudgedBy(three, ok3),
		lab.Gained("ISSR, uniform, loses at 100 %: 6 subnets", "5 %", 5).JudgedBy(six, ok6),
		lab.Signed(lab.InRange("ISSR, uniform, loses less at 100 % with 6 subnets than with 3", "smaller when the number of subnets increases", lab.Noise, lab.Most)).JudgedBy(three-six, ok3 && ok6))
	for _, m := range methods {
		claims = append(claims, got.growing("hot-spots, mean of 20 to 100 %: more with each larger number of subnets: "+m.name, "increase the performance of all the routing algorithms", true, m.name, between))
	}
	return claims
}

// ofUniform returns the claims about a fabric with uniform traffic.
func (got throughputs) ofUniform(count int) []lab.Claim {
	best := lab.InRange("ISSR and ISFR, uniform, at each share from 20 to 100 %: "+fabricName(count), "almost optimal", optimal, lab.Most).Each()
	for _, share := range between {
		for _, m := range methods[1:] {
			v, ok := got.at(count, false, m.name, share)
			best.Add(fmt.Sprintf("%s at %d %%", m.name, share), v, ok)
		}
	}
	return []lab.Claim{
		got.steady("ISFR, uniform, change from 20 % on: "+fabricName(count), "almost constant", count, false, 20),
		best.Judged(),
	}
}

// ofHotSpots returns the claims about a fabric with hot-spots.
func (got throughputs) ofHotSpots(count int) []lab.Claim {
	name := fabricName(count)
	ahead := lab.Signed(lab.InRange("ISSR above ISFR, hot-spots, at 20, 40 and 60 %: "+name, "clearly outperformed from 20 to 70 %", clearly, lab.Most)).Each()
	low := lab.Signed(lab.InRange("OpenSM above the lower of ISSR and ISFR, hot-spots, at each share from 20 to 100 %: "+name, "undesirable for every scenario", -lab.Most, -lab.Noise)).Each()
	above, all := 0., true
	for _, share := range between {
		of := fmt.Sprintf("at %d %%", share)
		v, ok := got.more(count, true, "ISSR", "ISFR", share)
		all = all && ok
		if share < 70 {
			ahead.Add(of, v, ok)
		}
		if v > lab.Noise {
			above++
		}
		issr, ok1 := got.more(count, true, "OpenSM", "ISSR", share)
		isfr, ok2 := got.more(count, true, "OpenSM", "ISFR", share)
		low.Add(of, max(issr, isfr), ok1 && ok2)
	}
	most := lab.RangeClaim{
		Claim: lab.NewClaim(fmt.Sprintf("ISSR above ISFR, hot-spots, at how many of the five shares from 20 to 100 %%: %s (%d or 5)", name, almostAll), "outperformed for almost all ISP values"),
		Low:   almostAll, High: float64(len(between)), Format: "%.1f",
	}
	return []lab.Claim{
		ahead.Judged(),
		most.JudgedBy(above, all),
		got.steady("ISFR, hot-spots, change from 40 % on: "+name, "becomes stable close to 40 %", count, true, 40),
		lab.Signed(lab.InRange("ISSR, hot-spots, falls from 40 to 100 %: "+name, "deteriorates", -lab.Most, -deteriorates)).JudgedBy(got.change(count, true, "ISSR", 40, 100)),
		low.Judged(),
	}
}

// steady returns a claim that ISFR's curve stays, at each larger share, at its value for one share.
func (got throughputs) steady(text, paper string, count int, spots bool, from int) lab.Claim {
	c := lab.Signed(lab.InRange(text, paper, -deteriorates, deteriorates)).Each()
	for _, share := range shares {
		if share > from {
			v, ok := got.change(count, spots, "ISFR", from, share)
			c.Add(fmt.Sprintf("to %d %%", share), v, ok)
		}
	}
	return c.Judged()
}

// growing returns a claim that the mean over some shares rises with the number of subnets.
func (got throughputs) growing(text, paper string, spots bool, method string, at []int) lab.Claim {
	c := lab.Signed(lab.InRange(text, paper, lab.Noise, lab.Most)).Each()
	for i, count := range fabrics[1:] {
		less, ok1 := got.mean(fabrics[i], spots, method, at)
		more, ok2 := got.mean(count, spots, method, at)
		c.Add(fmt.Sprint(fabrics[i], " to ", fabricName(count)), more-less, ok1 && ok2)
	}
	return c.Judged()
}

// most returns the claim about the largest ratio of ISSR's or ISFR's throughput to OpenSM's.
func (got throughputs) most() lab.Claim {
	factor, found := 0., false
	for p, v := range got {
		if open, ok := got.at(p.subnets, p.spots, "OpenSM", p.share); ok && open > 0 && p.method != "OpenSM" {
			factor, found = max(factor, v/open), true
		}
	}
	return lab.RatioOf("the most that ISSR or ISFR gives above OpenSM", "up to 100 times", 100).JudgedBy(factor, found)
}
