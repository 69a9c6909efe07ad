package browse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/fold"
	"weft/lab/stats"
	"weft/lab/sweep"
)

// asked is a question that a chart answers: means of the column y, by place on the column x.
type asked struct {
	Y    string      `json:"y"`
	X    string      `json:"x"`
	By   string      `json:"by,omitempty"`   // a series for each value of this column; none: one series
	Only []condition `json:"only,omitempty"` // conditions that rows must meet
}

// condition is a condition: the column has one of the values.
type condition struct {
	Column string   `json:"column"`
	Values []string `json:"values"`
}

// mostConditions is the maximum number of conditions.
const mostConditions = 32

// Check returns errors that hold for any sweep.
func (a *asked) Check() error {
	switch {
	case a.Y == "" || a.X == "":
		return errors.New("want columns y and x")
	case a.X == a.By:
		return errors.New("by: want another column than x")
	case len(a.Only) > mostConditions:
		return fmt.Errorf("only: want at most %d conditions", mostConditions)
	}
	for _, o := range a.Only {
		if len(o.Values) == 0 || len(o.Values) > mostValues {
			return fmt.Errorf("only: column %.40q: want 1 to %d values", o.Column, mostValues)
		}
	}
	return nil
}

// group holds the rows of a point.
type group struct {
	series, place string
	x             float64 // of a place that is a number
	rows          []int
}

// sample holds the rows that a chart shows.
type sample struct {
	*held
	asked    *asked
	x, y, by *column // by: nil for one series
	groups   []*group
	series   []string // in the order of the rows; so places
	places   []string
	numbers  bool // places are numbers; of damages the percentages of failed links
	unproven int  // rows that the conditions let pass, without a proof
	without  int  // rows without a value of y or x
}

// choose collects the rows of a chart. Only proven rows count, unless a condition names the status.
func (h *held) choose(a *asked) (*sample, error) {
	s := &sample{held: h, asked: a}
	var err error
	find := func(option, name string) *column {
		c := h.find(name)
		if c == nil && err == nil {
			err = fmt.Errorf("%s: the sweep has no column %.40q with values", option, name)
		}
		return c
	}
	s.y, s.x = find("y", a.Y), find("x", a.X)
	if a.By != "" {
		s.by = find("by", a.By)
	}
	wanted := make([]*column, len(a.Only))
	for i, o := range a.Only {
		wanted[i] = find("only", o.Column)
	}
	if err == nil && !s.y.number {
		err = fmt.Errorf("y: column %s has texts: want numbers", s.y.name)
	}
	if err != nil {
		return nil, err
	}
	byStatus := slices.ContainsFunc(a.Only, func(o condition) bool { return o.Column == "status" })
	at := map[[2]string]*group{}
	for i := range h.rows {
		passes := true
		for k, c := range wanted {
			passes = passes && slices.Contains(a.Only[k].Values, h.text(c, i))
		}
		if !passes {
			continue
		}
		if !byStatus && h.rows[i].Status != sweep.Proven {
			s.unproven++
			continue
		}
		if err := s.add(i, at); err != nil {
			return nil, err
		}
	}
	if len(s.groups) == 0 {
		return nil, errors.New("no row to draw: " + cmp.Or(s.leftOut(), "no row meets the conditions"))
	}
	s.order()
	return s, nil
}

// farthest is the largest number that a chart draws.
const farthest = 1e100

// add adds a row to its group.
func (s *sample) add(row int, at map[[2]string]*group) error {
	y, ok := s.value(s.y, row)
	place, series := s.text(s.x, row), s.y.name
	if !ok || place == "" {
		s.without++
		return nil
	}
	if s.by != nil {
		series = cmp.Or(s.text(s.by, row), "none")
	}
	x, _ := s.value(s.x, row)
	if math.Abs(y) > farthest || math.Abs(x) > farthest {
		return fmt.Errorf("row %d has a number beyond %g, which no chart can show: filter it out", row+1, farthest)
	}
	g := at[[2]string{series, place}]
	if g == nil {
		g = &group{series: series, place: place, x: x}
		at[[2]string{series, place}] = g
		s.groups = append(s.groups, g)
		if !slices.Contains(s.series, series) {
			s.series = append(s.series, series)
		}
		if !slices.Contains(s.places, place) {
			s.places = append(s.places, place)
		}
		if len(s.places) > mostPlaces {
			return fmt.Errorf("x: column %s has more than %d values: filter the rows, or choose another column", s.x.name, mostPlaces)
		}
		if len(s.series) > mostPlaces {
			return fmt.Errorf("by: column %s has more than %d values: filter the rows, or choose another column", s.by.name, mostPlaces)
		}
	}
	g.rows = append(g.rows, row)
	return nil
}

