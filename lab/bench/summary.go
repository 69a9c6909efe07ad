package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"weft/internal/fold"
	"weft/lab/stats"
	"weft/study"
)

// Ratio is a cost of OpenSM divided by the same cost of weft.
type Ratio struct {
	N      int     `json:"n"`      // rounds, or fabrics
	OpenSM float64 `json:"opensm"` // median of the rounds
	Weft   float64 `json:"weft"`   // median of the rounds
	Mean   float64 `json:"ratio"`  // geometric mean of the ratios of the rounds
	Low    float64 `json:"low95"`  // of its 95 % interval (Student's t of the logarithms); equal to Mean if N is below 2
	High   float64 `json:"high95"` // of the same interval
	log    stats.Interval
}

// Comparison compares the programs by one engine on one fabric.
type Comparison struct {
	Fabric   string `json:"fabric"`
	Hosts    int64  `json:"hosts"`
	Switches int64  `json:"switches"`
	Engine   string `json:"engine"`
	Weft     Tables `json:"weft"`
	OpenSM   Tables `json:"opensm"`
	// Reasons say why a program has no tables, by program.
	Reasons map[string]string `json:"reasons,omitempty"`
	Route   *Ratio            `json:"route_cpu_seconds,omitempty"`
	CPU     *Ratio            `json:"bring_up_cpu_seconds,omitempty"`
	Wall    *Ratio            `json:"bring_up_wall_seconds,omitempty"`
	Peak    *Ratio            `json:"bring_up_peak_rss_mb,omitempty"`
}

// Summary compares the programs.
type Summary struct {
	Rounds      int          `json:"rounds"`
	Made        Made         `json:"made"`
	Comparisons []Comparison `json:"comparisons"`
	// Overall holds geometric means over fabrics, with intervals over them, by figure. A fabric
	// counts once, with the mean over its engines.
	Overall []Overall `json:"overall"`
}

// Overall is the ratio of a figure over all fabrics.
type Overall struct {
	Figure string `json:"figure"`
	Ratio
}

// Summarise compares the known rows.
func (b *Bench) Summarise() *Summary {
	s := &Summary{Rounds: b.Rounds, Made: b.Made, Comparisons: []Comparison{}, Overall: []Overall{}}
	for _, subject := range b.Subjects {
		for _, p := range b.Pairs {
			if c := b.compare(subject, p); c != nil {
				s.Comparisons = append(s.Comparisons, *c)
			}
		}
	}
	for _, f := range []struct {
		name string
		of   func(*Comparison) *Ratio
	}{
		{"route_cpu_seconds", func(c *Comparison) *Ratio { return c.Route }},
		{"bring_up_cpu_seconds", func(c *Comparison) *Ratio { return c.CPU }},
		{"bring_up_wall_seconds", func(c *Comparison) *Ratio { return c.Wall }},
		{"bring_up_peak_rss_mb", func(c *Comparison) *Ratio { return c.Peak }},
	} {
		var logs []float64 // of each fabric, the mean over its engines
		for _, subject := range b.Subjects {
			var own []float64
			for i := range s.Comparisons {
				if r := f.of(&s.Comparisons[i]); r != nil && s.Comparisons[i].Fabric == subject.Fabric {
					own = append(own, r.log.Mean)
				}
			}
			if len(own) > 0 {
				logs = append(logs, stats.Mean(own))
			}
		}
		if len(logs) > 0 {
			s.Overall = append(s.Overall, Overall{f.name, ratioOf(logs)})
		}
	}
	return s
}

