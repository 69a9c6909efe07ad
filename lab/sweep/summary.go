package sweep

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/lab/stats"
	"weft/lab/store"
	"weft/study"
)

// Summary compares the engines of a sweep by one figure.
type Summary struct {
	Title  string `json:"title,omitempty"`
	Figure string `json:"figure"`
	// Better says which values are better: higher or lower.
	Better      string       `json:"better"`
	Contestants []Contestant `json:"contestants"`
	Cells       []Cell       `json:"fabrics"`
	Against     string       `json:"against"` // the others are compared with this one
	Pairs       []Versus     `json:"pairs"`
	Missing     int          `json:"missing"` // cases without a row
	Equal       []string     `json:"equal_draws,omitempty"`
}

// Contestant counts how the cases of an engine, with its lanes and LMC, ended.
type Contestant struct {
	Name      string `json:"name"`
	Proven    int    `json:"proven"`
	NotProven int    `json:"not_proven"`
	Refused   int    `json:"refused"`
	NotRun    int    `json:"not_run"`
}

// Cell is a network with a damage: the mean of a contestant over the proven draws.
type Cell struct {
	Network    string `json:"network"`
	Damage     string `json:"damage"`
	Contestant string `json:"contestant"`
	stats.Interval
}

// Versus compares two contestants on the fabrics that both route with a proof.
type Versus struct {
	Contestant string `json:"contestant"`
	// Of names the subjects of the comparison: networks, each with the mean of its draws, if there
	// are several; else draws.
	Of string `json:"of"`
	stats.Pairs
}

// lowerIsBetter holds the figures that are better if they are lower.
var lowerIsBetter = []string{"congestion", "load_max", "dark", "undelivered", "latency", "finished", "lost", "deadlocked", "vls", "lids"}

// better says which values of a figure are better.
func better(figure string) string {
	if slices.ContainsFunc(lowerIsBetter, func(word string) bool { return strings.Contains(figure, word) }) {
		return "lower"
	}
	return "higher"
}

// Contestant names the engine of a row with its options, and with the lanes, LMC and workload if
// the sweep has several: what seeds and fabrics vary under.
func (d *Description) Contestant(r *Row) string {
	name := r.Engine
	if len(d.Lanes) > 1 {
		name += fmt.Sprintf(" vls=%d", r.MostVLs)
	}
	if len(d.LMC) > 1 {
		name += fmt.Sprintf(" lmc=%d", r.LMC)
	}
	if len(d.Workloads) > 1 {
		name += ", " + r.Workload
	}
	return name
}

// Summarise compares the rows of a sheet. against names the contestant with which the others are
// compared, "" the first.
func (d *Description) Summarise(sheet *Sheet, rows map[string]*Row, figure, against string) (*Summary, error) {
	figure = cmp.Or(figure, d.usualFigure())
	if err := CheckFigure(figure); err != nil {
		return nil, err
	}
	s := &Summary{Title: d.Title, Figure: figure, Better: better(figure), Contestants: []Contestant{}, Cells: []Cell{}, Pairs: []Versus{}, Equal: sheet.Equal}
	var have []*Row
	for _, name := range sheet.Cases {
		if row := rows[name]; row != nil {
			have = append(have, row)
		} else {
			s.Missing++
		}
	}
	s.count(d, have)
	if len(s.Contestants) == 0 {
		return s, nil
	}
	if s.Against = cmp.Or(against, s.Contestants[0].Name); !slices.ContainsFunc(s.Contestants, func(c Contestant) bool { return c.Name == s.Against }) {
		var names []string
		for _, c := range s.Contestants {
			names = append(names, c.Name)
		}
		return nil, fmt.Errorf("against %q: not in the sweep (these are: %s)", against, strings.Join(names, "; "))
	}
	s.measure(d, have)
	return s, nil
}

// usualFigure returns the figure of the first workload.
func (d *Description) usualFigure() string {
	switch w := d.Workloads[0]; {
	case w.Packets != nil:
		return "throughput_gbps"
	case w.Flow.Pattern != "":
		return "pattern_bandwidth_share"
	}
	return "ebb_share"
}

// count counts the statuses.
func (s *Summary) count(d *Description, rows []*Row) {
	at := map[string]int{}
	for _, r := range rows {
		name := d.Contestant(r)
		if _, known := at[name]; !known {
			at[name] = len(s.Contestants)
			s.Contestants = append(s.Contestants, Contestant{Name: name})
		}
		c := &s.Contestants[at[name]]
		switch r.Status {
		case Proven:
			c.Proven++
		case notProven:
			c.NotProven++
		case refused:
			c.Refused++
		default:
			c.NotRun++
		}
	}
}

// subject is a fabric, with the seeds under which two contestants are compared.
type subject struct {
	network, damage, graph  string
	engineSeed, trafficSeed int64
}