// order sorts the groups by place if all places are numbers.
func (s *sample) order() {
	number := func(string) (float64, bool) { return 0, false }
	switch {
	case s.x.name == "damage":
		number = sweep.FailedPercent
	case s.x.number:
		number = func(string) (float64, bool) { return 0, true }
	}
	s.numbers = len(s.places) > 1
	for _, place := range s.places {
		_, is := number(place)
		s.numbers = s.numbers && is
	}
	if !s.numbers {
		return
	}
	for _, g := range s.groups {
		if percent, is := sweep.FailedPercent(g.place); s.x.name == "damage" && is {
			g.x = percent
		}
	}
	slices.SortStableFunc(s.groups, func(a, b *group) int { return cmp.Compare(a.x, b.x) })
}

// leftOut says which rows a chart leaves out, "" for none.
func (s *sample) leftOut() string {
	var parts []string
	if s.unproven > 0 {
		parts = append(parts, fmt.Sprintf("%s not proven (filter by status to see them)", fold.Count(s.unproven, "row is", "rows are")))
	}
	if s.without > 0 {
		parts = append(parts, fmt.Sprintf("%s no %s or no %s", fold.Count(s.without, "row has", "rows have"), s.asked.Y, s.asked.X))
	}
	return strings.Join(parts, "; ")
}

// conditions are the columns that a mean should not mix.
var conditions = []string{"network", "damage", "engine", "options", "vls_allowed", "lmc", "fresh_lids", "workload"}

// mixed lists the conditions that some point has several values of.
func (s *sample) mixed() (list []string) {
	for _, name := range conditions {
		c := s.find(name)
		if c == nil || c == s.x || c == s.by {
			continue
		}
		if slices.ContainsFunc(s.groups, func(g *group) bool { return s.several(g, c) }) {
			list = append(list, name)
		}
	}
	return list
}

// several reports whether the rows of a point have several values of a column.
func (s *sample) several(g *group, c *column) bool {
	first := s.text(c, g.rows[0])
	return slices.ContainsFunc(g.rows, func(row int) bool { return s.text(c, row) != first })
}

// interval computes the mean of a point with its interval. of says what the mean is over: as in
// lab/sweep, a fabric counts once, with the mean over its seeds. If there are several networks,
// each counts once, since the draws of one network are not independent of each other.
func (s *sample) interval(g *group) (i stats.Interval, of string) {
	key, of := func(row *sweep.Row) string { return row.Graph }, "fabrics"
	if c := s.find("network"); c != nil && s.several(g, c) {
		key, of = func(row *sweep.Row) string { return row.Network }, "networks"
	} else if s.find("graph") == nil {
		key, of = func(row *sweep.Row) string { return row.Fabric }, "fabrics"
	}
	values := map[string]map[string][]float64{}
	var order []string
	for _, row := range g.rows {
		r := &s.rows[row]
		k := key(r)
		if values[k] == nil {
			values[k] = map[string][]float64{}
			order = append(order, k)
		}
		y, _ := s.value(s.y, row)
		values[k][r.Graph] = append(values[k][r.Graph], y)
	}
	var means []float64
	for _, k := range order {
		var inner []float64
		for _, list := range values[k] {
			inner = append(inner, stats.Mean(list)) // exact sums: the order does not matter
		}
		means = append(means, stats.Mean(inner))
	}
	return stats.IntervalOf(means), of
}