// compare returns the comparison by one engine on one fabric, nil without rows.
func (b *Bench) compare(subject Subject, p Pair) *Comparison {
	c := &Comparison{Fabric: subject.Fabric, Hosts: subject.Hosts, Switches: subject.Switches, Engine: p.String()}
	rows := b.round(subject, p, 0)
	found := false
	for i, to := range []*Tables{&c.Weft, &c.OpenSM} {
		row := b.Rows[rows[i].Case]
		if row == nil {
			continue
		}
		found = true
		if *to = row.Tables; row.Status != finished {
			if c.Reasons == nil {
				c.Reasons = map[string]string{}
			}
			c.Reasons[row.Program] = strings.TrimSuffix(row.Status+": "+row.Reason, ": ")
		}
	}
	if !found {
		return nil
	}
	for _, f := range []struct {
		to *(*Ratio)
		of func(*Cost) *float64
	}{
		{&c.Route, func(x *Cost) *float64 { return x.RouteCPU }},
		{&c.CPU, func(x *Cost) *float64 { return x.CPU }},
		{&c.Wall, func(x *Cost) *float64 { return x.Wall }},
		{&c.Peak, func(x *Cost) *float64 { return x.Peak }},
	} {
		*f.to = b.ratio(subject, p, f.of)
	}
	return c
}

// ratio compares a cost over the rounds that both programs ended, nil without any.
func (b *Bench) ratio(subject Subject, p Pair, of func(*Cost) *float64) *Ratio {
	var logs, ours, theirs []float64
	for round := 1; round <= b.Rounds; round++ {
		rows := b.round(subject, p, round)
		a, o := b.Rows[rows[0].Case], b.Rows[rows[1].Case]
		if a == nil || o == nil || a.Status != finished || o.Status != finished {
			continue
		}
		x, y := of(&a.Cost), of(&o.Cost)
		if x == nil || y == nil || *x <= 0 || *y <= 0 {
			continue
		}
		logs, ours, theirs = append(logs, math.Log(*y / *x)), append(ours, *x), append(theirs, *y)
	}
	if len(logs) == 0 {
		return nil
	}
	r := ratioOf(logs)
	r.Weft, r.OpenSM = median(ours), median(theirs)
	return &r
}

func ratioOf(logs []float64) Ratio {
	i := stats.IntervalOf(logs)
	return Ratio{N: i.N, Mean: math.Exp(i.Mean), Low: math.Exp(i.Mean - i.Half), High: math.Exp(i.Mean + i.Half), log: i}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// Times returns the table of times and memory, with a head.
func (s *Summary) Times() [][]string {
	rows := [][]string{{"fabric", "hosts", "engine", "rounds", "routing, CPU s", "ratio", "bring-up, CPU s", "ratio", "wall s", "ratio", "MB", "ratio"}}
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		if c.CPU == nil {
			continue
		}
		row := []string{c.Fabric, fmt.Sprint(c.Hosts), c.Engine, fmt.Sprint(c.CPU.N)}
		for _, r := range []*Ratio{c.Route, c.CPU, c.Wall, c.Peak} {
			row = append(row, r.medians(), r.interval())
		}
		rows = append(rows, row)
	}
	if len(rows) < 3 {
		return rows
	}
	row := []string{"all, geometric mean", "", "", ""}
	for _, name := range []string{"route_cpu_seconds", "bring_up_cpu_seconds", "bring_up_wall_seconds", "bring_up_peak_rss_mb"} {
		k := slices.IndexFunc(s.Overall, func(o Overall) bool { return o.Figure == name })
		if k < 0 {
			row = append(row, "", "-")
			continue
		}
		row = append(row, "", s.Overall[k].interval())
	}
	return append(rows, row)
}

// medians prints the medians of both programs, OpenSM's first.
func (r *Ratio) medians() string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g, %.3g", r.OpenSM, r.Weft)
}

// interval prints a ratio with its interval.
func (r *Ratio) interval() string {
	switch {
	case r == nil:
		return "-"
	case r.N < 2:
		return fmt.Sprintf("%.3g", r.Mean)
	}
	return fmt.Sprintf("%.3g (%.3g to %.3g)", r.Mean, r.Low, r.High)
}

// Delivered returns a table of the bandwidth and reachability that forwarding tables deliver.
func (s *Summary) Delivered() [][]string {
	rows := [][]string{{"fabric", "engine", "OpenSM: ebb", "shifts", "up", "any", "VLs", "weft: ebb", "shifts", "up", "any", "VLs"}}
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		row := []string{c.Fabric, c.Engine}
		for _, side := range []struct {
			program string
			*Tables
		}{{openSM, &c.OpenSM}, {Weft, &c.Weft}} {
			if reason, is := c.Reasons[side.program]; is {
				row = append(row, strings.SplitN(reason, ":", 2)[0], "", "", "", "")
				continue
			}
			row = append(row, side.cells()...)
		}
		rows = append(rows, row)
	}
	return rows
}

