package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab"
	"weft/lab/papers"
	"weft/study"
	"weft/study/routing"
)

func labCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "experiments: the papers' tables and figures beside ours",
		Args:  cli.SubcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(labListCmd(), labReproduceCmd(), labSweepCmd())
	return cmd
}

func labListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the papers that can be reproduced, and their tables and figures",
		Args:  cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := papers.List()
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), list)
			}
			rows := [][]string{{"NAME", "ARTEFACT", "PLACE", "TITLE"}}
			for _, e := range list.Artefacts {
				rows = append(rows, []string{e.Reproduction, e.Artefact, e.Place, e.Title})
			}
			return study.Table(cmd.OutOrStdout(), rows)
		},
	}
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// reproduceFlags choose what is reproduced.
type reproduceFlags struct {
	full bool
	only []string
	rows []string
	dir  string // of the results, "" to keep none
	with string // directory of results whose verdicts are compared, "" for none
	redo bool
	seed uint64
	jobs int

	blocks, block int    // seed blocks, and the first of them
	solver        string // of linear programmes, by name or path
}

// labReproduceHelp tells what weft lab reproduce --help says.
const labReproduceHelp = `Run the tables and figures of a paper (weft lab list) and set ours beside the
paper's. The quick mode takes minutes; --full is the paper's size.

With -o, DIR/NAME gets for each table and figure a TSV, an SVG and a JSON file, and
a README.md of all. What is there already, made with the same mode, seed and rows, is
kept: an interrupted run goes on where it stopped. Its charts are drawn again, and readings
that the paper has got since are tried. What was run with --full or with all rows is not
replaced by less, except with --redo.

Claims are judged by the literal text, over seed blocks: in each, all networks, patterns
and orders are drawn anew. What differs is judged again under the readings of the paper,
and each reading is tried alone. With --full blocks are drawn until each claim is decided,
8 at first, then twice as many each time, up to a number that is fixed for each table and
figure: up to 256 for some that are quick, fewer than 8 for what takes long. What those do
not tell "differs (undecided)". Without --full one block is drawn, and what depends on
seeds is "too few". --seed-block 1000 draws blocks that no committed result has; with
--compare DIR too it says which verdicts change.

Seconds and memory in the results are those of this machine; everything else depends
on the mode, the seed and the blocks only.`

