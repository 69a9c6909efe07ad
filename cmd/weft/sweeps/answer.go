package sweeps

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/lab/sweep"
	"weft/planner"
	"weft/study/compare"
)

// standingFlags select the tables that follow the comparison of the engines.
type standingFlags struct {
	behind  string // an engine
	predict bool
}

func (o *standingFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.behind, "behind", "", "also list the fabrics on which this `ENGINE`, as the sweep names it, is not the best")
	f.BoolVar(&o.predict, "predictions", false, "also list which engine the features of each kind of network predict, and how often that was right")
}

// check returns an error if the sweep lacks the engine.
func (o *standingFlags) check(d *sweep.Description) error {
	if o.behind != "" && !slices.Contains(d.Engines, o.behind) {
		return fmt.Errorf("--behind %s: not an engine of the sweep (these are: %s)", o.behind, strings.Join(d.Engines, " "))
	}
	return nil
}

// answer prints the comparison of the engines; whole says that the sweep was not interrupted.
func (o *sweepFlags) answer(cmd *cobra.Command, r *sweep.Run, sheet *sweep.Sheet, whole bool) error {
	s, err := r.Summarise(sheet, r.Rows, o.figure, o.against)
	if err != nil {
		return err
	}
	if err := cli.Answer(cmd.OutOrStdout(), s, o.asJSON); err != nil || o.asJSON {
		return err
	}
	what := o.standing
	what.predict = what.predict && whole
	return what.write(cmd.OutOrStdout(), r.Description, distinct(r.Rows, sheet), r.Open)
}

// write prints how far each engine is behind the best under bisections and shifts; with the fabrics
// where one is behind, and with the predictions, if asked. open opens a fabric for these.
func (o *standingFlags) write(w io.Writer, d *sweep.Description, rows []sweep.Row, open func(arg string) (*fabric.Graph, error)) error {
	var all []compare.SweepRow
	for i := range rows {
		r := &rows[i]
		if !strings.HasPrefix(r.Workload, "flow") || r.Status == sweep.Proven && r.EBB == nil {
			continue
		}
		one := compare.SweepRow{Fabric: r.Fabric, Engine: d.Contestant(r), Chosen: r.Chosen, Verdict: r.Status}
		if r.Status == sweep.Proven {
			one.EBB, one.Shift, one.Pairs = *r.EBB, *r.Shift, *r.Pairs
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
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
	if !o.predict {
		return nil
	}
	predictions, err := compare.Predictions(all, func(arg string) (planner.Prediction, error) {
		g, err := open(arg)
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
