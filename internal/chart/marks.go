package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shapes mark the points of a line, so that series differ without colour.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	draw.SquareGlyph{},
	draw.TriangleGlyph{},
	draw.PyramidGlyph{},
	draw.RingGlyph{},
	draw.BoxGlyph{},
	draw.CrossGlyph{},
	draw.PlusGlyph{},
}

// rangeStyle returns the style of ranges.
func rangeStyle(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: 0.8} }

// drawRange draws the range of a point at x: a line with two caps, each half wide to either side.
func drawRange(c *draw.Canvas, style draw.LineStyle, x, low, high, half vg.Length) {
	c.StrokeLine2(style, x, low, x, high)
	c.StrokeLine2(style, x-half, low, x+half, low)
	c.StrokeLine2(style, x-half, high, x+half, high)
}

// bars draws the bars of one series, next to the others.
type bars struct {
	series Series
	color  color.RGBA
	hatch  hatch
	of     int // number of series
	index  int // of this series
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	slot := groupShare / float64(b.of)
	for _, pt := range b.series.Points {
		left := tx(pt.X - groupShare/2 + slot*float64(b.index))
		right := tx(pt.X - groupShare/2 + slot*(float64(b.index)+0.9))
		bottom, top := ty(max(p.Y.Min, 0)), ty(pt.Y)
		drawBar(&c, b.color, b.hatch, vg.Rectangle{Min: vg.Point{X: left, Y: min(bottom, top)}, Max: vg.Point{X: right, Y: max(bottom, top)}})
		if pt.Low < pt.High {
			drawRange(&c, rangeStyle(color.Black), (left+right)/2, ty(pt.Low), ty(pt.High), (right-left)/4)
		}
	}
}

// DataRange implements plot.DataRanger.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) { return b.series.extent() }

// Thumbnail implements plot.Thumbnailer.
func (b *bars) Thumbnail(c *draw.Canvas) { drawBar(c, b.color, b.hatch, c.Rectangle) }

// markRoom is the least distance between two marks of a line. Marks distinguish lines; more of them
// would only hide other lines.
const markRoom = 9

// line draws the line of one series.
type line struct {
	series Series
	color  color.Color
	shape  draw.GlyphDrawer
	dashes []vg.Length
	aside  vg.Length // offset of ranges, so that they do not hide each other
}

func (l *line) style() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 1.4, Dashes: l.dashes}
}

func (l *line) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: 2.6, Shape: l.shape}
}

// Plot implements plot.Plotter.
func (l *line) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	at := make([]vg.Point, len(l.series.Points))
	for i, pt := range l.series.Points {
		at[i] = vg.Point{X: tx(pt.X), Y: ty(pt.Y)}
		if pt.Low < pt.High {
			drawRange(&c, rangeStyle(l.color), at[i].X+l.aside, ty(pt.Low), ty(pt.High), 2)
		}
	}
	c.StrokeLines(l.style(), at)
	last := 0 // index of the last marked point
	for i, pt := range at {
		if i == 0 || math.Hypot(float64(pt.X-at[last].X), float64(pt.Y-at[last].Y)) >= markRoom {
			c.DrawGlyph(l.glyph(), pt)
			last = i
		}
	}
}

// DataRange implements plot.DataRanger.
func (l *line) DataRange() (xmin, xmax, ymin, ymax float64) { return l.series.extent() }

// Thumbnail implements plot.Thumbnailer.
func (l *line) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(l.style(), c.Min.X, y, c.Max.X, y)
	c.DrawGlyph(l.glyph(), c.Center())
}

// marks draws a series of marks alone, in the colour and shape of their series, with black edges,
// and empty if they are relative to ours. In bar charts they stand over the bars of that series. A
// range is a slim bar, since no value in its middle is printed.
type marks struct {
	series Series
	color  color.Color
	shape  draw.GlyphDrawer
	aside  float64 // offset from the place of a point
}

