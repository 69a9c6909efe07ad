package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The measures of a picture, in points.
const (
	width      = 640
	height     = 330
	margin     = 6
	groupShare = 0.8 // share of a group's width for its bars
	letter     = 5.2 // mean width in the legend
	thumbnail  = 34  // width in the legend, with the space around it
	scale      = 50  // width of the axis of values, with its label
	digit      = 5.2 // width in the label of a tick
	blank      = 4   // least distance between two such labels
	apart      = 2.6 // distance between two ranges at the same place
)

// palette holds the colours of Okabe and Ito, which colour-blind readers can distinguish too.
var palette = []color.RGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
	{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x00, B: 0x00, A: 0xff},
	{R: 0x99, G: 0x99, B: 0x99, A: 0xff},
	{R: 0xb8, G: 0xa8, B: 0x1c, A: 0xff},
	{R: 0x7a, G: 0x3e, B: 0x9d, A: 0xff},
}

// WriteSVG draws the chart. It fails if a logarithmic axis has a point that is not positive, or if
// a chart has nothing to draw.
func (c *Chart) WriteSVG(w io.Writer) error { return WriteAll(w, *c) }

// WriteAll draws charts one below the other. It fails like WriteSVG.
func WriteAll(w io.Writer, charts ...Chart) error {
	_, err := writeAll(w, charts)
	return err
}

// writeAll draws charts, and returns the places of all points, each in its chart.
func writeAll(w io.Writer, charts []Chart) (spots []Series, err error) {
	canvas := vgsvg.New(width, vg.Length(height*len(charts)))
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	side := vg.Length(0) // the same for all, so that their axes X are below each other
	for i := range charts {
		side = max(side, charts[i].side())
	}
	for i := range charts {
		if err := charts[i].check(); err != nil {
			return nil, err
		}
		above := vg.Length(height * i)
		spots = append(spots, charts[i].draw(draw.Crop(page, margin, -margin, page.Max.Y-above-height+margin, -above-margin), side)...)
	}
	_, err = canvas.WriteTo(w)
	return spots, err
}

// shown lists the series that have points.
func (c *Chart) shown() []Series {
	return slices.DeleteFunc(slices.Clone(c.Series), func(s Series) bool { return len(s.Points) == 0 })
}

// side returns the width of the legend, which is next to the picture.
func (c *Chart) side() vg.Length { return thumbnail + letter*vg.Length(c.longest(c.shown())) }

// draw draws the chart on a part of a page, with a legend of the given width, and returns the
// places of its points.
func (c *Chart) draw(page draw.Canvas, side vg.Length) []Series {
	p := plot.New()
	shown := c.shown()
	places := c.places(width - 2*margin - side - scale)
	if c.X.Even {
		c, shown, places = c.spaced(shown, places)
	}
	c.axes(p, places)
	legend := plot.NewLegend()
	setFont(&legend.TextStyle, 9)
	legend.YPosition = draw.PosCenter
	legend.Top, legend.Left, legend.XOffs = true, true, 4
	legend.Padding = 3
	for i := range shown {
		if shown[i].Marks == "" {
			legend.Add(shown[i].Name, c.drawSeries(p, shown, i, places))
		}
	}
	for i := range shown {
		if shown[i].Marks != "" {
			m := c.newMarks(shown, i)
			p.Add(m)
			if slices.IndexFunc(shown, func(s Series) bool { return s.Name == shown[i].Name }) == i { // not the same words twice
				legend.Add(shown[i].Name, m)
			}
		}
	}
	for i := range c.Uprights {
		p.Add(&c.Uprights[i])
		legend.Add(c.Uprights[i].Name, &c.Uprights[i])
	}
	c.limits(p)
	picture := draw.Crop(page, 0, -side, 0, 0)
	p.Draw(picture)
	legend.Draw(draw.Crop(page, width-2*margin-side, 0, 0, -24))
	return c.spots(p, page.Max.Y+margin, p.DataCanvas(picture), shown)
}

// longest returns the length of the longest name, and at least the length of a short word.
func (c *Chart) longest(shown []Series) int {
	n := 10
	for i := range shown {
		n = max(n, len(shown[i].Name))
	}
	for i := range c.Uprights {
		n = max(n, len(c.Uprights[i].Name))
	}
	return n
}

func (c *Chart) check() error {
	points := 0
	for _, s := range c.Series {
		points += len(s.Points)
		for _, pt := range s.Points {
			if c.X.Log && pt.X <= 0 || c.Y.Log && pt.Y <= 0 {
				return fmt.Errorf("chart %s: series %s: (%g, %g) cannot be drawn on a logarithmic axis", c.Name, s.Name, pt.X, pt.Y)
			}
			for _, v := range []float64{pt.X, pt.Y, pt.Low, pt.High} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("chart %s: series %s: %g cannot be drawn", c.Name, s.Name, v)
				}
			}
			if c.Kind == Bars && (pt.X < 0 || int(pt.X) >= len(c.Categories)) {
				return fmt.Errorf("chart %s: series %s: there is no category %g", c.Name, s.Name, pt.X)
			}
		}
	}
	if points == 0 {
		return fmt.Errorf("chart %s: nothing to draw", c.Name)
	}
	return nil
}

