package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
	"weft/route"
	"weft/route/check"
	"weft/route/job"
	"weft/route/quality"
	"weft/sim/flow"
)

// Comparison is the document of `weft compare --json`.
type Comparison struct {
	Fabric    string     `json:"fabric"`
	Runs      int        `json:"runs"` // random bisections of each ebb
	Direction string     `json:"ebb_direction"`
	Seed      uint64     `json:"seed"`
	Engines   []Compared `json:"engines"`
}

// Compared is an engine's Plan with what the judge and the flow simulator say of it, or
// the reason why there is none.
type Compared struct {
	Engine  string        `json:"engine"`
	Choice  *job.Choice   `json:"auto,omitempty"` // how engine auto chose it
	Refused *Refusal      `json:"refused,omitempty"`
	LIDs    int           `json:"lids,omitempty"`
	VLs     int           `json:"vls,omitempty"`
	Replies string        `json:"replies,omitempty"` // as in Route
	EBB     *flow.Summary `json:"ebb,omitempty"`     // effective bisection bandwidth
	Seconds float64       `json:"seconds,omitempty"` // routing alone
	Stages  []job.Stage   `json:"stages,omitempty"`
	Judged  float64       `json:"judge_seconds,omitempty"`
	Counted float64       `json:"ebb_seconds,omitempty"`
	// RouteRSS is the memory of a process of the engine's own, if it has one, when it had
	// read the fabric and routed it; PeakRSS in the end. In 10^6 bytes.
	RouteRSS float64         `json:"route_rss_mb,omitempty"`
	PeakRSS  float64         `json:"peak_rss_mb,omitempty"`
	Check    *quality.Report `json:"check,omitempty"`
	// Yardstick holds further figures, if they were asked for.
	Yardstick *flow.Yardstick `json:"yardstick,omitempty"`
}

// Figures says what is measured of each Plan.
type Figures struct {
	Runs      int  // random bisections
	Yardstick bool // the whole yardstick too
}

// orders are the ways to sort rows, best first.
var orders = map[string]func(a, b Compared) int{
	"engine":  func(_, _ Compared) int { return 0 },
	"ebb":     func(a, b Compared) int { return cmp.Compare(b.ebb(), a.ebb()) },
	"vls":     func(a, b Compared) int { return cmp.Compare(a.VLs, b.VLs) },
	"seconds": func(a, b Compared) int { return cmp.Compare(a.Seconds, b.Seconds) },
	"memory":  func(a, b Compared) int { return cmp.Compare(a.RouteRSS, b.RouteRSS) },
}

// CheckOrder reports an unknown order of rows.
func CheckOrder(order string) error {
	if orders[order] == nil {
		return fmt.Errorf("%q: want engine, ebb, vls, seconds or memory", order)
	}
	return nil
}

// Sort puts the rows in an order that CheckOrder knows, those without a Plan last.
func (c *Comparison) Sort(order string) {
	slices.SortStableFunc(c.Engines, func(a, b Compared) int {
		switch {
		case a.Refused == nil && b.Refused != nil:
			return -1
		case a.Refused != nil && b.Refused == nil:
			return 1
		}
		return orders[order](a, b)
	})
}

func (c *Compared) ebb() float64 {
	if c.EBB == nil {
		return 0
	}
	return c.EBB.Mean
}

// UsualRuns is so many random bisections that they take about a second on a core.
func UsualRuns(hosts int) int { return min(max(5_000_000/max(hosts, 1), 100), 1000) }

