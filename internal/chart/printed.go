package chart

import "slices"

// PrintedValue is a printed value for a point of a series: a level, or a value relative to a series
// of ours.
type PrintedValue struct {
	Series    string
	Group     string  // the place among bars
	X         float64 // the place on lines
	Low, High float64 // the printed value twice, or its range
	Of        string  // the series to multiply by the value; "" for a level
	OfX       float64 // place on lines where Of is read
	Points    bool    // add the value to Of instead of multiplying
}

// Mark sets the printed values as marks next to the series, replacing earlier ones: one series of
// marks for printed levels, and one for values relative to a series of ours. It leaves out values
// for points that are not drawn.
func (c *Chart) Mark(said ...PrintedValue) {
	c.Series = slices.DeleteFunc(c.Series, func(s Series) bool { return s.Marks != "" })
	names := c.names()
	for _, of := range append([]string{""}, names...) {
		for _, name := range names {
			marks := Series{Name: "paper: " + name, Marks: name, Of: of}
			switch of {
			case "":
			case name:
				marks.Name += ", relative to ours"
			default:
				marks.Name += ", relative to our " + of
			}
			for _, x := range said {
				if x.Series != name || x.Of != of {
					continue
				}
				if mark, ok := c.markOf(&x); ok {
					marks.Points = append(marks.Points, mark)
				}
			}
			if len(marks.Points) > 0 {
				c.Series = append(c.Series, marks)
			}
		}
	}
}

// names returns the names of the series without the marks.
func (c *Chart) names() (names []string) {
	for i := range c.Series {
		if c.Series[i].Marks == "" {
			names = append(names, c.Series[i].Name)
		}
	}
	return names
}

// markOf returns the mark for a printed value, a range for a range. ok is false if our point to
// compare with is not drawn: in its series, or in the series that it is relative to.
func (c *Chart) markOf(x *PrintedValue) (mark Point, ok bool) {
	at, of, ofX := x.X, x.Series, x.X
	if x.Of != "" {
		of, ofX = x.Of, x.OfX
	}
	if c.Kind == Bars {
		at = float64(slices.Index(c.Categories, x.Group))
		ofX = at
	}
	ours, ok := c.at(of, ofX)
	low, high := x.Low, x.High
	switch {
	case x.Of == "":
	case x.Points:
		low, high = ours+low, ours+high
	default:
		low, high = min(ours*low, ours*high), max(ours*low, ours*high)
	}
	mark = Point{X: at, Y: low}
	if low < high {
		mark.Low, mark.High = low, high
	}
	return mark, ok
}

// at returns the value of a series at a place.
func (c *Chart) at(series string, x float64) (y float64, ok bool) {
	i := slices.IndexFunc(c.Series, func(s Series) bool { return s.Name == series })
	if i < 0 {
		return 0, false
	}
	k := slices.IndexFunc(c.Series[i].Points, func(p Point) bool { return p.X == x })
	if k < 0 {
		return 0, false
	}
	return c.Series[i].Points[k].Y, true
}
