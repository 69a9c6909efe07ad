package compare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
)

// Sweep compares engines on many fabrics, both whole and with a share of failed links between
// switches.
type Sweep struct {
	Fabrics []string  // FABRIC arguments
	Shares  []float64 // of failed links; 0 is the whole fabric
	Seeds   int       // draws of failed links, for each share above 0
	Engines []string  // each as engine.Parse reads it
	Runs    int       // random bisections; 0: a number that suits the size
	Routing planner.Request

	// Open makes the fabric of a FABRIC argument.
	Open func(arg string) (*fabric.Graph, error)
	// Has reports whether a row exists already; Run leaves it out.
	Has func(fabric, engine string) bool
	// Row receives each new row.
	Row func(*SweepRow) error
	// Step receives the next fabric and engine.
	Step func(what string)
}

// SweepRow holds the figures of one engine on one fabric. They depend on neither time nor machine.
// A new figure goes to the end: a field, its name in sweepColumns, its value in Sweep.route, its
// cell in Write and parseSweepRow. Files with other columns are refused.
type SweepRow struct {
	Fabric  string
	Engine  string // as asked for
	Chosen  string // the engine that routed, with its options: chosen by auto, or the first that did not refuse
	Verdict string // proven, not proven, or the reason of the refusal
	VLs     int
	Replies string  // SL of replies under which the lanes are safe: "same", or "own" of their own path
	EBB     float64 // effective bisection bandwidth
	CI95    float64 // half of its 95 % confidence interval
	Shift   float64 // all-to-all by shifts: sum of the largest congestions
	Pairs   int64   // largest number of pairs of hosts on a channel
	Dark    int     // unused channels
	Lost    int64   // undelivered pairs of hosts
}

// Proven is the verdict of a row with a proven Plan.
const Proven = "proven"

// sweepColumns names the columns of a file of rows, in the order of the fields of SweepRow.
var sweepColumns = []string{"fabric", "engine", "chosen", "verdict", "vls", "replies", "ebb", "ci95", "shifts", "pairs", "dark", "lost"}

// Missing returns the number of rows still to make.
func (s *Sweep) Missing() (rows int) {
	for _, fabric := range s.variants() {
		for _, engine := range s.Engines {
			if !s.Has(fabric, engine) {
				rows++
			}
		}
	}
	return rows
}

// variants lists the FABRIC arguments of all fabrics, whole and with failed links.
func (s *Sweep) variants() (out []string) {
	for _, name := range s.Fabrics {
		for _, share := range s.Shares {
			if share == 0 {
				out = append(out, name)
				continue
			}
			for seed := 1; seed <= s.Seeds; seed++ {
				out = append(out, fmt.Sprintf("%s|fail(share=%g,links=all,seed=%d)", name, share, seed))
			}
		}
	}
	return out
}

// Run makes the rows, fabric by fabric.
func (s *Sweep) Run(ctx context.Context) error {
	for _, arg := range s.variants() {
		if err := s.fabric(ctx, arg); err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
	}
	return nil
}

// fabric makes the rows of one fabric.
func (s *Sweep) fabric(ctx context.Context, arg string) error {
	var g *fabric.Graph
	for _, engine := range s.Engines {
		if s.Has(arg, engine) {
			continue
		}
		if g == nil {
			var err error
			if g, err = s.Open(arg); err != nil {
				return err
			}
			if err = s.findSwitches(arg, g); err != nil {
				return err
			}
		}
		s.Step(arg + " " + engine)
		row, err := s.route(ctx, g, engine)
		if err != nil {
			return err
		}
		row.Fabric, row.Engine = arg, engine
		if err := s.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// findSwitches checks that the fabric has the switches that the options of the missing rows'
// engines name.
func (s *Sweep) findSwitches(arg string, g *fabric.Graph) error {
	for _, name := range s.Engines {
		if s.Has(arg, name) {
			continue
		}
		chain, err := engine.Parse(name, nil)
		if err == nil {
			err = chain.CheckSwitches(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// route routes a fabric by an engine and makes the row, without its Fabric and Engine.
func (s *Sweep) route(ctx context.Context, g *fabric.Graph, name string) (*SweepRow, error) {
	req := s.Routing
	var err error
	if req.Chain, err = engine.Parse(name, nil); err != nil {
		return nil, err
	}
	r, err := planner.Run(ctx, g, &req)
	if refusal, refused := errors.AsType[*route.Refusal](err); refused {
		return &SweepRow{Verdict: strings.Join(strings.Fields(refusal.Reason), " ")}, nil
	}
	if err != nil {
		return nil, err
	}
	k, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: s.Runs, Seed: req.Seed, Workers: req.Workers})
	if err != nil {
		return nil, err
	}
	row := &SweepRow{
		Chosen: r.Engine.Name, Verdict: Proven, VLs: r.Plan.VLs, Replies: "same",
		EBB: k.EBB.Mean, CI95: k.EBB.CI95, Shift: k.Shift.Sum, Pairs: k.PairLoad, Dark: k.DarkChannels, Lost: k.Undelivered,
	}
	if r.Choice != nil {
		row.Chosen = r.Choice.Engine
	}
	if !r.Plan.Service.ReplySameSL {
		row.Replies = "own"
	}
	if !r.Report.OK {
		row.Verdict = "not proven"
	}
	return row, nil
}

// WriteSweepHead writes the column names, the first line of a file of rows.
func WriteSweepHead(w io.Writer) error {
	_, err := fmt.Fprintln(w, strings.Join(sweepColumns, "\t"))
	return err
}

// Write writes a row as a line.
func (r *SweepRow) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%.4f\t%.4f\t%.0f\t%d\t%d\t%d\n",
		r.Fabric, r.Engine, r.Chosen, r.Verdict, r.VLs, r.Replies, r.EBB, r.CI95, r.Shift, r.Pairs, r.Dark, r.Lost)
	return err
}

// ReadSweep reads a file of rows; errors name the file and the line. The last line of an
// interrupted run may be cut and yield a wrong row: the caller drops it.
func ReadSweep(name string, in io.Reader) (rows []SweepRow, err error) {
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		if n == 1 {
			if !slices.Equal(cells, sweepColumns) {
				return nil, fmt.Errorf("%s:1: no table of weft lab sweep: want the columns %s", name, strings.Join(sweepColumns, " "))
			}
			continue
		}
		row, err := parseSweepRow(cells)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		rows = append(rows, *row)
	}
	return rows, lines.Err()
}

func parseSweepRow(cells []string) (*SweepRow, error) {
	if len(cells) != len(sweepColumns) {
		return nil, fmt.Errorf("%d columns, want %d", len(cells), len(sweepColumns))
	}
	r := &SweepRow{Fabric: cells[0], Engine: cells[1], Chosen: cells[2], Verdict: cells[3], Replies: cells[5]}
	var whole [4]int64
	for i, column := range []int{4, 9, 10, 11} {
		n, err := strconv.ParseInt(cells[column], 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("column %s: %q is no whole number from 0 on", sweepColumns[column], cells[column])
		}
		whole[i] = n
	}
	r.VLs, r.Pairs, r.Dark, r.Lost = int(whole[0]), whole[1], int(whole[2]), whole[3]
	for i, v := range []*float64{&r.EBB, &r.CI95, &r.Shift} {
		var err error
		if *v, err = strconv.ParseFloat(cells[6+i], 64); err != nil || !(*v >= 0 && *v <= math.MaxFloat64) {
			return nil, fmt.Errorf("column %s: %q is no number from 0 on", sweepColumns[6+i], cells[6+i])
		}
	}
	return r, nil
}