func setFont(style *text.Style, size vg.Length) {
	style.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// axes sets titles, fonts, ticks and the grid.
func (c *Chart) axes(p *plot.Plot, places []place) {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X.Label, c.Y.Label
	setFont(&p.Title.TextStyle, 11)
	p.Title.Padding = 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		setFont(&a.Label.TextStyle, 10)
		setFont(&a.Tick.Label, 9)
		a.Padding = 0
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.6, 0.6
	}
	p.Y.Label.Padding, p.X.Label.Padding = 4, 4
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 0xdd}, nil
	p.Add(grid)
	p.X.Tick.Marker, p.Y.Tick.Marker = steps{}, steps{}
	if c.Y.Log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	switch {
	case c.Kind == Bars:
		p.NominalX(c.Categories...)
		if c.X.Slant && c.crowded() {
			p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = slant, text.XRight, text.YCenter
			p.Y.Padding = 0
		}
		p.X.Tick.Length, p.X.Tick.LineStyle.Width, p.X.Padding = 4, 0.6, 0
		p.X.Tick.LineStyle.Color = color.White // only keeps the names off the bars
	case c.X.Log:
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticks(places)
	case c.X.Even:
		p.X.Tick.Marker = ticks(places)
	}
}

// logRoom is the factor that extends a logarithmic axis of places at either end.
const logRoom = 1.15

// limits leaves room around the points. A linear axis of values starts at 0, unless it has Close.
func (c *Chart) limits(p *plot.Plot) {
	if c.Kind == Bars {
		p.X.Min, p.X.Max = -0.6, float64(len(c.Categories))-0.4
	} else if c.X.Log {
		p.X.Min, p.X.Max = p.X.Min/logRoom, p.X.Max*logRoom
	} else {
		room := (p.X.Max - p.X.Min) * 0.03
		p.X.Min, p.X.Max = p.X.Min-room, p.X.Max+room
	}
	if c.Y.Log {
		p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)+1e-9))
		p.Y.Max = math.Pow(10, math.Ceil(math.Log10(p.Y.Max)-1e-9))
		if p.Y.Min == p.Y.Max {
			p.Y.Max *= 10
		}
	} else if room := (p.Y.Max - p.Y.Min) * 0.05; c.Y.Close && c.Kind == Lines && room > 0 {
		p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
	} else {
		p.Y.Min, p.Y.Max = min(0, p.Y.Min)*1.05, max(0, p.Y.Max)*1.05
	}
}

// drawSeries adds series i of the shown ones, and returns its mark in the legend. Its colour and
// shape follow its place among all series, so that it looks the same in charts where others have no
// points.
func (c *Chart) drawSeries(p *plot.Plot, shown []Series, i int, places []place) plot.Thumbnailer {
	_, look := withoutMarks(c.Series, shown[i].Name)
	all, i := withoutMarks(shown, shown[i].Name)
	paint := palette[look%len(palette)]
	if c.Kind == Bars {
		bars := &bars{series: all[i], color: paint, hatch: hatches[look%len(hatches)], of: len(all), index: i}
		p.Add(bars)
		return bars
	}
	line := &line{series: all[i], color: paint, shape: shapes[look%len(shapes)], dashes: dashes[look%len(dashes)], aside: aside(all, i, places)}
	p.Add(line)
	return line
}

// withoutMarks returns the series that are not marks alone, and the index of one among them, 0 if
// there is none of that name.
func withoutMarks(shown []Series, name string) (all []Series, at int) {
	for _, s := range shown {
		if s.Marks == "" {
			all = append(all, s)
		}
	}
	return all, max(slices.IndexFunc(all, func(s Series) bool { return s.Name == name }), 0)
}

// steps are the ticks of a linear axis: about five, at multiples of 1, 2 or 5.
type steps struct{}

func (steps) Ticks(low, high float64) []plot.Tick {
	if !(high-low > 1e-9*max(math.Abs(low), math.Abs(high))) { // else k below could stand still
		return []plot.Tick{{Value: low, Label: number(low)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, m := range []float64{5, 2} {
		if (high-low)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high*(1+1e-9); k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: number(k * step)})
	}
	return ticks
}

// decades are the ticks of a logarithmic axis of values.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			t := plot.Tick{Value: m * math.Pow(10, e)}
			if m == 1 {
				t.Label = number(t.Value)
			}
			if t.Value >= low*(1-1e-9) && t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// number prints a value of an axis, in groups of three digits from 10,000 on.
func number(v float64) string {
	if math.Abs(v) < 1e4 || math.Abs(v) >= 1e12 || v != math.Trunc(v) {
		return strconv.FormatFloat(v+0, 'g', 6, 64) // +0: no negative zero
	}
	text := strconv.FormatInt(int64(v), 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
