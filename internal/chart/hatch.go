package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hatch is a set of directions for lines over a bar.
type hatch uint8

// The directions.
const (
	level hatch = 1 << iota
	upright
	rising
	falling
)

// hatches distinguish the bars of series without colour: one for each colour of the palette.
var hatches = []hatch{0, rising, falling, level, rising | falling, upright, level | upright, 0, rising | level, falling | upright}

// dashes distinguish the lines of series without colour: one for each colour of the palette.
var dashes = [][]vg.Length{nil, {7, 2}, {2, 2}, {8, 2, 2, 2}, {4, 2}, {12, 3}, {1, 2}, {8, 2, 2, 2, 2, 2}, {5, 4}, {3, 1}}

// The lines of a hatch, in points.
const (
	hatchStep  = 4.5 // distance between lines
	hatchWidth = 0.7
)

// drawBar draws a bar: an area with an edge and the lines of a hatch, white on dark colours and
// black on light ones.
func drawBar(c *draw.Canvas, paint color.RGBA, h hatch, r vg.Rectangle) {
	c.FillPolygon(paint, []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}})
	style := draw.LineStyle{Color: color.Black, Width: hatchWidth}
	if lightness(paint) < 0.5 {
		style.Color = color.White
	}
	if lines := h.lines(r); len(lines) > 0 {
		var path vg.Path
		for _, l := range lines {
			path.Move(l[0])
			path.Line(l[1])
		}
		c.SetLineStyle(style)
		c.Stroke(path)
	}
	c.StrokeLines(draw.LineStyle{Color: color.Black, Width: 0.4}, []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}, r.Min})
}

// lightness returns the lightness of a colour in grey, from 0 to 1.
func lightness(c color.RGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// lines returns the lines of a hatch inside a bar, from end to end.
func (h hatch) lines(r vg.Rectangle) (lines [][2]vg.Point) {
	width, height := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	add := func(x0, y0, x1, y1 vg.Length) {
		lines = append(lines, [2]vg.Point{{X: r.Min.X + x0, Y: r.Min.Y + y0}, {X: r.Min.X + x1, Y: r.Min.Y + y1}})
	}
	if h&level != 0 {
		for y := vg.Length(hatchStep); y < height; y += hatchStep {
			add(0, y, width, y)
		}
	}
	if h&upright != 0 {
		n := max(int(width/hatchStep), 2) // at least one line in a narrow bar
		for i := 1; i < n; i++ {
			x := width * vg.Length(i) / vg.Length(n)
			add(x, 0, x, height)
		}
	}
	for _, slope := range []hatch{rising, falling} {
		if h&slope == 0 {
			continue
		}
		for at := vg.Length(hatchStep); at < width+height; at += hatchStep * 1.4 { // where the line would cross the left or the right edge
			x0, x1 := max(0, at-height), min(width, at)
			y0, y1 := at-x0, at-x1
			if slope == rising {
				x0, x1 = width-x0, width-x1
			}
			add(x0, y0, x1, y1)
		}
	}
	return lines
}
