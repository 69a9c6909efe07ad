package chart

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Width and Height are the size of a chart, in the units of WriteSpots.
const (
	Width  = width
	Height = height
)

// WriteSpots draws the chart as WriteSVG does, and returns the series with the places of their
// points in the picture, from its upper left corner: of a line the point, of bars the middle of the
// end of the bar. Marks have no places.
func (c *Chart) WriteSpots(w io.Writer) ([]Series, error) { return writeAll(w, []Chart{*c}) }

// spots returns the places of points in the picture; top is the upper edge of the chart, data the
// part between the axes, and shown the series as drawn.
func (c *Chart) spots(p *plot.Plot, top vg.Length, data draw.Canvas, shown []Series) []Series {
	tx, ty := p.Transforms(&data)
	all, _ := withoutMarks(shown, "")
	at := 0 // index into all
	list := make([]Series, len(c.Series))
	for i := range c.Series {
		list[i].Name = c.Series[i].Name
		if c.Series[i].Marks != "" || len(c.Series[i].Points) == 0 {
			continue
		}
		aside := 0.0
		if c.Kind == Bars {
			aside = barMiddle(at, len(all))
		}
		for _, pt := range all[at].Points {
			list[i].Add(float64(tx(pt.X+aside)), float64(top-ty(pt.Y)), 0, 0)
		}
		at++
	}
	return list
}

// barMiddle returns the distance from the middle of a group to the middle of a bar of it.
func barMiddle(index, of int) float64 {
	return groupShare/float64(of)*(float64(index)+0.45) - groupShare/2
}

// slant is the angle of slanting names.
const slant = math.Pi / 6

// crowded reports whether the names of categories are too long for their places.
func (c *Chart) crowded() bool {
	room := (width - 2*margin - scale - c.side()) / vg.Length(len(c.Categories))
	for _, name := range c.Categories {
		if digit*vg.Length(len(name))+blank > room {
			return true
		}
	}
	return false
}
