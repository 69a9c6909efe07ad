package chart

import "slices"

// PrintedValue holds the value that a paper prints for a point of a series: a level, or what it is relative to a series of ours at a place.
type PrintedValue struct {
	Series    string
	Group     string  // the place among bars
	X         float64 // the place on lines
	Low, High float64 // the printed value, twice, or its range
	Of        string  // the series of which it is so many times; "" for a level
	OfX       float64 // where on lines that series is taken
	Points    bool    // by so much it is more than that series, not so many times it
}

// Mark sets what a paper prints as marks beside the series: printed levels, and what is printed relative to a series of ours, each a series of
// marks. They take the place of earlier ones. What is said of a point that is not drawn is left out.
func (c *Chart) Mark(said ...PrintedValue) {
	c.Series = slices.DeleteFunc(c.Series, func(s Series) bool { return s.Marks != "" })
	names := c.names()
	for _, of := range append([]string{""}, names...) {
		for _, name := range names {
			marks := Series{Name: "paper: " + name, Marks: name, Of: of}
			if of != "" {
				marks.Name = "paper, relative to our " + of
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

// names are the series that are no marks.
func (c *Chart) names() (names []string) {
	for i := range c.Series {
		if c.Series[i].Marks == "" {
			names = append(names, c.Series[i].Name)
		}
	}
	return names
}

// markOf is the mark of what is said, a range for a range; ok is false where the point of ours that it is compared with is not drawn: that of its
// series, or what it is relative to.
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