// CompareEngine routes by one engine of a chain, judges and simulates. peakRSS measures the
// memory of the process.
func CompareEngine(ctx context.Context, g *fabric.Graph, step job.Step, asked *job.Request, figures Figures, peakRSS func() float64) (*Compared, error) {
	req := *asked
	req.Chain = job.Chain{step}
	c := &Compared{Engine: step.Engine.Name}
	r, err := job.Route(ctx, g, &req)
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		refusal := refusalOf(err)
		c.Refused = &refusal
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Choice = r.Choice; c.Choice != nil {
		c.Engine = step.Engine.Name + ": " + c.Choice.Engine
	}
	c.Replies = repliesOf(r.Plan)
	c.LIDs, c.VLs, c.Seconds, c.Stages, c.RouteRSS = r.Plan.Ends.Total(), r.Plan.VLs, r.Seconds, r.Stages, peakRSS()
	if err := r.Judge(ctx, g, &req); err != nil {
		return nil, err
	}
	c.Check, c.Judged = r.Report, r.Judged
	c.Counted, err = seconds(req.Now, func() (err error) {
		c.EBB, err = bisections(ctx, g, r.Plan, &req, figures.Runs)
		return err
	})
	if err == nil && figures.Yardstick {
		c.Yardstick, err = flow.NewYardstick(ctx, g, r.Plan, flow.Measure{Runs: figures.Runs, Seed: req.Seed, Workers: req.Workers})
	}
	return c, err
}

// seconds measures how long work takes by a clock that may be nil.
func seconds(now func() time.Duration, work func() error) (float64, error) {
	if now == nil {
		return 0, work()
	}
	begun := now()
	err := work()
	return (now() - begun).Seconds(), err
}

// bisections is the effective bisection bandwidth, one way, by the rates of links where these differ.
func bisections(ctx context.Context, g *fabric.Graph, plan *route.Plan, req *job.Request, runs int) (*flow.Summary, error) {
	n, err := flow.New(ctx, g, plan, req.Workers)
	if err != nil {
		return nil, err
	}
	result, err := n.RunPattern(ctx, "bisect", flow.Options{Runs: runs, Seed: req.Seed, Shuffle: true, ByRate: true, Workers: req.Workers})
	if err != nil {
		return nil, err
	}
	return &result.Bandwidth, nil
}

// Write prints the table for people.
func (c *Comparison) Write(w io.Writer) error { return WriteCompared(w, c.Engines) }

// WriteCompared prints a table of engines for people. The memory is left out where no row has it.
func WriteCompared(w io.Writer, rows []Compared) error {
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Engine
	}
	t, err := NewComparedTable(w, names, slices.ContainsFunc(rows, func(r Compared) bool { return r.RouteRSS > 0 }))
	for i := range rows {
		if err == nil {
			err = t.Add(&rows[i])
		}
	}
	return errors.Join(err, t.End())
}

// ComparedTable prints a table of engines for people, each row as soon as it is there.
type ComparedTable struct {
	w      io.Writer
	widths []int // of the columns
	rows   []Compared
}

// comparedColumns are the columns with the width that their cells usually have.
var comparedColumns = []struct {
	head  string
	width int
}{
	{"ENGINE", 0},
	{"REACHABLE", 0},
	{"VERDICT", len("can deadlock")},
	{"NO DEADLOCK", 0},
	{"VLs", len("4, own")},
	{"LIDs", len("49151")},
	{"HOPS max/avg", 0},
	{"MINIMAL", 0},
	{"PATHS/CHANNEL max/avg", 0},
	{"EBB", len("0.5000")},
	{"ROUTE s", 0},
	{"JUDGE s", 0},
	{"MB", 0},
}

// NewComparedTable prints the head of a table for these engines, with their memory or without.
func NewComparedTable(w io.Writer, engines []string, memory bool) (*ComparedTable, error) {
	t := &ComparedTable{w: w}
	var head []string
	for _, c := range comparedColumns {
		head = append(head, c.head)
		t.widths = append(t.widths, max(len(c.head), c.width))
	}
	for _, name := range engines {
		if name == job.Auto {
			name += ": dfsssp" // the engine it chooses
		}
		t.widths[0] = max(t.widths[0], len(name))
	}
	if !memory {
		head, t.widths = head[:len(head)-1], t.widths[:len(head)-1]
	}
	return t, t.line(head)
}

// line prints cells in the columns; the last one is not filled up.
func (t *ComparedTable) line(cells []string) error {
	var b strings.Builder
	for i, cell := range cells[:min(len(cells), len(t.widths))] {
		if i > 0 {
			b.WriteString("  ")
		}
		width := t.widths[i]
		if i == min(len(cells), len(t.widths))-1 {
			width = 0
		}
		fmt.Fprintf(&b, "%-*s", width, cell)
	}
	_, err := fmt.Fprintln(t.w, b.String())
	return err
}

