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
				{Name: "paper, relative to our EFT", Marks: "BEFT", Of: "EFT", Points: []chart.Point{{Y: 85}}},
			},
		},
		{
			chart.Chart{Name: "fig6", Kind: chart.Bars, Categories: []string{"racks648"}, Series: []chart.Series{{Name: "ftree", Points: []chart.Point{{Y: 100}}}, {Name: "mFtree"}}},
			finishVI,
			[]chart.Series{
				{Name: "ftree", Points: []chart.Point{{Y: 100}}},
				{Name: "mFtree"},
				{Name: "paper, relative to our ftree", Marks: "mFtree", Of: "ftree", Points: []chart.Point{{Y: 102}}},
			},
		},
		{
			chart.Chart{Name: "fig5", Kind: chart.Bars, Categories: []string{"fat648"}, Series: []chart.Series{{Name: "ftree", Points: []chart.Point{{Y: 1000}}}, {Name: "mFtree"}}},
			finishVI,
			[]chart.Series{
				{Name: "ftree", Points: []chart.Point{{Y: 1000}}},
				{Name: "mFtree"},
				{Name: "paper, relative to our ftree", Marks: "mFtree", Of: "ftree", Points: []chart.Point{{Y: 955}}},
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
