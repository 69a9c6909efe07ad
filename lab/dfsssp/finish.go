package dfsssp

import (
	"cmp"
	"slices"

	"weft/internal/chart"
	"weft/lab"
)

// finish sets titles, axes and marks.
func finish(c *chart.Chart) {
	switch c.Name {
	case "fig4", "fig5", "fig6":
		bySize(c)
		c.Y.Label = "share of a link (mean, least, most)"
	case "fig4-gain":
		c.Mark(saidOfFig4()...)
		nameMarks(c, "paper (bar: all systems)")
	case "fig5-gain":
		bySize(c)
		c.Mark(chart.PrintedValue{Series: dfsssp, Group: "1024", Low: 100, High: 100})
		nameMarks(c, "paper: about twice MinHop")
	case "fig7", "fig8":
		tenfold(c)
	case "table2":
		c.Y.Label = "time of communication, MinHop to DFSSSP (1: no gain)"
		for i := range c.Series {
			c.Series[i].Name = cmp.Or(legendOfTable2[c.Series[i].Name], c.Series[i].Name)
		}
		c.Mark(saidOfTable2()...)
		nameMarks(c, "paper: communication all or half")
	case "fig14":
		scaled(c, chart.Series{Name: "paper, BT (range)", Marks: minhop, Points: []chart.Point{
			ofCommunication(121, -asWell, asWell), ofCommunication(256, -asWell, asWell), ofCommunication(manyCores, wholeOf("BT"), wholeOf("BT")),
		}}, chart.Series{Name: "paper, SP, beside it (range)", Marks: minhop, Points: []chart.Point{
			ofCommunication(manyCores*aside, wholeOf("SP"), wholeOf("SP")),
		}})
	case "fig16":
		scaled(c, chart.Series{Name: rangeOfPaper, Marks: minhop, Points: []chart.Point{
			ofCommunication(128, 20, 30), ofCommunication(256, 20, 30), ofCommunication(manyCores, wholeOf("FT"), wholeOf("FT")),
		}})
	}
}

// legendOfTable2 explains the bars of Table II.
var legendOfTable2 = map[string]string{inTime: "in time, by packets", counted: "counted, by congestion"}

const rangeOfPaper = "paper (range)"

// aside places a mark beside another one, on an axis of cores.
const aside = 1.06

// nameMarks names the marks of a chart in its legend.
func nameMarks(c *chart.Chart, name string) {
	for i := range c.Series {
		if c.Series[i].Marks != "" {
			c.Series[i].Name = name
		}
	}
}

// bySize makes groups of bars of lines over the sizes of Table I. Sizes are networks of their own,
// so lines between them mean nothing; and lines of engines that are alike hide each other.
func bySize(c *chart.Chart) {
	if c.Kind == chart.Bars {
		return
	}
	c.Kind, c.X = chart.Bars, chart.Axis{Label: c.X.Label}
	var sizes []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			sizes = append(sizes, p.X)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for _, size := range sizes {
		c.Categories = append(c.Categories, count(int(size)))
	}
	for _, s := range c.Series {
		for i := range s.Points {
			s.Points[i].X = float64(slices.Index(sizes, s.Points[i].X))
		}
	}
}

// tenfold marks ten times our MinHop's time, where that is long enough for a ratio.
func tenfold(c *chart.Chart) {
	var said []chart.PrintedValue
	for _, s := range c.Series {
		if s.Name != minhop {
			continue
		}
		for _, p := range s.Points {
			if p.Y < shortest {
				continue
			}
			x := chart.PrintedValue{Series: dfsssp, X: p.X, OfX: p.X, Low: 10, High: 10, Of: minhop}
			if c.Kind == chart.Bars {
				x.Group = c.Categories[int(p.X)]
			}
			said = append(said, x)
		}
	}
	c.Mark(said...)
	nameMarks(c, "paper: 10 times our minhop")
}

// saidOfFig4 returns the printed gains, or their range over all systems.
func saidOfFig4() (said []chart.PrintedValue) {
	for _, x := range gainsOfFig4 {
		low, high := x.printed, x.printed
		if x.printed == 0 {
			low, high = leastOfFig4, mostOfFig4
		}
		said = append(said, chart.PrintedValue{Series: dfsssp, Group: x.system, Low: low, High: high})
	}
	return said
}

// saidOfTable2 returns the ranges of communication that follow from Table II.
func saidOfTable2() (said []chart.PrintedValue) {
	for _, printed := range lab.ReadPrinted(publishedTable2) {
		p := ofCommunication(0, printed.Number(gainOfWhole), printed.Number(gainOfWhole))
		said = append(said, chart.PrintedValue{Series: legendOfTable2[inTime], Group: printed["benchmark"], Low: p.Low, High: p.High})
	}
	return said
}

// ofCommunication returns the range of the ratio of communication if the whole benchmark gains low
// to high per cent.
func ofCommunication(x, low, high float64) chart.Point {
	from, to := gainRange(low, high)
	return chart.Point{X: x, Y: 1 + from/100, Low: 1 + from/100, High: 1 + to/100}
}

// scaled sets the marks of a benchmark's figure.
func scaled(c *chart.Chart, marks ...chart.Series) {
	c.Y.Label = "time of communication to that under DFSSSP"
	c.Series = append(slices.DeleteFunc(c.Series, func(s chart.Series) bool { return s.Marks != "" }), marks...)
}
