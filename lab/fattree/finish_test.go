package fattree

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/chart"
)

// TestFinish: a chart that was finished stays as it is when it is finished again.
func TestFinish(t *testing.T) {
	line := func(name string, y float64) chart.Series {
		return chart.Series{Name: name, Points: []chart.Point{{X: 100, Y: y}}}
	}
	for _, c := range []struct {
		chart  chart.Chart
		finish func(*chart.Chart)
		want   []chart.Series
	}{
		{chart.Chart{Name: "loads-fat648", Kind: chart.Lines, Series: []chart.Series{line("9:9 EFT", 80), line("9:9 BEFT", 85)}}, finishI, []chart.Series{line("9:9", 5)}},
		{
			chart.Chart{Name: "fig4", Kind: chart.Bars, Categories: []string{"9:9"}, Series: []chart.Series{{Name: "EFT", Points: []chart.Point{{Y: 80}}}, {Name: "BEFT"}}},
			finishI,
			[]chart.Series{
				{Name: "EFT", Points: []chart.Point{{Y: 80}}},
				{Name: "BEFT"},
				{Name: "paper: BEFT, relative to our EFT", Marks: "BEFT", Of: "EFT", Points: []chart.Point{{Y: 85}}},
			},
		},
		{
			chart.Chart{Name: "fig6", Kind: chart.Bars, Categories: []string{"racks648"}, Series: []chart.Series{{Name: "ftree", Points: []chart.Point{{Y: 100}}}, {Name: "mFtree", Points: []chart.Point{{Y: 125}}}}},
			finishVI,
			[]chart.Series{
				{Name: "mFtree over ftree", Points: []chart.Point{{Y: 25}}},
				{Name: "paper: mFtree over ftree", Marks: "mFtree over ftree", Points: []chart.Point{{Y: 2}}},
			},
		},
		{
			chart.Chart{Name: "fig5", Kind: chart.Bars, Categories: []string{"racks648"}, Series: []chart.Series{{Name: "ftree", Points: []chart.Point{{Y: 1000}}}, {Name: "mFtree", Points: []chart.Point{{Y: 1000}}}}},
			finishVI,
			[]chart.Series{
				{Name: "mFtree over ftree", Points: []chart.Point{{}}},
				{Name: "paper; a slim bar is a range", Marks: "mFtree over ftree", Points: []chart.Point{{Y: .8, Low: .8, High: 1.8}}},
			},
		},
		{
			chart.Chart{Name: "fig3", Kind: chart.Lines, Series: []chart.Series{
				{Name: "ftree", Points: []chart.Point{{X: .5, Y: 100}, {X: 30.5}}},
				{Name: "mFtree", Points: []chart.Point{{X: .5, Y: 100}, {X: 30.5, Y: 50}}},
				{Name: "ours", Points: []chart.Point{{X: .5, Y: 100}, {X: 30.5, Y: 50}}},
			}},
			finishVI,
			[]chart.Series{
				{Name: "ftree", Points: []chart.Point{{X: .5, Y: 100}, {X: 30.5}}},
				{Name: "mFtree and ours", Points: []chart.Point{{X: .5, Y: 100}, {X: 30.5, Y: 50}}},
				{Name: "paper: ftree", Marks: "ftree", Points: []chart.Point{{X: 30.5}}},
				{Name: "paper: mFtree keeps half", Marks: "mFtree and ours", Of: "mFtree and ours", Points: []chart.Point{{X: 30.5, Y: 50}}},
			},
		},
		{
			chart.Chart{Name: "beyond-average-of-random-rings", Kind: chart.Lines, Series: []chart.Series{line("fat-tree", 40), line("MinHop", 30), line("ours", 41)}},
			finishIV,
			[]chart.Series{line("ours", 1)},
		},
	} {
		for range 2 {
			c.finish(&c.chart)
			if diff := cmp.Diff(c.want, c.chart.Series); diff != "" {
				t.Error(diff)
			}
		}
	}
}