func (c *Chart) newMarks(shown []Series, i int) *marks {
	_, look := withoutMarks(c.Series, shown[i].Marks)
	all, at := withoutMarks(shown, shown[i].Marks)
	m := &marks{series: shown[i], color: palette[look%len(palette)], shape: shapes[look%len(shapes)]}
	if c.Kind == Bars {
		slot := groupShare / float64(max(len(all), 1))
		m.shape, m.aside = draw.CircleGlyph{}, slot*(float64(at)+0.65)-groupShare/2 // next to the range of the bar
	}
	return m
}

// Plot implements plot.Plotter.
func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, pt := range m.series.Points {
		at := vg.Point{X: tx(pt.X + m.aside), Y: ty(pt.Y)}
		if pt.Low < pt.High {
			m.between(&c, at.X, ty(pt.Low), ty(pt.High))
		} else {
			m.mark(&c, at)
		}
	}
}

// between draws a printed range as a slim bar in the colour of its series, with a white and a black
// edge, so that it is visible on any other bar.
func (m *marks) between(c *draw.Canvas, x, low, high vg.Length) {
	edges := []struct {
		color.Color
		wide vg.Length
	}{{color.Black, 2.2}, {color.White, 1.4}, {m.color, 0}}
	if m.relative() {
		edges = edges[:2]
	}
	for _, edge := range edges {
		left, right, bottom, top := x-2-edge.wide, x+2+edge.wide, low-edge.wide, high+edge.wide
		c.FillPolygon(edge.Color, []vg.Point{{X: left, Y: bottom}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}})
	}
}

func (m *marks) mark(c *draw.Canvas, at vg.Point) {
	edge := m.shape
	switch edge.(type) {
	case draw.RingGlyph, draw.BoxGlyph, draw.CrossGlyph, draw.PlusGlyph: // shapes of lines, which have no edge
		edge = draw.CircleGlyph{}
	}
	c.DrawGlyph(draw.GlyphStyle{Color: color.Black, Radius: 5.2, Shape: edge}, at)
	c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: 4, Shape: edge}, at)
	if !m.relative() {
		c.DrawGlyph(draw.GlyphStyle{Color: m.color, Radius: 2.4, Shape: m.shape}, at)
	}
}

// relative reports whether the marks are printed relative to a series of ours.
func (m *marks) relative() bool { return m.series.Of != "" }

// DataRange implements plot.DataRanger.
func (m *marks) DataRange() (xmin, xmax, ymin, ymax float64) { return m.series.extent() }

// Thumbnail implements plot.Thumbnailer.
func (m *marks) Thumbnail(c *draw.Canvas) {
	if slices.ContainsFunc(m.series.Points, func(p Point) bool { return p.Low >= p.High }) {
		m.mark(c, c.Center())
	} else {
		m.between(c, c.Center().X, c.Min.Y+2.2, c.Max.Y-2.2)
	}
}

// style returns the style of the line.
func (x *Upright) style() draw.LineStyle {
	return draw.LineStyle{Color: color.Black, Width: 1.2, Dashes: []vg.Length{4, 3}}
}

// Plot implements plot.Plotter: a vertical line through the picture.
func (x *Upright) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	c.StrokeLine2(x.style(), tx(x.X), c.Min.Y, tx(x.X), c.Max.Y)
}

// Thumbnail implements plot.Thumbnailer.
func (x *Upright) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(x.style(), c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
}

// extent returns the extent of the points, including their ranges.
func (s *Series) extent() (xmin, xmax, ymin, ymax float64) {
	for i, pt := range s.Points {
		low, high := pt.Y, pt.Y
		if pt.Low < pt.High {
			low, high = pt.Low, pt.High
		}
		if i == 0 {
			xmin, xmax, ymin, ymax = pt.X, pt.X, low, high
			continue
		}
		xmin, xmax = min(xmin, pt.X), max(xmax, pt.X)
		ymin, ymax = min(ymin, low), max(ymax, high)
	}
	return xmin, xmax, ymin, ymax
}
