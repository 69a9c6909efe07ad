package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Sheet is the list of a sweep's cases. A store can have more rows: of an earlier description, or
// of sources that have changed since. The labels belong to this sweep; a row in a store has the
// labels of the sweep that put it there.
type Sheet struct {
	Description string   `json:"description"` // YAML
	Command     string   `json:"command"`
	Shard       int      `json:"shard,omitempty"` // this worker, from 1; 0: the whole sweep
	Shards      int      `json:"shards,omitempty"`
	Sources     []string `json:"sources"`                 // that computed the cases
	Older       []string `json:"older_sources,omitempty"` // that computed cases before them, oldest first
	Least       string   `json:"least,omitempty"`         // digest of all cases with the least draws; other contents of a file change it
	Whole       int      `json:"whole,omitempty"`         // cases of the sweep, as far as known, if other workers have some
	Cases       []string `json:"cases"`                   // in the order of their first points
	Labels      []Label  `json:"labels"`
	Points      []Point  `json:"points"` // in the order of the sweep
	Equal       []string `json:"equal_draws,omitempty"`
	More        bool     `json:"more,omitempty"`     // cells may need more draws
	GivenUp     []string `json:"given_up,omitempty"` // cases at which runs of this worker were killed
}

// Point is a case in a cell of a sweep.
type Point struct {
	Case  int   `json:"case"`  // index into Cases
	Label int   `json:"label"` // index into Labels
	At    int64 `json:"at"`    // place in the order of the sweep, which all workers agree on
}

// Number returns the number of cases of the sweep that are known so far.
func (s *Sheet) Number() int { return max(len(s.Cases), s.Whole) }

// named is a Point with its names.
type named struct {
	name  string
	label Label
	at    int64
}

// list sets the cases, labels and points.
func (s *Sheet) list(points []named) {
	slices.SortFunc(points, func(a, b named) int { return cmp.Compare(a.at, b.at) })
	cases, labels := map[string]int{}, map[Label]int{}
	s.Cases, s.Labels, s.Points = []string{}, []Label{}, []Point{}
	for i := range points {
		p := &points[i]
		if _, known := cases[p.name]; !known {
			cases[p.name] = len(s.Cases)
			s.Cases = append(s.Cases, p.name)
		}
		if _, known := labels[p.label]; !known {
			labels[p.label] = len(s.Labels)
			s.Labels = append(s.Labels, p.label)
		}
		s.Points = append(s.Points, Point{cases[p.name], labels[p.label], p.at})
	}
}

// With returns the sheet with the cases of some rows alone, under the labels and in the order that
// the rows have.
func (s *Sheet) With(rows []*Row) *Sheet {
	out := *s
	points := make([]named, len(rows))
	for i, row := range rows {
		points[i] = named{row.Case, row.label(), int64(i)}
	}
	out.Whole = 0
	out.list(points)
	return &out
}

// Rows returns the rows of the points that have one, with their labels, in the order of the sweep.
// A case that stands in several cells has a row for each.
func (s *Sheet) Rows(rows map[string]*Row) []*Row {
	return s.pick(rows, func(Point) bool { return true })
}

// Distinct returns the row of each case that has one, with the label of its first point.
func (s *Sheet) Distinct(rows map[string]*Row) []*Row {
	next := 0
	return s.pick(rows, func(p Point) bool {
		first := p.Case == next
		if first {
			next++
		}
		return first
	})
}

func (s *Sheet) pick(rows map[string]*Row, wanted func(Point) bool) (list []*Row) {
	if len(s.Points) == 0 { // of a version without labels: the rows have their own
		for _, name := range s.Cases {
			if row := rows[name]; row != nil {
				list = append(list, row)
			}
		}
		return list
	}
	for _, p := range s.Points {
		if row := rows[s.Cases[p.Case]]; wanted(p) && row != nil {
			list = append(list, row.as(&s.Labels[p.Label]))
		}
	}
	return list
}

// SheetOf returns the sheet of an expanded sweep, with the cases of this shard.
func (r *Run) SheetOf(p *Plan, description, command string) *Sheet {
	s := &Sheet{Description: description, Command: command, Shard: r.Shard.I, Shards: r.Shard.N, Sources: []string{}, Least: r.least, More: r.Draws.Within > 0}
	for _, e := range p.Equal {
		if r.Draws.Within == 0 || r.has(p, e.cell) {
			s.Equal = append(s.Equal, e.text)
		}
	}
	var points []named
	for _, j := range p.Jobs {
		mine := r.mine(p, j)
		for _, c := range j.Cases {
			list := &s.Sources
			if c.older {
				list = &s.Older
			}
			if !slices.Contains(*list, c.Row.Sources) {
				*list = append(*list, c.Row.Sources)
			}
			if mine && r.givenUp(j) {
				s.GivenUp = append(s.GivenUp, c.Row.Case)
			}
			if mine {
				points = append(points, named{c.Row.Case, c.Row.label(), c.at})
			}
		}
	}
	slices.Sort(s.Sources)
	slices.SortFunc(s.Older, func(a, b string) int {
		return cmp.Compare(slices.Index(r.Older.Sources, a), slices.Index(r.Older.Sources, b))
	})
	s.list(points)
	if r.Shard.N > 1 {
		s.Whole = p.Cases
	}
	return s
}