func labReproduceCmd() *cobra.Command {
	var (
		flags  reproduceFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "reproduce NAME",
		Short: "run a paper's experiments, and judge its claims",
		Long:  labReproduceHelp,
		Example: `  weft lab reproduce dfsssp --only heuristics,fig10
  weft lab reproduce dfsssp --full -o docs/results
  weft lab reproduce dfsssp --full --only fig4 --rows Odin
  weft lab reproduce renaming --full --seed-block 1000 --compare docs/results`,
		Args: cli.OneArgument("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := flags.run(cmd, args[0])
			if err != nil {
				return err
			}
			bar := newLabBar(cmd, len(run.Artefacts))
			run.Setup.Step, run.Done = bar.step, bar.done
			out, err := run.Do(cmd.Context())
			bar.stop()
			if err = flags.explain(run, err); err != nil && len(out.Records) == 0 {
				return err
			}
			if flags.with != "" {
				return errors.Join(err, flags.printAgreement(cmd, run, out, asJSON))
			}
			if asJSON {
				return errors.Join(err, cli.PrintJSON(cmd.OutOrStdout(), run.Document(out)))
			}
			return errors.Join(err, printOutcome(cmd.OutOrStdout(), run, out))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.full, "full", false, "the paper's sizes and samples")
	f.StringSliceVar(&flags.only, "only", nil, "tables and figures, a,b,c (default: all)")
	f.StringArrayVar(&flags.rows, "rows", nil, "only rows whose name contains this; may be given several times")
	f.StringVarP(&flags.dir, "output", "o", "", "directory for the results")
	f.StringVar(&flags.with, "compare", "", "only count the claims that have the verdict of the results in this directory")
	f.BoolVar(&flags.redo, "redo", false, "run again what the directory has already")
	f.Uint64Var(&flags.seed, "seed", 1, "seed")
	f.IntVar(&flags.blocks, "blocks", 0, "the most seed blocks by which claims are judged (default: with --full those of the table or figure, else 1)")
	f.IntVar(&flags.block, "seed-block", 0, "number of the first seed block: another one draws all networks anew")
	f.StringVar(&flags.solver, "solver", "", "for readings with a linear programme: the solver, by name or path (default: the first that is installed; without one they are not tried)")
	cli.JobsFlag(cmd, &flags.jobs)
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// run makes the run that the flags ask for.
func (f *reproduceFlags) run(cmd *cobra.Command, name string) (*lab.Run, error) {
	paper, err := papers.Find(name)
	if err != nil {
		return nil, err
	}
	chosen, err := paper.Select(f.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	run := &lab.Run{
		Paper: paper, Artefacts: chosen, Rows: f.rows, Redo: f.redo,
		Setup: lab.Setup{Mode: lab.Quick, Seed: f.seed, Workers: f.jobs, Meter: meter},
	}
	if f.full {
		run.Setup.Mode = lab.Full
	}
	if f.blocks < 0 || f.block < 0 {
		return nil, errors.New("--blocks and --seed-block: want no number below 0")
	}
	run.Setup.Blocks = f.blocks
	if run.Setup.SolveLinear, err = routing.SolverOfLinear(f.solver); err != nil {
		return nil, fmt.Errorf("--solver: %w", err)
	}
	run.Setup.Seed += uint64(f.block) * lab.BlockSeeds
	if run.Setup.Verdicts = f.with != ""; run.Setup.Verdicts {
		if run.Artefacts = lab.SeedDependent(chosen); len(run.Artefacts) == 0 {
			return nil, errors.New("--compare: nothing chosen draws anything")
		}
		if f.dir != "" && filepath.Clean(f.dir) == filepath.Clean(f.with) {
			return nil, errors.New("--compare and -o: want two directories, as a comparison tries no reading alone")
		}
		there := paper.Stored(f.compared(cmd, name))
		if !slices.ContainsFunc(run.Artefacts, func(a *lab.Artefact) bool {
			return slices.ContainsFunc(there, func(rec *lab.Record) bool { return rec.Artefact == a.Name })
		}) {
			return nil, fmt.Errorf("--compare: %s has no results of what is chosen that this version of weft can read", filepath.Join(f.with, name))
		}
	}
	if f.dir != "" {
		dir := &labDir{cmd, filepath.Join(f.dir, name)}
		run.Store = dir
		return run, os.MkdirAll(dir.path, 0o755)
	}
	return run, nil
}

// compared is the directory of the results whose verdicts are compared.
func (f *reproduceFlags) compared(cmd *cobra.Command, name string) *labDir {
	return &labDir{cmd, filepath.Join(f.with, name)}
}

// printAgreement prints how many claims have the verdict of the results that are compared, and those that have not.
func (f *reproduceFlags) printAgreement(cmd *cobra.Command, run *lab.Run, out *lab.Outcome, asJSON bool) error {
	a := lab.Compare(run.Paper.Stored(f.compared(cmd, run.Paper.Name)), out.Records)
	w := cmd.OutOrStdout()
	if asJSON {
		return cli.PrintJSON(w, a)
	}
	if len(a.Changed) > 0 {
		if err := study.Table(w, append([][]string{{"WHERE", "CLAIM", "THERE", "HERE"}}, a.Rows()...)); err != nil {
			return err
		}
	}
	open := ""
	if a.Open > 0 {
		open = fmt.Sprintf("; %d more are not judged in both, or by too few seed blocks: compare runs with --full", a.Open)
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d claims have the same verdict as in %s%s\n", run.Paper.Name, a.Same, a.Claims, f.with, open)
	return err
}

// explain says in an error of a run which flag helps.
func (f *reproduceFlags) explain(run *lab.Run, err error) error {
	if more, ok := errors.AsType[*lab.HasMore](err); ok {
		return fmt.Errorf("%s has %w: --redo replaces it, another -o leaves it", filepath.Join(f.dir, run.Paper.Name), more)
	}
	if errors.Is(err, lab.ErrNoRow) {
		return fmt.Errorf("--rows: no name of a row has %q in it", f.rows)
	}
	return err
}

// labDir is a directory of results.
type labDir struct {
	cmd  *cobra.Command
	path string
}

// Read implements lab.Store.
func (d *labDir) Read(name string) ([]byte, error) { return os.ReadFile(filepath.Join(d.path, name)) }

// Write implements lab.Store.
func (d *labDir) Write(name string, data []byte) error {
	return cli.Output(d.cmd, filepath.Join(d.path, name), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Remove implements lab.Store.
func (d *labDir) Remove(name string) error {
	if err := os.Remove(filepath.Join(d.path, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// printOutcome prints the tables when they are kept nowhere, and the claims.
func printOutcome(w io.Writer, run *lab.Run, out *lab.Outcome) error {
	for _, rec := range out.Records {
		for _, t := range rec.Tables {
			if run.Store != nil {
				break
			}
			fmt.Fprintf(w, "%s %s. %s\n", run.Paper.Name, rec.Artefact, t.Title)
			if err := study.Table(w, append([][]string{t.Columns}, t.Rows...)); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	if err := study.Table(w, append([][]string{{"WHERE", "VERDICT", "CLAIM", "PAPER", "OURS"}}, out.Claims()...)); err != nil {
		return err
	}
	fmt.Fprint(w, run.Summary(out))
	if dir, ok := run.Store.(*labDir); ok && out.Reused > 0 {
		fmt.Fprintf(w, "; %d of %d kept from %s", out.Reused, len(out.Records), dir.path)
	}
	fmt.Fprintln(w)
	return nil
}

// meter measures work by the CPU time of this process and the memory it allocates.
func meter(work func() error) (lab.Cost, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cpuSeconds()
	err := work()
	cost := lab.Cost{Seconds: cpuSeconds() - start}
	runtime.ReadMemStats(&after)
	cost.Allocated = float64(after.TotalAlloc - before.TotalAlloc)
	return cost, err
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}
