package sweeps

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/sweep"
	"weft/planner"
	"weft/study/compare"
)

// answer prints the comparison of the engines; whole says that the sweep was not interrupted.
func (o *sweepFlags) answer(cmd *cobra.Command, r *sweep.Run, sheet *sweep.Sheet, whole bool) error {
	s, err := r.Summarise(sheet, r.Rows, o.figure, o.against)
	if err != nil {
		return err
	}
	if err := cli.Answer(cmd.OutOrStdout(), s, o.asJSON); err != nil || o.asJSON {
		return err
	}
	return o.standings(cmd, r, distinct(r.Rows, sheet), whole)
}

// standings prints how far each engine is behind the best under bisections and shifts. After a
// whole sweep it also prints the predictions, if asked.
func (o *sweepFlags) standings(cmd *cobra.Command, run *sweep.Run, rows []sweep.Row, whole bool) error {
	var all []compare.SweepRow
	for i := range rows {
		r := &rows[i]
		if !strings.HasPrefix(r.Workload, "flow") || r.Status == sweep.Proven && r.EBB == nil {
			continue
		}
		one := compare.SweepRow{Fabric: r.Fabric, Engine: run.Contestant(r), Chosen: r.Chosen, Verdict: r.Status}
		if r.Status == sweep.Proven {
			one.EBB, one.Shift, one.Pairs = *r.EBB, *r.Shift, *r.Pairs
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
	w := cmd.OutOrStdout()
	fmt.Fprintln(w)
	if err := compare.WriteStandings(w, compare.Standings(all)); err != nil {
		return err
	}
	if o.behind != "" {
		fmt.Fprintln(w)
		if err := compare.WriteBehind(w, all, o.behind); err != nil {
			return err
		}
	}
	if !o.predict || !whole {
		return nil
	}
	predictions, err := compare.Predictions(all, func(arg string) (planner.Prediction, error) {
		g, err := run.Open(arg)
		if err != nil {
			return planner.Prediction{}, err
		}
		return planner.Predict(g), nil
	})
	if err != nil {
		return err
	}
	return compare.WritePredictions(w, predictions)
}