// Add prints a row.
func (t *ComparedTable) Add(r *Compared) error {
	t.rows = append(t.rows, *r)
	if r.Refused != nil {
		return t.line([]string{r.Engine, "refused"})
	}
	c := r.Check
	return t.line([]string{
		r.Engine, reachable(c), verdict(c), deadlockFree(c), vls(r), strconv.Itoa(r.LIDs),
		fmt.Sprintf("%d/%.2f", c.Hops.Max, c.Hops.Avg), minimal(c),
		fmt.Sprintf("%d/%.1f", c.Load.Max, c.Load.Avg), fmt.Sprintf("%.4f", r.ebb()),
		fmt.Sprintf("%.3f", r.Seconds), fmt.Sprintf("%.3f", r.Judged), fmt.Sprintf("%.0f", r.RouteRSS),
	})
}

// End prints what stands below the rows: the further figures, and why engines refused.
func (t *ComparedTable) End() error {
	if err := writeYardsticks(t.w, t.rows); err != nil {
		return err
	}
	for i := range t.rows {
		if r := t.rows[i].Refused; r != nil {
			fmt.Fprintln(t.w, "refused:", r)
		}
		if c := t.rows[i].Choice; c != nil {
			fmt.Fprintln(t.w, "auto:", c)
		}
	}
	return nil
}

// writeYardsticks prints a table of the further figures, where there are any.
func writeYardsticks(w io.Writer, rows []Compared) error {
	out := [][]string{{"", "EBB", "+-95%", "BOUND", "SHIFTS", "DOUBLING", "DOUBLING random", "PERMUTATION median/99%", "PAIRS/CHANNEL hosts/all", "LEAST", "DARK"}}
	for i := range rows {
		if y := rows[i].Yardstick; y != nil {
			out = append(out, []string{
				rows[i].Engine, fmt.Sprintf("%.4f", y.EBB.Mean), fmt.Sprintf("%.4f", y.EBB.CI95), fmt.Sprintf("%.4f", y.EBBBound),
				fmt.Sprintf("%.0f", y.Shift.Sum), fmt.Sprintf("%.1f", y.Doubling.Sum), fmt.Sprintf("%.1f", y.DoublingRandom.Sum),
				fmt.Sprintf("%.2f/%.2f", y.PermutationMedian, y.PermutationP99), fmt.Sprintf("%d/%d", y.PairLoad, y.PairLoadSwitches), leastPairs(y.PairLoadBound),
				strconv.Itoa(y.DarkChannels),
			})
		}
	}
	if len(out) == 1 {
		return nil
	}
	fmt.Fprintln(w, "\nThe yardstick: by the rates of links; sums over rounds of the largest congestion")
	return Table(w, out)
}

// leastPairs is the bound of the pairs on a channel, where there is one.
func leastPairs(bound float64) string {
	if bound == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", bound)
}

// reachable says whether every pair that has a way is delivered.
func reachable(c *quality.Report) string {
	if lost := c.Unreachable + c.Discarded; lost > 0 {
		return fmt.Sprintf("%d lost", lost)
	}
	return "yes"
}

// verdict is the judge's answer in one or two words.
func verdict(c *quality.Report) string {
	switch {
	case c.OK:
		return "proven"
	case c.Unreachable > 0:
		return "unreachable pairs"
	case len(c.Faults) > 0:
		return "faulty"
	case c.DeadlockFree == check.No:
		return "can deadlock"
	}
	return "not proven"
}

// deadlockFree says for which traffic there is no deadlock.
func deadlockFree(c *quality.Report) string {
	if c.DeadlockFree != check.Yes && c.HostOnly.DeadlockFree == check.Yes {
		return "hosts only"
	}
	return c.DeadlockFree.String()
}

// minimal says which pairs take a shortest way.
func minimal(c *quality.Report) string {
	switch {
	case c.Minimal:
		return "yes"
	case c.HostPairs.NonMinimal == 0:
		return "hosts"
	}
	return "no"
}

// vls is the number of lanes, and whether each reply needs the SL of its own path for them.
func vls(r *Compared) string {
	n := strconv.Itoa(r.VLs)
	if r.Replies == RepliesOwn {
		n += ", own"
	}
	return n
}
