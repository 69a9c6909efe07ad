package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/chart"
	"weft/internal/fold"
	"weft/lab/stats"
	"weft/lab/sweep"
)

// figureWords are the words for figures: the label of an axis with its unit, and questions.
var figureWords = map[string]struct{ label, whole, damaged string }{
	"ebb_share": {
		"effective bisection bandwidth (share of a host's link)",
		"Which engine delivers most bandwidth?", "Which engine keeps most bandwidth when links fail?",
	},
	"shift_congestion_sum": {
		"all-to-all by shifts (sum of the largest congestions)",
		"Which engine has the fastest all-to-all?", "Which engine keeps all-to-all fast when links fail?",
	},
	"channel_load_max_pairs": {
		"pairs of hosts on the busiest channel",
		"Which engine spreads paths best?", "Which engine spreads paths best when links fail?",
	},
	"pattern_bandwidth_share": {
		"bandwidth under the pattern (share of a host's link)",
		"Which engine delivers most bandwidth?", "Which engine keeps most bandwidth when links fail?",
	},
	"throughput_gbps": {
		"throughput of a sending rank (Gb/s)",
		"Which engine carries most packets?", "Which engine carries most packets when links fail?",
	},
	"latency_mean_ns": {
		"mean latency of packets (ns)",
		"Which engine has the lowest latency?", "Which engine keeps latency low when links fail?",
	},
	"app_end_us": {
		"time of the application (us)",
		"On which engine does the application end first?", "On which engine does the application end first when links fail?",
	},
	"app_bus_gb_s": {
		"bus bandwidth of the operation (GB/s)",
		"Which engine gives the operation most bandwidth?", "Which engine keeps most bandwidth of the operation when links fail?",
	},
	"vls":  {"virtual lanes", "Which engine needs the fewest virtual lanes?", "Which engine needs the fewest virtual lanes when links fail?"},
	"lids": {"LIDs", "Which engine needs the fewest LIDs?", "Which engine needs the fewest LIDs when links fail?"},
}

// Label returns a figure in words, with its unit; the name of its column if there are none.
func Label(figure string) string {
	if k, is := figureWords[figure]; is {
		return k.label
	}
	return figure
}

// question returns the question that a figure answers.
func (m *maker) question(figure string) string {
	damaged := slices.ContainsFunc(m.rows(), func(row *sweep.Row) bool { return row.Damage != sweep.NoDamage })
	k, is := figureWords[figure]
	switch {
	case is && damaged:
		return k.damaged
	case is:
		return k.whole
	case damaged:
		return "Which engine has the best " + figure + " when links fail?"
	}
	return "Which engine has the best " + figure + "?"
}

// figure writes the part of the page about a figure.
func (m *maker) figure(s *sweep.Summary) {
	m.page.heading(m.question(s.Figure))
	m.page.text(fmt.Sprintf("The figure is %s, column %s; %s is better. Whiskers are 95 %% intervals of the mean (Student's t). Axes of lines need not begin at 0.", Label(s.Figure), s.Figure, s.Better))
	m.best(s)
	if len(m.networks) > 1 {
		m.differences(s)
	}
	m.pairs(s)
	if len(m.networks) > 1 {
		m.page.text("The best mean of each network, and the engines within 1 % of it, the best first. auto is named only where it is further behind, or best alone; an engine without a proof on some draws of a damage is left out there:")
		m.page.table(m.choices(s))
	}
	drawn := m.networks[:min(len(m.networks), mostCharts)]
	for _, network := range drawn {
		m.page.chart(m.means(s, network))
	}
	if all := len(s.Contestants); all > len(m.shown) {
		m.page.text(fmt.Sprintf("Charts show %d of %d engines: the one that the others are compared with, and those with the most proven cases. The tables have all. A missing point is a fabric that the engine did not route with a proof.", len(m.shown), all))
	} else {
		m.page.text("A missing point is a fabric that the engine did not route with a proof.")
	}
	if more := len(m.networks) - len(drawn); more > 0 {
		m.page.text(fmt.Sprintf("Charts of %d more networks are left out; the table has all.", more))
	}
	m.page.fold("Means with intervals, and number of distinct fabrics", m.cells(s))
}

