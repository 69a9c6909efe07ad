// Package report makes pages and charts of the results of a sweep, for people: one HTML file that
// needs nothing else, or Markdown with pictures beside it. A Page is a list of blocks (blocks.go)
// that both forms print (html.go, markdown.go). Its figures come from sweep.Summary; this
// package computes no statistics of its own.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/internal/fold"
	"weft/lab/sweep"
)

// Results are the rows of a store, with the sheet and the description of its last sweep.
type Results struct {
	*sweep.Description
	Sheet *sweep.Sheet
	Rows  map[string]*sweep.Row
}

// Options select the contents of a page. The zero value shows everything, by the usual figure.
type Options struct {
	Figures  []string // columns; none: the usual one of the workload, and shifts if it has them
	Against  string   // the engine with which the others are compared; "" for the first
	Engines  []string // only engines whose name contains one of these texts
	Networks []string // only networks whose name contains one of these texts
}

// mostCharts limits the charts of single networks, for each figure; mostSeries the engines in a
// chart.
const (
	mostCharts = 24
	mostSeries = 8
)

// maker makes a page.
type maker struct {
	Results
	options  Options
	damages  []string // in the order of the sweep
	networks []string
	shown    []string // contestants in charts
	page     Page
}

// New makes the page of results.
func New(r Results, o Options) (*Page, error) {
	m := &maker{Results: r, options: o}
	if err := m.filter(); err != nil {
		return nil, err
	}
	figures := o.Figures
	if len(figures) == 0 {
		s, err := r.Summarise(m.Sheet, m.Rows, "", o.Against)
		if err != nil {
			return nil, err
		}
		figures = []string{s.Figure}
		if s.Figure == "ebb_share" {
			figures = append(figures, "shift_congestion_sum")
		}
	}
	m.page.Title = cmp.Or(r.Title, m.question(figures[0]))
	m.damages = distinct(m.rows(), damageOf)
	m.networks = distinct(m.rows(), networkOf)
	for i, figure := range figures {
		s, err := r.Summarise(m.Sheet, m.Rows, figure, o.Against)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			m.shown, m.page.choices = drawn(s), m.choices(s)
			m.page.older = older(m.Sheet.Origins(m.Rows))
			m.outcomes(s)
		}
		m.figure(s)
	}
	m.provenance()
	return &m.page, nil
}

// rows lists the rows of the sheet in its order.
func (m *maker) rows() []*sweep.Row { return m.Sheet.Rows(m.Rows) }

func damageOf(row *sweep.Row) string  { return row.Damage }
func networkOf(row *sweep.Row) string { return row.Network }

// distinct lists the values of rows, each once, in the order of the rows.
func distinct(rows []*sweep.Row, value func(*sweep.Row) string) (list []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		if v := value(row); !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// filter leaves the rows of the wanted engines and networks.
func (m *maker) filter() error {
	if len(m.options.Engines)+len(m.options.Networks) == 0 {
		return nil
	}
	wanted := func(name string, texts []string) bool {
		return len(texts) == 0 || slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(name, text) })
	}
	all := m.rows()
	left := slices.DeleteFunc(slices.Clone(all), func(row *sweep.Row) bool {
		return !wanted(m.Contestant(row), m.options.Engines) || !wanted(row.Network, m.options.Networks)
	})
	if m.Sheet = m.Sheet.With(left); len(left) == 0 {
		return fmt.Errorf("no row has an engine of %q and a network of %q (engines: %s; networks: %s)", m.options.Engines, m.options.Networks,
			strings.Join(distinct(all, m.Contestant), ", "), strings.Join(distinct(all, networkOf), ", "))
	}
	return nil
}

// drawn returns the contestants in the charts: the base, and the ones with the most proven cases.
func drawn(s *sweep.Summary) (names []string) {
	byProven := slices.Clone(s.Contestants)
	slices.SortStableFunc(byProven, func(a, b sweep.Contestant) int {
		return cmp.Or(boolean(b.Name == s.Against)-boolean(a.Name == s.Against), b.Proven-a.Proven)
	})
	chosen := map[string]bool{}
	for _, c := range byProven[:min(len(byProven), mostSeries)] {
		chosen[c.Name] = c.Proven > 0
	}
	for _, c := range s.Contestants {
		if chosen[c.Name] {
			names = append(names, c.Name)
		}
	}
	return names
}

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