// measure makes the intervals and the comparisons.
func (s *Summary) measure(d *Description, rows []*Row) {
	columns := store.Columns[Row]()
	figures := map[string]map[subject]float64{}
	order := map[string][]subject{}
	for _, r := range rows {
		x, ok := figureOf(r, columns, s.Figure)
		if r.Status != Proven || !ok {
			continue
		}
		name, at := d.Contestant(r), subject{r.Network, r.Damage, r.Graph, r.EngineSeed, r.TrafficSeed}
		if figures[name] == nil {
			figures[name] = map[subject]float64{}
		}
		if _, twice := figures[name][at]; !twice {
			order[name] = append(order[name], at)
		}
		figures[name][at] = x
	}
	for _, c := range s.Contestants {
		byCell := grouped(order[c.Name], figures[c.Name], func(at subject) [2]string { return [2]string{at.network, at.damage} })
		for _, cell := range byCell {
			s.Cells = append(s.Cells, Cell{cell.key[0], cell.key[1], c.Name, stats.IntervalOf(cell.values)})
		}
		if c.Name == s.Against {
			continue
		}
		differences := map[subject]float64{}
		var both []subject
		for _, at := range order[c.Name] {
			if y, ok := figures[s.Against][at]; ok {
				both = append(both, at)
				differences[at] = figures[c.Name][at] - y
			}
		}
		if len(both) == 0 {
			continue
		}
		v := Versus{Contestant: c.Name, Of: "networks"}
		var values []float64
		for _, network := range grouped(both, differences, func(at subject) [2]string { return [2]string{at.network} }) {
			values = append(values, stats.Mean(network.values))
		}
		if len(values) == 1 {
			v.Of, values = "fabrics", grouped(both, differences, func(subject) [2]string { return [2]string{} })[0].values
		}
		v.Pairs = stats.PairsOf(values)
		if s.Better == "lower" {
			v.Wins, v.Losses = v.Losses, v.Wins
		}
		s.Pairs = append(s.Pairs, v)
	}
	slices.SortStableFunc(s.Cells, func(a, b Cell) int { return strings.Compare(a.Network+"|"+a.Damage, b.Network+"|"+b.Damage) })
}

// group holds the values of fabrics with one key.
type group struct {
	key    [2]string
	values []float64
}

// grouped gathers values by a key, in the order in which the keys come. Of a fabric, the mean over
// its seeds counts once.
func grouped(order []subject, values map[subject]float64, key func(subject) [2]string) (out []group) {
	type fabric struct {
		key   [2]string
		graph string
	}
	seeds := map[fabric][]float64{}
	var fabrics []fabric
	for _, at := range order {
		f := fabric{key(at), at.graph}
		if seeds[f] == nil {
			fabrics = append(fabrics, f)
		}
		seeds[f] = append(seeds[f], values[at])
	}
	index := map[[2]string]int{}
	for _, f := range fabrics {
		i, known := index[f.key]
		if !known {
			i = len(out)
			index[f.key] = i
			out = append(out, group{key: f.key})
		}
		out[i].values = append(out[i].values, stats.Mean(seeds[f]))
	}
	return out
}

// Write prints the summary for people.
func (s *Summary) Write(w io.Writer) error {
	if s.Title != "" {
		fmt.Fprintf(w, "%s\n\n", s.Title)
	}
	rows := [][]string{{"ENGINE", "PROVEN", "NOT PROVEN", "REFUSED", "NOT RUN"}}
	for _, c := range s.Contestants {
		rows = append(rows, []string{c.Name, fmt.Sprint(c.Proven), fmt.Sprint(c.NotProven), fmt.Sprint(c.Refused), fmt.Sprint(c.NotRun)})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	for _, text := range s.Equal {
		study.Remark(w, "note: ", text)
	}
	if len(s.Cells) > 0 {
		fmt.Fprintf(w, "\n%s by fabric (%s is better), mean over its draws with 95 %% interval:\n", s.Figure, s.Better)
		rows = [][]string{{"ENGINE", "DRAWS", "MEAN", "+-95%", "DAMAGE", "FABRIC"}}
		for _, c := range s.Cells[:min(len(s.Cells), cellsShown)] {
			rows = append(rows, []string{c.Contestant, fmt.Sprint(c.N), number(c.Mean), half(c.Interval), c.Damage, c.Network})
		}
		if err := study.Table(w, rows); err != nil {
			return err
		}
		if more := len(s.Cells) - cellsShown; more > 0 {
			fmt.Fprintf(w, "and %d more (--json lists all)\n", more)
		}
	}
	if s.Missing > 0 {
		fmt.Fprintf(w, "\n%d cases have not run yet\n", s.Missing)
	}
	if len(s.Pairs) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nagainst %s, on the same fabrics:\n", s.Against)
	rows = [][]string{{"ENGINE", "PAIRS", "DIFFERENCE", "+-95%", "BETTER", "WORSE", "EQUAL", "SIGN P", "WILCOXON P"}}
	for _, v := range s.Pairs {
		rows = append(rows, []string{
			v.Contestant, fmt.Sprintf("%d %s", v.Difference.N, v.Of), number(v.Difference.Mean), half(v.Difference),
			fmt.Sprint(v.Wins), fmt.Sprint(v.Losses), fmt.Sprint(v.Ties), fmt.Sprintf("%.4f", v.Sign), fmt.Sprintf("%.4f", v.Rank),
		})
	}
	return study.Table(w, rows)
}

// cellsShown limits the printed fabrics.
const cellsShown = 60

// number formats a figure.
func number(x float64) string { return fmt.Sprintf("%.6g", x) }

// half formats half of an interval, "-" for a single value.
func half(i stats.Interval) string {
	if i.N < 2 {
		return "-"
	}
	return fmt.Sprintf("%.3g", i.Half)
}
