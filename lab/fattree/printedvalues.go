package fattree

import (
	"cmp"
	"slices"

	"weft/internal/chart"
)

// saidOfPaper1 holds the values that Paper I prints for the figures on distributions of nodes, in
// percent of capacity, and as gains of BEFT over EFT. Bounds, such as "over 90 %" or "at most 6 %",
// are left out.
var saidOfPaper1 = map[string][]chart.PrintedValue{
	"fig4": {gain("9:9", 5, 5), level("EFT", "17:1", 65), gain("18:18", 0, 0)},
	"fig6": {level("EFT", "6:6", 89.85), level("BEFT", "6:6", 95.42)},
	"fig7": {gain("23:1", 5, 5)},
	"ranger": {
		gain("6:6", 1, 2),
		gain("7:5", 1, 2),
		gain("9:3", 1, 2),
		gain("11:1", 1, 2),
		gain("12:12", 0, 0),
	},
	"fig8": {
		point("EFT, case 1", 108, 70),
		point("EFT, case 1", 252, 64.9),
		point("BEFT, case 1", 36, 90),
		point("BEFT, case 1", 648, 90),
	},
	"fig9": {
		point("EFT, case 1", 1872, 64.3),
		{Series: "BEFT, case 1", X: 288, Low: 88.5, High: 96.2},
		{Series: "BEFT, case 1", X: 3456, Low: 88.5, High: 96.2},
	},
}

// saidOfPaper4 holds the value that Paper IV prints: 80 failed links cost fat-tree routing 35 %.
var saidOfPaper4 = map[string][]chart.PrintedValue{
	"fig2": {{Series: "fat-tree", X: 80, Low: .65, High: .65, Of: "fat-tree"}},
}

// saidOfPaper3 holds the values for nodes that Paper III prints: switches at full load take 1 %, or
// leave 64 %. In Fig. 6 the edited tables deadlock when the last stream begins, and a node gets
// nothing from then on.
var saidOfPaper3 = map[string][]chart.PrintedValue{
	"fig6":  {point("edited by hand", 3.55, 0), point("edited by hand", 9.95, 0)},
	"fig7a": {{Series: "nodes", X: 100, Low: .99, High: .99, Of: "nodes"}},
	"fig7b": {point("nodes", 100, 64)},
}

// saidOfPaper6 holds the values that Paper VI prints: the rate of a node while a spine is down
// (half of its rate with mFtree, zero with classic routing), and gains of mFtree.
var saidOfPaper6 = map[string][]chart.PrintedValue{
	"fig3": {{Series: "mFtree", X: 30.5, Low: .5, High: .5, Of: "mFtree", OfX: .5}, point("ftree", 30.5, 0)},
	"fig4": marksOfPaper6(gainsOfUniform),
	"fig5": marksOfPaper6(gainsOfShifts, risesOfShifts),
	"fig6": marksOfPaper6(gainsOfDoublings),
}

// gain returns the mark for a lead of BEFT over EFT, low to high percent of capacity.
func gain(group string, low, high float64) chart.PrintedValue {
	return chart.PrintedValue{Series: "BEFT", Group: group, Low: low, High: high, Of: "EFT", Points: true}
}

func level(series, group string, v float64) chart.PrintedValue {
	return chart.PrintedValue{Series: series, Group: group, Low: v, High: v}
}

func point(series string, x, v float64) chart.PrintedValue {
	return chart.PrintedValue{Series: series, X: x, Low: v, High: v}
}

// marksOfPaper6 returns the marks of mFtree's printed gains.
func marksOfPaper6(printed ...[]printedGain) (marks []chart.PrintedValue) {
	for _, c := range slices.Concat(printed...) {
		most := cmp.Or(c.most, c.gain)
		marks = append(marks, chart.PrintedValue{Series: "mFtree" + overFtree, Group: treeNames[c.base], Low: c.gain, High: most})
	}
	return marks
}
