package compare

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/study"
	"weft/study/app"
)

// CheckApps returns an error for a program that cannot run on a fabric.
func CheckApps(programs []string, g *fabric.Graph) error {
	d := app.DefaultsOf(g, false, "leaf")
	list, err := app.OpenEach(programs, d)
	if err != nil {
		return fmt.Errorf("--app: %w", err)
	}
	for _, p := range list {
		if p.Ranks() > d.Ranks {
			return fmt.Errorf("--app %s: %d ranks on %d places", p.Name, p.Ranks(), d.Ranks)
		}
	}
	return nil
}

// runApps runs each program on a Plan, with a rank on each host in order of the leaves.
func runApps(ctx context.Context, g *fabric.Graph, r *planner.Result, figures *Figures, workers int) (list []app.Time, err error) {
	programs, err := app.OpenEach(figures.Apps, app.DefaultsOf(g, false, "leaf"))
	if err != nil {
		return nil, err
	}
	req := app.Usual()
	req.Workers, req.Sends = workers, figures.Sends
	for _, p := range programs {
		t, err := app.TimeOf(ctx, g, r, p, req)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			t = app.Time{Program: p.Name, Failed: err.Error()}
		}
		list = append(list, t)
	}
	return list, nil
}

// writeApps prints the times of applications: an engine a row, and behind each time how many times
// as long it is as on one switch.
func (t *Table) writeApps() error {
	var rows [][]string
	var failed []string
	for i := range t.rows {
		r := &t.rows[i]
		if len(r.Apps) == 0 {
			continue
		}
		if rows == nil {
			rows = [][]string{{"ENGINE"}}
			for _, a := range r.Apps {
				rows[0] = append(rows[0], strings.ToUpper(a.Program))
			}
		}
		row := []string{shortName(r.Engine)}
		for _, a := range r.Apps {
			cell := fmt.Sprintf("%v (%.2f)", time.Duration(a.EndNS).Round(time.Microsecond), a.Cost)
			if a.Failed != "" {
				cell = "fails"
				failed = append(failed, fmt.Sprintf("%s, %s: %s", r.Engine, a.Program, a.Failed))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return nil
	}
	fmt.Fprintln(t.w)
	if err := study.Table(t.w, rows); err != nil {
		return err
	}
	study.WriteSome(t.w, "applications that do not end", failed, len(failed))
	return nil
}