// cells prints figures of tables, "-" for a missing one. Tables that lose pairs of hosts say so.
func (t *Tables) cells() []string {
	cells := []string{"-", "-", "-", "-", "-"}
	if t.EBB != nil {
		cells[0] = fmt.Sprintf("%.3f", *t.EBB)
		if t.Undelivered != nil && *t.Undelivered > 0 {
			cells[0] += fmt.Sprintf(", loses %d pairs", *t.Undelivered)
		}
		if t.LeftOut != nil && *t.LeftOut > 0 {
			cells[0] += fmt.Sprintf(", leaves %d hosts out", *t.LeftOut)
		}
	}
	if t.Shift != nil {
		cells[1] = fmt.Sprintf("%.0f", *t.Shift)
	}
	for i, n := range []*int64{t.Up, t.Pairs, t.VLs} {
		if n != nil {
			cells[2+i] = fmt.Sprint(*n)
		}
	}
	return cells
}

// upper returns a table with a head in capitals, as commands print it.
func upper(rows [][]string) [][]string {
	head := make([]string, len(rows[0]))
	for i, text := range rows[0] {
		head[i] = strings.ToUpper(text)
	}
	return append([][]string{head}, rows[1:]...)
}

// Write prints a summary for people.
func (s *Summary) Write(w io.Writer) error {
	if times := s.Times(); len(times) > 1 {
		fmt.Fprintf(w, "Times and memory, OpenSM's first; a ratio is OpenSM's value divided by weft's, with its 95 %% interval over the rounds:\n")
		if err := study.Table(w, upper(times)); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "What the tables deliver:")
	if err := study.Table(w, upper(s.Delivered())); err != nil {
		return err
	}
	for _, c := range s.Comparisons {
		for _, program := range []string{openSM, Weft} {
			if reason, is := c.Reasons[program]; is {
				fmt.Fprintf(w, "%s, %s, %s: %s\n", c.Fabric, c.Engine, program, reason)
			}
		}
	}
	return nil
}

// Command returns the command that makes a bench, in lines for a page.
func (b *Bench) Command(output string) string {
	words := []string{"weft lab bench"}
	for _, s := range b.Subjects {
		words = append(words, "'"+s.Fabric+"'")
	}
	for _, p := range b.Pairs {
		words = append(words, "-e "+p.String())
	}
	words = append(words, fmt.Sprintf("--rounds %d", b.Rounds), "-o "+output)
	const columns = 96
	text, at := "", 0
	for i, word := range words {
		switch {
		case i == 0:
		case at+1+len(word) > columns:
			text, at = text+" \\\n  ", 2
		default:
			text, at = text+" ", at+1
		}
		text, at = text+word, at+len(word)
	}
	return text
}

// WriteMarkdown writes the tables for a page.
func (s *Summary) WriteMarkdown(w io.Writer, command string) {
	fmt.Fprintf(w, "\n```sh\n%s\n```\n\n%s\n", command, fold.Page("", fmt.Sprintf("%s and weft %s, %d cores (%s). Times and memory are medians of the rounds, OpenSM's first. A ratio is OpenSM's value divided by weft's, with its 95 %% interval.",
		s.Made.Peer, s.Made.Version, s.Made.Cores, s.Made.Platform)))
	for _, rows := range [][][]string{s.Times(), s.Delivered()} {
		if len(rows) < 2 {
			continue
		}
		fmt.Fprintln(w)
		for i, row := range rows {
			fmt.Fprint(w, "|")
			for k, text := range row {
				if i > 0 && k == 0 && !strings.HasPrefix(text, "all,") {
					text = "`" + text + "`"
				}
				fmt.Fprintf(w, " %s |", strings.ReplaceAll(text, "|", `\|`))
			}
			fmt.Fprintln(w)
			if i == 0 {
				fmt.Fprintln(w, "|"+strings.Repeat("---|", len(row)))
			}
		}
	}
	fmt.Fprintln(w)
}
