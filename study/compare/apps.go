package compare

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
	"weft/planner"
	"weft/sim/packet"
	"weft/study"
	"weft/study/app"
)

// AppTime is the time of an application on a Plan, by flows, with a rank on each host in order of
// the leaves.
type AppTime struct {
	Program string  `json:"program"`
	EndNS   float64 `json:"end_ns,omitempty"`
	IdealNS float64 `json:"ideal_ns,omitempty"` // on one switch for all hosts
	Cost    float64 `json:"cost,omitempty"`     // EndNS divided by IdealNS
	Failed  string  `json:"failed,omitempty"`   // why it did not end
}

// CheckApps returns an error for a program that cannot run on a fabric.
func CheckApps(programs []string, g *fabric.Graph) error {
	for _, text := range programs {
		p, err := app.Open(text, app.DefaultsOf(g, false, "leaf"))
		if err != nil {
			return fmt.Errorf("--app: %w", err)
		}
		if most := app.DefaultsOf(g, false, "leaf").Ranks; p.Ranks() > most {
			return fmt.Errorf("--app %s: %d ranks on %d places", text, p.Ranks(), most)
		}
	}
	return nil
}

// runApps runs each program on a Plan.
func runApps(ctx context.Context, g *fabric.Graph, r *planner.Result, programs []string, workers int) (list []AppTime, err error) {
	for _, text := range programs {
		p, err := app.Open(text, app.DefaultsOf(g, false, "leaf"))
		if err != nil {
			return nil, err
		}
		run, err := app.On(ctx, g, r, &app.Request{
			Jobs: []*app.Program{p}, Costs: machine.Usual, Placement: "leaf", Hardware: packet.Default(), Memory: places.UsualMemory, Workers: workers,
		})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			list = append(list, AppTime{Program: text, Failed: err.Error()})
		default:
			list = append(list, AppTime{Program: text, EndNS: run.EndNS, IdealNS: run.IdealNS, Cost: run.Cost})
		}
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