// failures are the statuses of rows without a figure to compare.
var failures = []string{sweep.NotProven, sweep.Refused, sweep.NotRun}

// outcomes writes how the cases ended.
func (m *maker) outcomes(s *sweep.Summary) {
	m.page.heading("How the cases ended")
	m.page.text("Only proven Plans are compared. An engine refuses a fabric that it is not made for; a Plan is not proven if the judge finds a possible deadlock or a pair of hosts without a path; a case is not run if its time was up, or if weft failed.")
	t := table{Head: []string{"engine", "proven", "not proven", "refused", "not run"}}
	for _, c := range s.Contestants {
		t.add(c.Name, fmt.Sprint(c.Proven), fmt.Sprint(c.NotProven), fmt.Sprint(c.Refused), fmt.Sprint(c.NotRun))
	}
	m.page.table(t)
	if s.Missing > 0 {
		m.page.text(fmt.Sprintf("%d cases have not run yet.", s.Missing))
	}
	m.reasons()
	for _, text := range s.Equal {
		m.page.text(text + ".")
	}
}

// mostReasons limits the reasons that a page lists for an engine and a status.
const mostReasons = 3

// particulars are the names and numbers in a reason. Reasons that differ in them only count as one.
var particulars = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"( \(0x[0-9a-f]+\))?|\([0-9,]+\)|[0-9]+`) })

// reasons lists the most frequent reasons of failures.
func (m *maker) reasons() {
	type failure struct{ contestant, status string }
	counts := map[failure]map[string]int{}
	first := map[string]string{} // a reason of each kind
	rows := m.rows()
	for _, row := range rows {
		at := failure{m.Contestant(row), row.Status}
		if row.Status == sweep.Proven {
			continue
		}
		if counts[at] == nil {
			counts[at] = map[string]int{}
		}
		like := particulars().ReplaceAllString(row.Reason, "…")
		counts[at][like]++
		if first[like] == "" {
			first[like] = row.Reason
		}
	}
	t := table{Head: []string{"engine", "status", "cases", "reason, of the first case"}}
	for _, name := range distinct(rows, m.Contestant) {
		for _, status := range failures {
			of := counts[failure{name, status}]
			list := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
			for i, reason := range list {
				if i == mostReasons {
					t.add(name, status, "", "and "+fold.Count(len(list)-i, "other reason", "other reasons"))
					break
				}
				t.add(name, status, fmt.Sprint(of[reason]), first[reason])
			}
		}
	}
	if len(t.Rows) > 0 {
		m.page.fold("Reasons", t)
	}
}

// provenance writes how the results were made.
func (m *maker) provenance() {
	m.page.heading("How this was made")
	rows := m.rows()
	m.page.text(fmt.Sprintf("%d of %d cases have a row. The command was", len(m.Sheet.Distinct(m.Rows)), m.Sheet.Number()))
	m.page.code(m.Sheet.Command)
	t := table{Head: []string{"what", "value"}}
	for _, c := range []struct {
		name  string
		value func(*sweep.Row) string
	}{
		{"version", func(r *sweep.Row) string { return r.Version }},
		{"commit", func(r *sweep.Row) string { return r.Commit }},
		{"platform", func(r *sweep.Row) string { return r.Platform }},
		{"hosts", func(r *sweep.Row) string { return r.Host }},
		{"workload", func(r *sweep.Row) string { return r.Workload }},
		{"options of engines", func(r *sweep.Row) string { return r.Options }},
		{"seeds of damage", func(r *sweep.Row) string { return fmt.Sprint(r.Draw) }},
		{"seeds of engines", func(r *sweep.Row) string { return fmt.Sprint(r.EngineSeed) }},
		{"seeds of traffic", func(r *sweep.Row) string { return fmt.Sprint(r.TrafficSeed) }},
	} {
		list := slices.DeleteFunc(distinct(rows, c.value), func(v string) bool { return v == "" || c.name == "seeds of damage" && v == "0" })
		if len(list) > 0 {
			t.add(c.name, strings.Join(list, ", "))
		}
	}
	origins := m.Sheet.Origins(m.Rows)
	if len(origins) < 2 {
		t.add("digest of the sources", strings.Join(m.Sheet.Sources, ", "))
	}
	m.page.table(t)
	if len(origins) > 1 {
		m.origins(origins)
	}
	m.page.text("The description of the sweep, with the usual values filled in:")
	m.page.code(strings.TrimRight(m.Sheet.Description, "\n"))
}