// ReadSheet reads the JSON of a sheet.
func ReadSheet(name string, data []byte) (*Sheet, error) {
	var s Sheet
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, p := range s.Points {
		if p.Case < 0 || p.Case >= len(s.Cases) || p.Label < 0 || p.Label >= len(s.Labels) {
			return nil, fmt.Errorf("%s: point %d names a case or a label that the list does not have", name, i)
		}
	}
	return &s, nil
}

// JoinSheets joins the sheets of all workers of a sweep, and lists the workers without a sheet. It
// refuses sheets of different sweeps or of different sources.
func JoinSheets(sheets []*Sheet) (*Sheet, []int, error) {
	if len(sheets) == 0 {
		return nil, nil, fmt.Errorf("no worker has begun: want files of weft lab sweep --shard")
	}
	sheets = slices.SortedFunc(slices.Values(sheets), func(a, b *Sheet) int { return a.Shard - b.Shard })
	first := sheets[0]
	all := &Sheet{Description: first.Description, Sources: first.Sources, Older: first.Older}
	var missing []int
	var points []named
	next := 1
	for _, s := range sheets {
		if s.Description != first.Description || s.Shards != first.Shards {
			return nil, nil, fmt.Errorf("parts %d/%d and %d/%d are of different sweeps: give each sweep a folder of its own", first.Shard, first.Shards, s.Shard, s.Shards)
		}
		if !slices.Equal(s.Older, first.Older) {
			return nil, nil, fmt.Errorf("workers %d and %d take the rows of different older sources: give both the same --older and --from", first.Shard, s.Shard)
		}
		if !slices.Equal(s.Sources, first.Sources) {
			return nil, nil, fmt.Errorf("workers %d and %d have different sources (%s and %s): run one version of weft, on one kind of processor", first.Shard, s.Shard, strings.Join(first.Sources, " "), strings.Join(s.Sources, " "))
		}
		if s.Least != first.Least {
			return nil, nil, fmt.Errorf("workers %d and %d have different cases: a file that the sweep names changed between their starts, or they run in different folders. Run worker %d or worker %d again", first.Shard, s.Shard, first.Shard, s.Shard)
		}
		if len(s.Points) == 0 && len(s.Cases) > 0 {
			return nil, nil, fmt.Errorf("the list of cases of worker %d is of an older version of weft: run it again, its rows are kept", s.Shard)
		}
		for ; next < s.Shard; next++ {
			missing = append(missing, next)
		}
		next = s.Shard + 1
		for _, p := range s.Points {
			points = append(points, named{s.Cases[p.Case], s.Labels[p.Label], p.At})
		}
		for _, text := range s.Equal {
			if !slices.Contains(all.Equal, text) {
				all.Equal = append(all.Equal, text)
			}
		}
	}
	for ; next <= first.Shards; next++ {
		missing = append(missing, next)
	}
	all.list(points)
	if len(missing) > 0 {
		for _, s := range sheets {
			all.Whole = max(all.Whole, s.Whole)
		}
	}
	all.Command = commandOf(sheets, len(missing) == 0)
	return all, missing, nil
}

// shardOption is the option of a command that names the shard.
var shardOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--shard[= ]\d+/`) })

// ShardCommand returns the command of a worker as that of another one.
func ShardCommand(command, worker string) string {
	return shardOption().ReplaceAllString(command, "--shard "+strings.ReplaceAll(worker, "$", "$$")+"/")
}

// commandOf joins the commands of workers: a loop of the shell if they differ by the shard alone
// and are all there, else a line for each.
func commandOf(sheets []*Sheet, whole bool) string {
	var lines []string
	for _, s := range sheets {
		if line := ShardCommand(s.Command, "$i"); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if whole && len(lines) == 1 && sheets[0].Shards > 1 {
		return fmt.Sprintf("for i in $(seq %d); do %s; done", sheets[0].Shards, lines[0])
	}
	lines = nil
	for _, s := range sheets {
		lines = append(lines, s.Command)
	}
	return strings.Join(lines, "\n")
}

// Repeat computes the case of a row again and returns the new row, with the Sources of this
// program. If the old row has others, the results may differ.
func (r *Run) Repeat(ctx context.Context, row *Row) (*Row, error) {
	var id identity
	if row.Identity == "" {
		return nil, fmt.Errorf("row %s: a brief freeze leaves out what repeats a single row: run its sweep.yaml, or a part of it, and compare with weft lab diff --common", row.Case)
	}
	if err := json.Unmarshal([]byte(row.Identity), &id); err != nil {
		return nil, fmt.Errorf("row %s: identity: %w", row.Case, err)
	}
	v := &variant{Place: row.Place}
	if _, err := v.describe(r.Setup); err != nil {
		return nil, err
	}
	if v.Graph != row.Graph {
		return nil, fmt.Errorf("%s: the fabric is not that of the row: the file has changed, or the code that reads or makes it", row.Fabric)
	}
	c := &Case{identity: &id, Row: Row{Case: row.Case, Place: row.Place, Asked: row.Asked, Made: r.Made}}
	var err error
	if c.Row.Sources, err = r.Digest(id.Workload.packages()...); err != nil {
		return nil, err
	}
	j := &Job{variant: v, key: row.Case, routing: &id.Routing, engine: row.Engine, Cases: []*Case{c}}
	v.opened.jobs = 1
	if err := r.job(ctx, j, max(1, r.Workers)); err != nil {
		return nil, err
	}
	return r.Rows[row.Case], nil
}

// Quoted returns a word of a command as a shell reads it.
func Quoted(word string) string {
	if strings.ContainsAny(word, " '\"\\|&;()<>*?[]{}$`#~!\n\t") || word == "" {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
