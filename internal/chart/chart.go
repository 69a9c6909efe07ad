package chart

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
}

// Series holds the points of one colour and one entry of the legend. A missing point is left out,
// never zero.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
	// Marks names the series that the points belong to as marks alone, such as printed values of a
	// paper; "" for a series of its own.
	Marks string `json:"marks,omitempty"`
	// Of names the series of ours to which the marks are relative; "" for printed levels.
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

// Fill adds a series for each name, with the points that value returns by index of place; ok is
// false if there is none. Places are the categories of bars, and X is set for them.
func (c *Chart) Fill(names, places []string, value func(name string, place int) (p Point, ok bool)) {
	if c.Kind == Bars {
		c.Categories = places
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
