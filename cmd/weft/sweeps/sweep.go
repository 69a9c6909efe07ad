// Package sweeps holds the commands of weft lab that run sweeps and keep their results. They parse
// the command line and files, and call lab/sweep and lab/store.
package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile/site"
	"weft/lab/measure/flowload"
	"weft/lab/sweep"
	"weft/route/levels"
)

// sweepFlags are the options of weft lab sweep.
type sweepFlags struct {
	fabric   cli.FabricFlags
	routing  cli.RouteFlags
	short    sweep.Description // of the short form
	shares   []float64
	runs     int
	output   string
	shard    string
	slurm    slurmFlags
	known    fromFlags
	goOn     bool // behind a job that kills the worker
	standing standingFlags
	figure   string
	against  string
	slice    time.Duration
	asJSON   bool
}

// sweepHelp is the text of weft lab sweep --help.
const sweepHelp = `Compare engines on many fabrics, intact and with random links between switches failed.

Input is a file that describes the sweep (weft lab init writes one), or in the short form a list of
FABRICs with options. Each fabric is routed by each engine, and each routing is judged and measured;
usually effective bisection bandwidth, all-to-all by shifts, and most pairs of hosts on one link.
All engines get the same bisections and shifts. It prints how the cases ended, intervals by fabric,
each engine against the first one on the same fabrics, and how far each is behind the best. No
figure depends on the machine, nor on the number of cores.

RESULTS

-o FILE keeps the rows: in a SQLite store (results.db), or as lines of text (x.csv, x.tsv). Rows that
the file has are not computed again, so an interrupted sweep continues where it stopped. Ctrl-C keeps
what is done. A row is taken for a case only if everything that decides the result is the same:
options, seeds, the contents of files, and the sources of weft that compute it. Draws that fail the
same links are one case, and the sweep says so.

--for 2h ends a slice of a long sweep: finished cases are kept, and the same command goes on.

--from STORE begins with the rows of another store, or of a folder of weft lab freeze. If the code of
weft has changed since, such rows are of other cases, and are computed again. With --older they are
taken: each keeps the digest of the sources that made it, and results say how many are of which.

MANY WORKERS

--shard I/N computes part I of N, and writes Parquet files to the folder -o, which all workers may
share, on any file system. Start each part again after a kill. weft lab merge puts the parts into one
store.

SLURM

--on slurm -o results.db submits an array job of --tasks tasks, which write their parts to the folder
results.parts, and a job that merges them into results.db when all have ended. Logs and scripts are in
that folder. A task goes on in a new run if it was preempted, reached its time limit or was killed.
The same command again submits what is missing. weft and the files that the sweep names must have the
same paths on all nodes.`

