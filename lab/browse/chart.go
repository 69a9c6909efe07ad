package browse

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"weft/internal/chart"
	"weft/internal/endpoints"
	"weft/internal/fold"
	"weft/lab/report"
	"weft/lab/stats"
	"weft/lab/sweep"
)

// Limits of a chart.
const (
	mostSeries = 8   // in one picture
	mostPlaces = 500 // numbers on axis x
	mostBars   = 16  // places that are texts
	longest    = 34  // characters of a name in the picture
	evenly     = 12  // places of an axis that are spaced evenly
	wide       = 50  // ratio of the numbers of a logarithmic axis
)

// picture is a chart of a sweep.
type picture struct {
	SVG    string   `json:"svg"`
	Width  float64  `json:"width"` // of the picture, in the units of the points
	Height float64  `json:"height"`
	Says   string   `json:"says"`   // what it shows
	Notes  []string `json:"notes"`  // what to beware of
	Points []point  `json:"points"` // by series
}

// point is a point of a chart.
type point struct {
	Series string `json:"series"`
	At     string `json:"at"` // its value of x
	stats.Interval
	Of   string  `json:"of"`   // what n counts: fabrics or networks
	Rows int     `json:"rows"` // of the sweep
	X    float64 `json:"x"`    // place in the picture, from its upper left corner
	Y    float64 `json:"y"`
}

// chart returns the endpoint that draws a chart.
func (b *Browser) chart() endpoints.Endpoint {
	e := endpoints.Endpoint{
		Path: sweepPath + "/chart", About: "A chart of the rows of a sweep: means with 95 % intervals, and the place of each point.", Parameters: []endpoints.Parameter{idParameter}, Needs: endpoints.MayCompute,
	}
	return endpoints.Asking(b.opt.Questions, e, "use weft lab plot", func(w http.ResponseWriter, r *http.Request, a *asked) func(context.Context) (*picture, error) {
		h := b.held(w, r)
		if h == nil {
			return nil
		}
		return func(context.Context) (*picture, error) {
			s, err := h.choose(a)
			if err != nil {
				return nil, err
			}
			return s.draw()
		}
	})
}

// draw draws the chart.
func (s *sample) draw() (*picture, error) {
	if !s.numbers && len(s.places) > mostBars {
		return nil, fmt.Errorf("x: %d values of %s are too many for bars (at most %d): filter the rows, or choose another column", len(s.places), s.x.name, mostBars)
	}
	out := &picture{Width: chart.Width, Height: chart.Height, Notes: []string{}, Points: []point{}}
	shown := s.drawn()
	if more := len(s.series) - len(shown); more > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d values of %s are drawn, those with the most rows: filter the others.", len(shown), len(s.series), s.by.name))
	}
	c := chart.Chart{Name: s.name, Title: s.headline(), Kind: chart.Bars, X: chart.Axis{Label: s.axis(s.x), Slant: true}, Y: chart.Axis{Label: s.axis(s.y), Close: true}}
	if s.numbers {
		c.Kind, c.X = chart.Lines, chart.Axis{Label: s.axis(s.x), Even: len(s.places) <= evenly}
		low, high := s.groups[0].x, s.groups[len(s.groups)-1].x // order has sorted them
		c.X.Log = !c.X.Even && low > 0 && high/low >= wide
	} else {
		for _, place := range s.places {
			c.Categories = append(c.Categories, short(place))
		}
	}
	for _, name := range shown {
		series := chart.Series{Name: short(name)}
		for _, g := range s.groups {
			if g.series != name {
				continue
			}
			i, of := s.interval(g)
			x := g.x
			if !s.numbers {
				x = float64(slices.Index(s.places, g.place))
			}
			p := chart.Point{X: x, Y: i.Mean}
			if i.N > 1 {
				p.Low, p.High = i.Mean-i.Half, i.Mean+i.Half
			}
			series.Points = append(series.Points, p)
			out.Points = append(out.Points, point{Series: name, At: g.place, Interval: i, Of: of, Rows: len(g.rows)})
		}
		c.Series = append(c.Series, series)
	}
	var svg bytes.Buffer
	spots, err := c.WriteSpots(&svg)
	if err != nil {
		return nil, err
	}
	i := 0 // the points are by series too
	for _, series := range spots {
		for _, spot := range series.Points {
			out.Points[i].X, out.Points[i].Y = spot.X, spot.Y
			i++
		}
	}
	out.SVG, out.Says = string(chart.Themed(svg.Bytes())), s.says()
	if left := s.leftOut(); left != "" {
		out.Notes = append(out.Notes, "Left out: "+left+".")
	}
	if mixed := s.mixed(); len(mixed) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("Points are means over several values of %s: filter these, or choose them as x or series. An engine may have refused some of them, and is then compared on others.", strings.Join(mixed, ", ")))
	}
	return out, nil
}

// drawn lists the series of the picture: the ones with the most rows, in the order of the rows.
func (s *sample) drawn() []string {
	if len(s.series) <= mostSeries {
		return s.series
	}
	count := map[string]int{}
	for _, g := range s.groups {
		count[g.series] += len(g.rows)
	}
	most := slices.Clone(s.series)
	slices.SortStableFunc(most, func(a, b string) int { return count[b] - count[a] })
	return slices.DeleteFunc(slices.Clone(s.series), func(name string) bool { return !slices.Contains(most[:mostSeries], name) })
}

// short shortens a name for the picture, which can show no control characters.
func short(name string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name))
	if len(letters) <= longest {
		return string(letters)
	}
	return string(letters[:longest-1]) + "…"
}

// axis returns the label of an axis.
func (s *sample) axis(c *column) string {
	const room = 60
	text := report.Label(c.name)
	switch {
	case c == s.x && c.name == "damage" && s.numbers:
		return "links between switches failed (%)"
	case len(text) > room, c == s.y && !s.numbers: // names of bars may take much of the height
		text, _, _ = strings.Cut(text, " (")
	}
	return text
}

// headline returns the title of the picture: the conditions with one value, or the name.
func (s *sample) headline() string {
	var parts []string
	for _, o := range s.asked.Only {
		if len(o.Values) == 1 {
			name := o.Column + " "
			if o.Column == "network" {
				name = ""
			}
			parts = append(parts, name+o.Values[0])
		}
	}
	const room = 84
	if text := strings.Join(parts, ", "); text != "" && len(text) <= room && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	return short(s.name)
}

// says describes the chart in a sentence.
func (s *sample) says() string {
	rows := 0
	for _, g := range s.groups {
		rows += len(g.rows)
	}
	text := fmt.Sprintf("The mean %s of %s by %s", s.y.name, fold.Count(rows, "row", "rows"), s.x.name)
	if s.by != nil {
		text += ", a series for each " + s.by.name
	}
	text += "; whiskers are 95 % intervals of the mean (Student's t)"
	if s.y.of != nil && s.y.of.Optional() {
		text += "; " + sweep.Better(s.y.name) + " is better"
	}
	return text + "."
}
