package compare

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/sim/flow"
)

// openSMRow is a row of TestOpenSM, of an engine of OpenSM or of weft.
type openSMRow struct {
	SweepRow
	VLs  int     // 0: unknown
	CI95 float64 // half of the 95 % confidence interval of EBB
	Dark int     // unused channels
	Lost int64   // undelivered pairs of hosts
}

// routeRow routes a fabric by an engine of weft and makes the row, without its Fabric and Engine.
func routeRow(ctx context.Context, g *fabric.Graph, name string, req planner.Request) (*openSMRow, error) {
	var err error
	if req.Chain, err = engine.Parse(name, nil); err != nil {
		return nil, err
	}
	row := &openSMRow{}
	r, err := planner.Run(ctx, g, &req)
	if refusal, refused := errors.AsType[*route.Refusal](err); refused {
		row.Verdict = refusal.Reason
		return row, nil
	}
	if err != nil {
		return nil, err
	}
	row.Chosen, row.Verdict, row.VLs = r.Engine.Name, Proven, r.Plan.VLs
	if r.Choice != nil {
		row.Chosen = r.Choice.Engine
	}
	if !r.Report.OK {
		row.Verdict = notProven
	}
	return row, row.measure(ctx, g, r.Plan)
}

// measure sets the figures of a Plan.
func (r *openSMRow) measure(ctx context.Context, g *fabric.Graph, plan *route.Plan) error {
	k, err := flow.NewKeyFigures(ctx, g, plan, flow.Measure{Seed: 1, Workers: 2})
	if err != nil {
		return err
	}
	r.EBB, r.CI95, r.Shift, r.Pairs, r.Dark, r.Lost = k.EBB.Mean, k.EBB.CI95, k.Shift.Sum, k.PairLoad, k.DarkChannels, k.Undelivered
	return nil
}

// rowColumns names the columns of the file of OpenSM's rows. Its engines have no chosen one, and no
// rule for replies.
var rowColumns = []string{"fabric", "engine", "chosen", "verdict", "vls", "replies", "ebb", "ci95", "shifts", "pairs", "dark", "lost"}

// keptRows reads the figures that are compared from the file of OpenSM's rows, by fabric and
// engine.
func keptRows(t *testing.T) map[[2]string]*openSMRow {
	t.Helper()
	have := map[[2]string]*openSMRow{}
	f, err := os.Open(*openSMRows)
	if err != nil {
		return have
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.Comma = '\t'
	all, err := lines.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, cells := range all {
		if i == 0 {
			if !slices.Equal(cells, rowColumns) {
				t.Fatalf("%s:1: want the columns %s", *openSMRows, strings.Join(rowColumns, " "))
			}
			continue
		}
		row := &openSMRow{}
		var err [3]error
		row.VLs, err[0] = strconv.Atoi(cells[4])
		row.EBB, err[1] = strconv.ParseFloat(cells[6], 64)
		row.Lost, err[2] = strconv.ParseInt(cells[11], 10, 64)
		if err := errors.Join(err[:]...); err != nil {
			t.Fatalf("%s:%d: %v", *openSMRows, i+1, err)
		}
		have[[2]string{cells[0], cells[1]}] = row
	}
	return have
}

// keepRow adds a row of OpenSM to the file asked for.
func keepRow(r *openSMRow) error {
	if *openSMRows == "" {
		return nil
	}
	f, err := os.OpenFile(*openSMRows, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if at, err := f.Seek(0, 2); err == nil && at == 0 {
		if _, err := fmt.Fprintln(f, strings.Join(rowColumns, "\t")); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t\t%s\t%d\t\t%.4f\t%.4f\t%.0f\t%d\t%d\t%d\n", r.Fabric, r.Engine, r.Verdict, r.VLs, r.EBB, r.CI95, r.Shift, r.Pairs, r.Dark, r.Lost)
	return err
}
