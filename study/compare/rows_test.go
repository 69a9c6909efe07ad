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

// The file of rows that TestOpenSM keeps.

// sweepColumns names the columns of a file of rows, in the order of the fields of SweepRow.
var sweepColumns = []string{"fabric", "engine", "chosen", "verdict", "vls", "replies", "ebb", "ci95", "shifts", "pairs", "dark", "lost"}

// routeRow routes a fabric by an engine and makes the row, without its Fabric and Engine.
func routeRow(ctx context.Context, g *fabric.Graph, name string, req planner.Request) (*SweepRow, error) {
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
	k, err := flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Seed: req.Seed, Workers: req.Workers})
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