// place is a network with a damage: a row of the means, or a cell of the table of choices.
type place struct{ network, damage string }

// placeOf returns the place of a mean.
func placeOf(c *sweep.Cell) place { return place{c.Network, c.Damage} }

// best writes on how many places each engine has the best mean, or one within 1 % of it.
func (m *maker) best(s *sweep.Summary) {
	top, of := map[place]float64{}, map[place][]sweep.Cell{}
	for i := range s.Cells {
		at := placeOf(&s.Cells[i])
		of[at] = append(of[at], s.Cells[i])
	}
	var cells []sweep.Cell
	for _, list := range of {
		cells = append(cells, onAllDraws(list)...)
	}
	for i := range cells {
		at, mean := placeOf(&cells[i]), cells[i].Mean
		if old, is := top[at]; !is || (mean > old) == (s.Better == "higher") && mean != old {
			top[at] = mean
		}
	}
	wins, within := map[string]int{}, map[string]int{}
	for i := range cells {
		c := &cells[i]
		best := top[placeOf(c)]
		if c.Mean == best {
			wins[c.Contestant]++
		}
		if math.Abs(c.Mean-best) <= near*math.Abs(best) {
			within[c.Contestant]++
		}
	}
	names := make([]string, 0, len(s.Contestants))
	for _, c := range s.Contestants {
		names = append(names, c.Name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return wins[b] - wins[a] })
	var words []string
	for _, name := range names {
		if wins[name] > 0 {
			words = append(words, fmt.Sprintf("%s on %d (within 1 %% on %d)", name, wins[name], within[name]))
		}
	}
	if len(words) > 0 {
		m.page.text(fmt.Sprintf("Engines with the best mean, of %s (a network with a damage; a tie counts for each engine; an engine counts where it is proven on all draws): %s.", fold.Count(len(top), "fabric", "fabrics"), strings.Join(words, "; ")))
	}
}

// differences draws the paired differences from the base by damage, over the networks.
func (m *maker) differences(s *sweep.Summary) {
	c := &chart.Chart{
		Name: s.Figure + " difference", Title: fmt.Sprintf("How much better or worse than %s, on the same networks?", s.Against),
		Y: chart.Axis{Label: differenceAxis(s), Close: true},
	}
	pairs := map[string]map[string]sweep.Versus{}
	for _, damage := range m.damages {
		sheet := m.Sheet.With(slices.DeleteFunc(m.rows(), func(row *sweep.Row) bool { return row.Damage != damage }))
		part, err := m.Summarise(sheet, m.Rows, s.Figure, s.Against)
		if err != nil {
			continue // the base has no case of this damage
		}
		pairs[damage] = map[string]sweep.Versus{}
		for _, v := range part.Pairs {
			if v.Of == "networks" { // else the interval is one over draws
				pairs[damage][v.Contestant] = v
			}
		}
	}
	m.byDamage(c, func(name, damage string) (stats.Interval, bool) {
		if name == s.Against {
			return stats.Interval{}, len(pairs[damage]) > 0 // the line at 0
		}
		v, is := pairs[damage][name]
		return v.Difference, is
	})
	m.page.chart(c)
}

// differenceAxis returns the label of a difference. It says which sign is better.
func differenceAxis(s *sweep.Summary) string {
	side := "above"
	if s.Better == "lower" {
		side = "below"
	}
	return fmt.Sprintf("%s: difference (%s 0 is better)", shortLabel(s.Figure), side)
}

// shortLabel returns the label of a figure without the unit in parentheses.
func shortLabel(figure string) string {
	text, _, _ := strings.Cut(Label(figure), " (")
	return text
}

// means draws the means of a network by damage.
func (m *maker) means(s *sweep.Summary, network string) *chart.Chart {
	cells := map[[2]string]stats.Interval{}
	for _, c := range s.Cells {
		if c.Network == network {
			cells[[2]string{c.Contestant, c.Damage}] = c.Interval
		}
	}
	c := &chart.Chart{Name: s.Figure + " " + network, Title: m.title(s.Figure, network), Y: chart.Axis{Label: axis(s.Figure), Close: true}}
	m.byDamage(c, func(name, damage string) (stats.Interval, bool) {
		i, is := cells[[2]string{name, damage}]
		return i, is
	})
	return c
}

