package chart

import (
	"math"
	"slices"
)

// Kind is the kind of a chart.
type Kind string

// The kinds of charts.
const (
	Bars  Kind = "bars"  // groups of bars, a group for each category
	Lines Kind = "lines" // points joined by lines, over a number
)

// Chart is a figure.
type Chart struct {
	Name  string `json:"name"` // file name without .svg
	Title string `json:"title"`
	Kind  Kind   `json:"kind"`
	X     Axis   `json:"x"`
	Y     Axis   `json:"y"`
	// Categories name the groups of bars: point X is the index of its group.
	Categories []string `json:"categories,omitempty"`
	Series     []Series `json:"series"`
	// Uprights are vertical lines at places on axis X that a paper prints without a value.
	Uprights []Upright `json:"places,omitempty"`
}

// Upright is a vertical line at a place on axis X, with its entry in the legend.
type Upright struct {
	Name string  `json:"name"`
	X    float64 `json:"x"`
}

// Axis is one axis of a chart; its label names the unit.
type Axis struct {
	Label string `json:"label"`
	Log   bool   `json:"log,omitempty"`
	// Even spaces the places of lines evenly, whatever their numbers: for axis X.
	Even bool `json:"even,omitempty"`
	// Close lets axis Y of lines begin near the lowest value instead of at 0.
	Close bool `json:"close,omitempty"`
	// Slant draws the names of categories aslant if they are too long for their places: for axis X.
	Slant bool `json:"slant,omitempty"`
}

// Series holds the points of one colour and one entry of the legend. A missing point is left out,
// never zero.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
	// Marks names the series that the points belong to as marks alone, such as printed values of a
	// paper; "" for a series of its own.
	Marks string `json:"marks,omitempty"`
	// Of names the series of ours that printed gains refer to; "" for printed levels.
	Of string `json:"of,omitempty"`
}

// Point is a value, with the range drawn through it when Low < High.
type Point struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
}

// Add appends a point with its range; low = high = 0 stands for none.
func (s *Series) Add(x, y, low, high float64) {
	s.Points = append(s.Points, Point{X: x, Y: y, Low: low, High: high})
}

// Minus returns the difference of two series, where both have points.
func (s *Series) Minus(other *Series, name string) Series {
	out := Series{Name: name}
	for _, p := range s.Points {
		for _, q := range other.Points {
			if p.X == q.X {
				out.Add(p.X, p.Y-q.Y, 0, 0)
			}
		}
	}
	return out
}

// DivideBy divides all other series by the named one, place by place, and removes it. It removes
// marks too. Without a series of that name it changes nothing.
func (c *Chart) DivideBy(name string) {
	if !slices.ContainsFunc(c.Series, func(s Series) bool { return s.Name == name }) {
		return
	}
	var out []Series
	for _, s := range c.Series {
		if s.Name == name || s.Marks != "" {
			continue
		}
		times := Series{Name: s.Name}
		for _, p := range s.Points {
			if by, ok := c.at(name, p.X); ok && by != 0 {
				times.Add(p.X, p.Y/by, p.Low/by, p.High/by)
			}
		}
		out = append(out, times)
	}
	c.Series = out
}

// And joins the names of merged series.
const And = " and "

// Merge joins series whose values differ nowhere by more than a share. The name of the result lists
// their names; Mark sets marks anew.
func (c *Chart) Merge(share float64) {
	var out []Series
	for _, s := range c.Series {
		k := slices.IndexFunc(out, func(o Series) bool { return s.Marks == "" && o.Marks == "" && o.near(&s, share) })
		if k < 0 {
			out = append(out, s)
			continue
		}
		out[k].Name += And + s.Name
	}
	c.Series = out
}

// near reports whether two series have the same places and nearly the same values.
func (s *Series) near(other *Series, share float64) bool {
	return slices.EqualFunc(s.Points, other.Points, func(p, q Point) bool {
		return p.X == q.X && math.Abs(p.Y-q.Y) <= share*max(math.Abs(p.Y), math.Abs(q.Y))
	})
}

// Fill adds a series for each name, with the points that value returns by index of place; ok is
// false if there is none. Places are the categories of bars, and X is set for them.
func (c *Chart) Fill(names, places []string, value func(name string, place int) (p Point, ok bool)) {
	if c.Kind == Bars {
		c.Categories = slices.Clone(places)
	}
	for _, name := range names {
		s := Series{Name: name}
		for i := range places {
			if p, ok := value(name, i); ok {
				if c.Kind == Bars {
					p.X = float64(i)
				}
				s.Points = append(s.Points, p)
			}
		}
		c.Series = append(c.Series, s)
	}
}
