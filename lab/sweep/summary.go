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
	// Of names the subjects of the comparison: networks, each with the mean of its damages and
	// draws, if there are several; else fabrics, which are the draws of one network.
	Of string `json:"of"`
	stats.Pairs
}

// lowerIsBetter holds the figures that are better if they are lower.
var lowerIsBetter = []string{"congestion", "load_max", "dark", "undelivered", "latency", "finished", "lost", "deadlocked", "app_end", "app_ideal", "app_cost", "vls", "lids"}

// Better says which values of a figure are better: higher or lower.
func Better(figure string) string {
	if slices.ContainsFunc(lowerIsBetter, func(word string) bool { return strings.Contains(figure, word) }) {
		return "lower"
	}
	return "higher"
}

// Contestant names the engine of a row with its options, and with the lanes, LMC and workload if
// the sweep has several. Only fabrics and seeds vary between the rows of a contestant.
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
	s := &Summary{Title: d.Title, Figure: figure, Better: Better(figure), Contestants: []Contestant{}, Cells: []Cell{}, Pairs: []Versus{}, Equal: sheet.Equal}
	distinct := sheet.Distinct(rows)
	s.Missing = sheet.Number() - len(distinct)
	s.count(d, distinct)
	if len(s.Contestants) == 0 {
		return s, nil
	}
	var names []string
	for _, c := range s.Contestants {
		names = append(names, c.Name)
	}
	s.Against = cmp.Or(against, names[0])
	if err := checkAgainst(s.Against, names); err != nil {
		return nil, err
	}
	s.measure(d, sheet.Rows(rows))
	return s, nil
}

// CheckAgainst returns an error if no case can have this contestant; "" is right. A sweep that runs
// for hours can so refuse the name before it begins.
func (d *Description) CheckAgainst(name string) error {
	if name == "" {
		return nil
	}
	var names []string
	for _, text := range d.Engines {
		for _, vls := range d.Lanes {
			for _, lmc := range d.LMC {
				for i := range d.Workloads {
					names = append(names, d.Contestant(&Row{Asked: Asked{Engine: text, MostVLs: int64(vls), LMC: int64(lmc), Workload: d.Workloads[i].text()}}))
				}
			}
		}
	}
	return checkAgainst(name, names)
}

func checkAgainst(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("against %q: not in the sweep (these are: %s)", name, strings.Join(names, "; "))
}

// usualFigure returns the figure of the first workload.
func (d *Description) usualFigure() string {
	switch w := d.Workloads[0]; {
	case w.Packets != nil:
		return "throughput_gbps"
	case w.App != nil:
		return "app_end_us"
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
		case NotProven:
			c.NotProven++
		case Refused:
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

// sample holds a figure of one contestant by subject, in the order of the rows.
type sample struct {
	order  []subject
	values map[subject]float64
}

func (s *sample) add(at subject, x float64) {
	if s.values == nil {
		s.values = map[subject]float64{}
	}
	if _, twice := s.values[at]; !twice {
		s.order = append(s.order, at)
	}
	s.values[at] = x
}

// addFigure adds the figure of a row to the sample of a contestant, if the row is proven and has
// the figure.
func addFigure(samples map[string]*sample, contestant string, place *Place, row *Row, columns []store.Column, figure string) {
	x, ok := figureOf(row, columns, figure)
	if row.Status != Proven || !ok {
		return
	}
	if samples[contestant] == nil {
		samples[contestant] = &sample{}
	}
	samples[contestant].add(subject{place.Network, place.Damage, place.Graph, row.EngineSeed, row.TrafficSeed}, x)
}

// measure computes the intervals and the comparisons.
func (s *Summary) measure(d *Description, rows []*Row) {
	columns := store.Columns[Row]()
	samples := map[string]*sample{}
	for _, r := range rows {
		addFigure(samples, d.Contestant(r), &r.Place, r, columns, s.Figure)
	}
	for _, c := range s.Contestants {
		own, base := samples[c.Name], samples[s.Against]
		if own == nil {
			continue
		}
		for _, g := range own.grouped(byCell) {
			s.Cells = append(s.Cells, Cell{g.first.network, g.first.damage, c.Name, stats.IntervalOf(g.values)})
		}
		if base != nil && base != own {
			s.compare(c.Name, own, base)
		}
	}
	slices.SortStableFunc(s.Cells, func(a, b Cell) int { return strings.Compare(a.Network+"|"+a.Damage, b.Network+"|"+b.Damage) })
}

// compare adds the comparison of a contestant with the base, if they share subjects.
func (s *Summary) compare(contestant string, own, base *sample) {
	var differences sample
	for _, at := range own.order {
		if y, ok := base.values[at]; ok {
			differences.add(at, own.values[at]-y)
		}
	}
	if len(differences.order) == 0 {
		return
	}
	v := Versus{Contestant: contestant, Of: "networks"}
	var values []float64
	networks := differences.grouped(func(at subject) string { return at.network })
	for _, g := range networks {
		values = append(values, stats.Mean(g.values))
	}
	if len(networks) == 1 {
		v.Of, values = "fabrics", networks[0].values
	}
	v.Pairs = stats.PairsOf(values)
	if s.Better == "lower" {
		v.Wins, v.Losses = v.Losses, v.Wins
	}
	s.Pairs = append(s.Pairs, v)
}

// group holds the values of fabrics with one key.
type group struct {
	key    string
	first  subject
	values []float64
}

// byCell is a key for grouped: that of Place.cell.
func byCell(at subject) string { return at.network + "|" + at.damage }

// grouped groups the values of a sample by a key, in the order of the keys' first subjects. A
// fabric counts once in a group, with the mean over its seeds.
func (s *sample) grouped(key func(subject) string) (out []group) {
	type fabric struct{ key, graph string }
	seeds := map[fabric][]float64{}
	var firsts []subject
	for _, at := range s.order {
		f := fabric{key(at), at.graph}
		if seeds[f] == nil {
			firsts = append(firsts, at)
		}
		seeds[f] = append(seeds[f], s.values[at])
	}
	index := map[string]int{}
	for _, at := range firsts {
		k := key(at)
		i, known := index[k]
		if !known {
			i = len(out)
			index[k] = i
			out = append(out, group{key: k, first: at})
		}
		out[i].values = append(out[i].values, stats.Mean(seeds[fabric{k, at.graph}]))
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
			rows = append(rows, []string{c.Contestant, fmt.Sprint(c.N), Number(c.Mean), Half(c.Interval), c.Damage, c.Network})
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
			v.Contestant, fmt.Sprintf("%d %s", v.Difference.N, v.Of), Number(v.Difference.Mean), Half(v.Difference),
			fmt.Sprint(v.Wins), fmt.Sprint(v.Losses), fmt.Sprint(v.Ties), fmt.Sprintf("%.4f", v.Sign), fmt.Sprintf("%.4f", v.Rank),
		})
	}
	return study.Table(w, rows)
}

// cellsShown limits the printed fabrics.
const cellsShown = 60

// Number formats a figure for people.
func Number(x float64) string { return fmt.Sprintf("%.6g", x) }

// Half formats half the width of an interval for people, "-" for a single value.
func Half(i stats.Interval) string {
	if i.N < 2 {
		return "-"
	}
	return fmt.Sprintf("%.3g", i.Half)
}