// sweepCmd returns weft lab sweep.
func sweepCmd() *cobra.Command {
	var o sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep [SWEEP.yaml | FABRIC...]",
		Short: "compare engines on many fabrics, intact and with failed links",
		Long:  sweepHelp,
		Example: `  weft lab init sweep.yaml && weft lab sweep sweep.yaml -o results.db
  weft lab sweep sweep.yaml --shard 2/5 -o parts
  weft lab sweep sweep.yaml --on slurm --tasks 20 --sbatch=--partition=long -o results.db
  weft lab sweep fat648 'torus(6x6x6,hosts=1)' -e auto -e ftree -e nue -o rows.csv
  weft lab sweep --failed 0,0.05 --seeds 10 -e 'ftree,balance=zahavi' -e ftree fat3456 --behind ftree`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.fabric.Add(cmd)
	o.routing.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.short.List, "list", "", "`FILE` with more FABRICs, one a line; # begins a comment")
	f.StringVar(&o.fabric.Dir, "in", "", "`DIR` in which relative file names of FABRICs are looked up (default: the current directory)")
	f.StringArrayVarP(&o.short.Engines, "engine", "e", []string{"auto", "ftree", "torus", "dor", "dfsssp", "lash", "nue", "hyperx", "updn", "sssp", "minhop"}, "`ENGINE` with its options, or a chain; can be repeated")
	f.Float64SliceVar(&o.shares, "failed", []float64{0, .01, .05, .1, .2}, "`SHARES` of the links between switches that fail")
	f.IntVar(&o.short.Draws.Least, "seeds", 3, "number `N` of random draws of failing links for each share")
	f.IntVarP(&o.runs, "runs", "n", 0, "number `N` of random bisections (default: 200, fewer from 20,000 hosts on)")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` for the rows, created or continued: a SQLite store, or text if its name ends in .csv or .tsv; with --shard a folder")
	f.StringVar(&o.shard, "shard", "", "compute part `I/N` of the sweep, as one of N workers")
	f.StringVar(&o.known.from, "from", "", "begin with the rows of `STORE`, a file or a folder of weft lab freeze: they are kept in -o and not computed again")
	f.BoolVar(&o.known.older, "older", false, "take rows of older sources of weft too; results say which they are (default: compute such cases again)")
	f.BoolVar(&o.goOn, "go-on", false, "with --shard: note the cases under way, and leave out one at which this worker was killed three times (tasks on Slurm do)")
	f.DurationVar(&o.slice, "for", 0, "stop after this `TIME`, such as 2h; the same command goes on (default: run to the end)")
	o.slurm.add(cmd)
	o.standing.add(cmd)
	f.StringVar(&o.figure, "figure", "", "`COLUMN` by which engines are compared (default: ebb_share, or the first figure of the workload)")
	f.StringVar(&o.against, "against", "", "compare the others with this `ENGINE` (default: the first)")
	cli.JSONFlag(cmd, &o.asJSON)
	return cmd
}

// withFile lists the options that may be given with a file that describes the sweep.
var withFile = []string{
	"ibnl", "partial", "quiet", "in", "jobs", "output", "shard", "go-on", "for", "from", "older", "behind", "predictions", "figure", "against", "json", "help",
	"on", "tasks", "tasks-at-once", "task-time", "task-memory", "sbatch",
}

// describe returns the description of the file, or of the short form, and reads the files that it
// names.
func (o *sweepFlags) describe(cmd *cobra.Command, args []string) (*sweep.Description, error) {
	d := &o.short
	if len(args) == 1 && (filepath.Ext(args[0]) == ".yaml" || filepath.Ext(args[0]) == ".yml") {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return nil, err
		}
		if d, err = sweep.Parse(args[0], data); err != nil {
			return nil, err
		}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if err == nil && !slices.Contains(withFile, f.Name) {
				err = fmt.Errorf("--%s: the file %s describes the sweep: write it there", f.Name, args[0])
			}
		})
		if err != nil {
			return nil, err
		}
		if err := errors.Join(readList(d), o.readFiles(d)); err != nil {
			return nil, err
		}
		d.SetUsual()
		if err := d.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", args[0], err)
		}
		return d, nil
	}
	for _, share := range o.shares {
		if !(share >= 0 && share <= 1) {
			return nil, fmt.Errorf("--failed %g: want shares from 0 to 1", share)
		}
		d.Damage = append(d.Damage, strconv.FormatFloat(share, 'g', -1, 64))
	}
	if d.Draws.Least < 1 {
		return nil, fmt.Errorf("--seeds %d: want at least one draw", d.Draws.Least)
	}
	d.Fabrics, d.Options, d.FreshLIDs = args, o.routing.Options, o.routing.LIDs.Fresh
	d.Lanes, d.LMC = []int{o.routing.MaxVLs}, []int{int(o.routing.LIDs.LMC)}
	d.Seeds = sweep.Seeds{Engine: []uint64{o.routing.Seed}, Traffic: []uint64{o.routing.Seed}}
	d.Workloads = []sweep.Workload{{Flow: &flowload.Params{Runs: o.runs}}}
	if err := o.routing.Check(); err != nil {
		return nil, err
	}
	if err := readList(d); err != nil {
		return nil, err
	}
	d.SetUsual()
	if len(d.Fabrics) == 0 {
		return nil, errors.New("name a FABRIC, a file of them with --list, or a file that describes a sweep (weft lab init)")
	}
	return d, d.Validate()
}

// readList adds the fabrics in the file List.
func readList(d *sweep.Description) error {
	if d.List == "" {
		return nil
	}
	data, err := os.ReadFile(d.List)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			d.Fabrics = append(d.Fabrics, line)
		}
	}
	return nil
}

// readFiles reads the files Kinds and Levels of a description, and notes Roles, which is read with
// each fabric.
func (o *sweepFlags) readFiles(d *sweep.Description) error {
	o.fabric.Roles = d.Roles
	if d.Kinds != "" {
		data, err := os.ReadFile(d.Kinds)
		if err == nil {
			o.routing.Kinds, err = site.ReadKinds(d.Kinds, data)
		}
		if err != nil {
			return err
		}
	}
	if d.Levels != "" {
		data, err := os.ReadFile(d.Levels)
		if err == nil {
			o.routing.Levels, err = levels.Read(d.Levels, data)
		}
		return err
	}
	return nil
}

// parseShard reads I/N.
func parseShard(text string) (s sweep.Shard, err error) {
	if text == "" {
		return s, nil
	}
	i, n, _ := strings.Cut(text, "/")
	var errI, errN error
	s.I, errI = strconv.Atoi(i)
	s.N, errN = strconv.Atoi(n)
	if errI != nil || errN != nil || s.I < 1 || s.I > s.N || s.N > 100_000 {
		return s, fmt.Errorf("--shard %s: want I/N, with I from 1 to N", text)
	}
	return s, nil
}

// read returns the description of the sweep, and the shard of this worker. It refuses options that
// do not fit the sweep.
func (o *sweepFlags) read(cmd *cobra.Command, args []string) (*sweep.Description, sweep.Shard, error) {
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, shard, err
	}
	if shard.N > 0 && (o.output == "" || o.slurm.on != "") {
		return nil, shard, errors.New("--shard needs a folder for its part, -o FOLDER, and does not go with --on")
	}
	if o.goOn && shard.N == 0 {
		return nil, shard, errors.New("--go-on is for a worker: --shard I/N")
	}
	if err := o.known.check(o.output); err != nil {
		return nil, shard, err
	}
	d, err := o.describe(cmd, args)
	if err != nil {
		return nil, shard, err
	}
	if err := o.standing.check(d); err != nil {
		return nil, shard, err
	}
	if err := errors.Join(sweep.CheckFigure(cmp.Or(o.figure, "ebb_share")), d.CheckAgainst(o.against)); err != nil {
		return nil, shard, fmt.Errorf("--%w", err)
	}
	return d, shard, nil
}

func (o *sweepFlags) run(cmd *cobra.Command, args []string) error {
	d, shard, err := o.read(cmd, args)
	if err != nil {
		return err
	}
	if o.slurm.on != "" {
		return o.submit(cmd, d)
	}
	limit, err := d.Limit()
	if err != nil {
		return err
	}
	keep, rows, err := openKeeper(cmd, o.output, shard)
	if err != nil {
		return err
	}
	bar := newBar(cmd)
	r := &sweep.Run{
		Description: d, Setup: o.setup(cmd), Shard: shard, Keep: keep, Limit: limit, Rows: rows,
		Begin: bar.begin, Step: bar.step, Done: bar.done,
	}
	note, err := o.begin(cmd, r, keep)
	if err != nil {
		return errors.Join(err, keep.Close())
	}
	ctx, end := o.limited(cmd.Context())
	defer end()
	sheet, err := o.compute(ctx, r, keep, cmd.ErrOrStderr())
	bar.stop()
	if errors.Is(context.Cause(ctx), errSlice) && (errors.Is(err, errSlice) || errors.Is(err, context.DeadlineExceeded)) {
		if err = nil; sheet == nil {
			err = fmt.Errorf("--for %v was over before all fabrics were open: give more time", o.slice)
		} else {
			fmt.Fprintf(cmd.ErrOrStderr(), "weft: the time of --for is over: %d of %d cases are done%s\n", finished(rows, sheet), len(sheet.Cases), resumeHint(o.output))
		}
	}
	if text, is := keep.(*textKeeper); is && err == nil {
		err = text.sort(rows, sheet)
	}
	if err = errors.Join(err, keep.Close(), note.close()); err != nil && !errors.Is(err, context.Canceled) || sheet == nil {
		return err
	}
	if shard.N > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: %d of %d cases of part %s are in %s\n", finished(rows, sheet), len(sheet.Cases), o.shard, o.output)
		return err
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: interrupted: %d of %d cases are done%s\n", finished(rows, sheet), len(sheet.Cases), resumeHint(o.output))
	}
	return errors.Join(err, o.answer(cmd, r, sheet, err == nil))
}

// errSlice is the cause of a context whose time of --for is over.
var errSlice = errors.New("the time of --for is over")

// limited returns a context that ends after the time of --for.
func (o *sweepFlags) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.slice <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.slice, errSlice)
}

// resumeHint ends a message about an interruption: how to keep the finished cases, or go on.
func resumeHint(output string) string {
	if output == "" {
		return "; with -o FILE they would be kept"
	}
	return "; the same command goes on"
}

// finished counts the cases of a sheet that have a row.
func finished(rows map[string]*sweep.Row, sheet *sweep.Sheet) (n int) {
	for _, name := range sheet.Cases {
		if rows[name] != nil {
			n++
		}
	}
	return n
}

// compute runs a sweep. It gives the keeper the sheet of each round.
func (o *sweepFlags) compute(ctx context.Context, r *sweep.Run, keep keeper, tells io.Writer) (*sweep.Sheet, error) {
	text, err := yaml.Marshal(r.Description)
	if err != nil {
		return nil, err
	}
	var sheet *sweep.Sheet
	begin, told := r.Begin, error(nil)
	r.Begin = func(p *sweep.Plan, missing int) {
		sheet = r.SheetOf(p, string(text), command())
		told = errors.Join(told, keep.PutSheet(sheet))
		o.known.tellOlder(tells, p)
		begin(p, missing)
	}
	if _, err = r.Do(ctx); err == nil && sheet.More {
		sheet.More = false
		told = errors.Join(told, keep.PutSheet(sheet))
	}
	return sheet, errors.Join(err, told)
}

// command returns the command line, quoted for a shell, without the folder of the program.
func command() string {
	words := []string{"weft"}
	for _, word := range os.Args[1:] {
		words = append(words, sweep.Quoted(word))
	}
	return strings.Join(words, " ")
}

// setup returns the functions and values that a sweep needs from outside.
func (o *sweepFlags) setup(cmd *cobra.Command) *sweep.Setup {
	return &sweep.Setup{
		Open:  func(arg string) (*fabric.Graph, error) { return o.fabric.Graph(cmd, arg) },
		Kinds: o.routing.Kinds, Levels: o.routing.Levels,
		Digest: cli.SourceDigest(), Workers: o.routing.Workers, Now: cli.Clock(),
		Made: sweep.Made{Version: cli.Version, Commit: cli.Commit(), Platform: cli.Platform(), Host: cli.HostName()},
	}
}
