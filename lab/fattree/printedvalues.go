package fattree

import "weft/lab/chart"

// saidOfPaper1 holds the values that Paper I prints of the figures on distributions of nodes, in percent of capacity, and as gains of BEFT over EFT. Of
// "over 90 %" or "at most 6 %" it is the number.
var saidOfPaper1 = map[string][]chart.PrintedValue{
	"fig4": {gain("9:9", 5, 5), level("EFT", "17:1", 65), level("BEFT", "17:1", 90), gain("18:18", 0, 0)},
	"fig5": {gain("12:12", 6, 6), gain("22:1", 6, 6), gain("24:24", 6, 6)},
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
		point("EFT, case 1", 342, 90),
		point("BEFT, case 1", 36, 90),
		point("BEFT, case 1", 648, 90),
	},
	"fig9": {
		point("EFT, case 1", 1152, 70),
		point("EFT, case 1", 1872, 64.3),
		{Series: "BEFT, case 1", X: 288, Low: 88.5, High: 96.2},
		{Series: "BEFT, case 1", X: 3456, Low: 88.5, High: 96.2},
	},
}

// saidOfFig2 holds the value that Paper IV prints: 80 failed links take 35 % of what fat-tree routing gives.
var saidOfFig2 = chart.PrintedValue{Series: "fat-tree", X: 80, Low: .65, High: .65, Of: "fat-tree"}

// saidOfFig7 holds the values of nodes that Paper III prints, by chart: switches at full load take 1 %, or leave 64 %.
var saidOfFig7 = map[string]chart.PrintedValue{
	"fig7a": {Series: "nodes", X: 100, Low: .99, High: .99, Of: "nodes"},
	"fig7b": point("nodes", 100, 64),
}

// saidOfFig3 holds the rate of a node while a spine is down that Paper VI prints: half of what it gets by mFtree, nothing by classic routing.
var saidOfFig3 = []chart.PrintedValue{
	{Series: "mFtree", X: 30.5, Low: .5, High: .5, Of: "mFtree", OfX: .5},
	point("ftree", 30.5, 0),
}

// gain holds by how many percent BEFT is ahead of EFT, from the least to the most.
func gain(group string, low, high float64) chart.PrintedValue {
	return chart.PrintedValue{Series: "BEFT", Group: group, Low: 1 + low/100, High: 1 + high/100, Of: "EFT"}
}

func level(series, group string, v float64) chart.PrintedValue {
	return chart.PrintedValue{Series: series, Group: group, Low: v, High: v}
}

func point(series string, x, v float64) chart.PrintedValue {
	return chart.PrintedValue{Series: series, X: x, Low: v, High: v}
}

// marksOfPaper6 are the printed gains of mFtree.
func marksOfPaper6(text []printedGain) (marks []chart.PrintedValue) {
	for _, c := range text {
		low, high := 1+c.gain/100, 1+c.gain/100
		if c.most != 0 {
			high = 1 + c.most/100
		}
		marks = append(marks, chart.PrintedValue{Series: "mFtree", Group: c.base, Low: low, High: high, Of: "ftree"})
	}
	return marks
}
