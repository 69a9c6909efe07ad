package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/planner"
	"weft/route/engine"
	"weft/study/compare"
	"weft/study/flows"
)

// sweepFlags are the options of weft lab sweep.
type sweepFlags struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	sweep   compare.Sweep
	list    string
	file    string
	behind  string
	predict bool
}

func labSweepCmd() *cobra.Command {
	var o sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep [FABRIC...]",
		Short: "compare engines on many fabrics, intact and with failed links",
		Long: `Compare engines on many fabrics, intact and with random links between switches failed.

Input is a list of FABRICs and engines. Each fabric is routed by each engine, and each routing is
judged and measured: effective bisection bandwidth, all-to-all by shifts, most pairs of hosts
on one link. All engines get the same bisections and shifts. Output is a summary that compares each
engine with the best proven one of each fabric. No figure depends on the machine.

-o writes the rows to a file as they are made. Rows already in the file are kept, so an interrupted
sweep continues where it stopped.`,
		Example: `  weft lab sweep fat648 'torus(6x6x6,hosts=1)' -e auto -e ftree -e nue
  weft lab sweep --list docs/results/routes/fabrics.txt -o docs/results/routes/rows.tsv
  weft lab sweep --failed 0,0.05 --seeds 10 -e 'ftree,balance=zahavi' -e ftree fat3456 --behind ftree`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.fabric.Add(cmd)
	o.routing.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.list, "list", "", "`FILE` with more FABRICs, one a line; # begins a comment")
	f.StringVar(&o.fabric.Dir, "in", "", "`DIR` in which relative file names of FABRICs are looked up (default: the current directory)")
	f.StringArrayVarP(&o.sweep.Engines, "engine", "e", []string{"auto", "ftree", "torus", "dor", "dfsssp", "lash", "nue", "hyperx", "updn", "sssp", "minhop"}, "`ENGINE` with its options, or a chain; can be repeated")
	f.Float64SliceVar(&o.sweep.Shares, "failed", []float64{0, .01, .05, .1, .2}, "`SHARES` of the links between switches that fail")
	f.IntVar(&o.sweep.Seeds, "seeds", 3, "number `N` of random draws of failing links for each share")
	f.IntVarP(&o.sweep.Runs, "runs", "n", 0, "number `N` of random bisections (default: 200, fewer from 20,000 hosts on)")
	f.StringVarP(&o.file, "output", "o", "", "`FILE` for the rows, created or continued")
	f.StringVar(&o.behind, "behind", "", "also list the fabrics on which this `ENGINE`, as given with -e, is not the best")
	f.BoolVar(&o.predict, "predictions", false, "also list which engine the features of each kind of network predict, and how often that was right")
	return cmd
}

func (o *sweepFlags) run(cmd *cobra.Command, args []string) error {
	s := &o.sweep
	err := o.validate()
	if err != nil {
		return err
	}
	if s.Fabrics, err = o.fabrics(args); err != nil {
		return err
	}
	rows, out, err := o.continueFile()
	if err != nil {
		return err
	}
	defer out.Close()
	among := func(r compare.SweepRow) bool { return r.Engine == o.behind }
	if o.behind != "" && !slices.Contains(s.Engines, o.behind) && !slices.ContainsFunc(rows, among) {
		return fmt.Errorf("--behind %s: not an engine of the sweep (these are: %s)", o.behind, strings.Join(s.Engines, " "))
	}
	s.Routing = o.routing.Request
	s.Open = func(arg string) (*fabric.Graph, error) { return o.fabric.Graph(cmd, arg) }
	have := map[[2]string]bool{}
	for _, r := range rows {
		have[[2]string{r.Fabric, r.Engine}] = true
	}
	s.Has = func(fabric, engine string) bool { return have[[2]string{fabric, engine}] }
	bar := newLabBar(cmd, s.Missing())
	s.Step = bar.step
	s.Row = func(r *compare.SweepRow) error {
		rows = append(rows, *r)
		have[[2]string{r.Fabric, r.Engine}] = true
		bar.done()
		return r.Write(out)
	}
	err = s.Run(cmd.Context())
	bar.stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	w := cmd.OutOrStdout()
	if e := compare.WriteStandings(w, compare.Standings(rows)); e != nil {
		return e
	}
	if o.behind != "" {
		fmt.Fprintln(w)
		if e := compare.WriteBehind(w, rows, o.behind); e != nil {
			return e
		}
	}
	if o.predict && err == nil {
		return o.writePredictions(w, rows)
	}
	return err
}

// writePredictions recognises the fabrics with rows of auto.
func (o *sweepFlags) writePredictions(w io.Writer, rows []compare.SweepRow) error {
	all, err := compare.Predictions(rows, func(arg string) (planner.Prediction, error) {
		g, err := o.sweep.Open(arg)
		if err != nil {
			return planner.Prediction{}, err
		}
		return planner.Predict(g), nil
	})
	if err != nil {
		return err
	}
	return compare.WritePredictions(w, all)
}

// validate checks the options before anything is opened.
func (o *sweepFlags) validate() error {
	s := &o.sweep
	for _, share := range s.Shares {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("--failed %g: want shares from 0 to 1", share)
		}
	}
	if s.Seeds < 1 || s.Runs < 0 || s.Runs > flows.MaxRuns {
		return fmt.Errorf("--seeds %d, --runs %d: want at least one draw, and 0 to %d runs", s.Seeds, s.Runs, flows.MaxRuns)
	}
	if err := o.routing.Check(); err != nil {
		return err
	}
	for _, name := range s.Engines {
		if _, err := engine.Parse(name, nil); err != nil {
			return err
		}
	}
	return nil
}

// fabrics returns the FABRICs of the arguments and of the list file.
func (o *sweepFlags) fabrics(args []string) ([]string, error) {
	if o.list == "" {
		if len(args) == 0 {
			return nil, errors.New("name a FABRIC, or a file of them with --list")
		}
		return args, nil
	}
	data, err := os.ReadFile(o.list)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			args = append(args, line)
		}
	}
	return args, nil
}

// continueFile reads the rows of an existing file and opens it for more. Without a file, rows are
// discarded. A file that is not a table of rows is left unchanged.
func (o *sweepFlags) continueFile() (rows []compare.SweepRow, out *os.File, err error) {
	if o.file == "" {
		out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		return nil, out, err
	}
	data, err := os.ReadFile(o.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1 // an interrupted run may have left half a line
	if len(data) > 0 {
		if rows, err = compare.ReadSweep(o.file, bytes.NewReader(data[:max(end, 1)])); err != nil {
			return nil, nil, err
		}
	}
	if out, err = os.OpenFile(o.file, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, nil, err
	}
	err = out.Truncate(int64(end))
	if err == nil {
		_, err = out.Seek(int64(end), io.SeekStart)
	}
	if err == nil && end == 0 {
		err = compare.WriteSweepHead(out)
	}
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	return rows, out, nil
}