// title returns the title of a network's chart: the question, if there is room for it.
func (m *maker) title(figure, network string) string {
	const room = 84
	if text := m.question(figure) + "  " + network; len(text) <= room {
		return text
	}
	return network
}

// axis returns a label that fits beside a chart.
func axis(figure string) string {
	if text := Label(figure); len(text) <= 60 {
		return text
	}
	return shortLabel(figure)
}

// byDamage adds a series for each engine in charts, with a point for each damage: lines over the
// share of failed links, bars for other damages or a single one.
func (m *maker) byDamage(c *chart.Chart, value func(name, damage string) (stats.Interval, bool)) {
	c.Kind = chart.Lines
	for _, damage := range m.damages {
		if _, is := sweep.FailedPercent(damage); !is || len(m.damages) == 1 {
			c.Kind = chart.Bars
		}
	}
	c.X = chart.Axis{Label: "links between switches failed (%)", Even: true}
	var names []string
	for _, damage := range m.damages {
		name := damage
		if name == sweep.NoDamage {
			name = "whole"
		}
		names = append(names, name)
	}
	if c.Kind == chart.Bars {
		c.X = chart.Axis{Label: "damage"}
	}
	c.Fill(m.shown, names, func(name string, i int) (chart.Point, bool) {
		v, is := value(name, m.damages[i])
		x, _ := sweep.FailedPercent(m.damages[i])
		p := chart.Point{X: x, Y: v.Mean}
		if v.N > 1 && v.Half > 0 {
			p.Low, p.High = v.Mean-v.Half, v.Mean+v.Half
		}
		return p, is
	})
}

// pairs writes the table of paired comparisons.
func (m *maker) pairs(s *sweep.Summary) {
	if len(s.Pairs) == 0 {
		m.page.text(fmt.Sprintf("No engine is compared with %s: they share no fabric that both route with a proof.", s.Against))
		return
	}
	t := table{Head: []string{"engine", "pairs", "difference", "± 95 %", "better on", "worse on", "equal", "p, sign test", "p, Wilcoxon"}}
	for _, v := range s.Pairs {
		t.add(v.Contestant, fold.Count(v.Difference.N, strings.TrimSuffix(v.Of, "s"), v.Of), sweep.Number(v.Difference.Mean), sweep.Half(v.Difference),
			fmt.Sprint(v.Wins), fmt.Sprint(v.Losses), fmt.Sprint(v.Ties), probability(v.Sign), probability(v.Rank))
	}
	m.page.text(fmt.Sprintf("Each engine against %s, on the fabrics that both route with a proof. With several networks a pair is a network, with the mean of its damages and draws. The tests are two-sided, and not corrected for the number of rows.", s.Against))
	m.page.table(t)
}

// cells makes the table of means: a row for each network with a damage, a column for each engine.
func (m *maker) cells(s *sweep.Summary) table {
	of := map[place]map[string]string{}
	for _, row := range m.rows() {
		at := place{row.Network, row.Damage}
		if of[at] == nil {
			of[at] = map[string]string{}
		}
		if name := m.Contestant(row); of[at][name] == "" && row.Status != sweep.Proven {
			of[at][name] = row.Status
		}
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		text := sweep.Number(c.Mean)
		if c.N > 1 {
			text += " ± " + sweep.Half(c.Interval)
		}
		of[placeOf(c)][c.Contestant] = fmt.Sprintf("%s (%d)", text, c.N)
	}
	t := table{Head: []string{"network", "damage"}}
	for _, c := range s.Contestants {
		t.Head = append(t.Head, c.Name)
	}
	for _, network := range m.networks {
		for _, damage := range m.damages {
			cells := of[place{network, damage}]
			if cells == nil {
				continue
			}
			line := []string{network, damage}
			for _, c := range s.Contestants {
				line = append(line, cells[c.Name])
			}
			t.add(line...)
		}
	}
	return t
}

// probability formats as weft lab stats does, but for very small probabilities.
func probability(p float64) string {
	if text := fmt.Sprintf("%.4f", p); p == 0 || text != "0.0000" {
		return text
	}
	return "< 0.0001"
}
