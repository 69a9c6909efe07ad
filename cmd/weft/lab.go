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

	"weft/cmd/weft/benches"
	"weft/cmd/weft/cli"
	"weft/cmd/weft/sweeps"
	"weft/lab"
	"weft/lab/papers"
	"weft/study"
	"weft/study/routing"
)

func labCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "reproduce papers and compare engines on many fabrics",
		Long: `Run experiments: reproduce the tables and figures of papers on routing, or compare engines on
many fabrics.`,
		Args: cli.SubcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(labListCmd(), labReproduceCmd())
	cmd.AddCommand(sweeps.Commands()...)
	cmd.AddCommand(benches.Commands()...)
	return cmd
}

func labListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the papers that can be reproduced, and their tables and figures",
		Long:  `List the papers that weft lab reproduce can reproduce, with their tables and figures.`,
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

// reproduceFlags are the options of weft lab reproduce.
type reproduceFlags struct {
	full bool
	only []string
	rows []string
	dir  string // of the results, "" to keep none
	with string // directory of results whose verdicts are compared, "" for none
	redo bool
	note bool // the verdicts in the results that are compared
	seed uint64
	jobs int

	blocks, block int    // seed blocks, and the first of them
	solver        string // of linear programmes, by name or path
}

// labReproduceHelp is the text of weft lab reproduce --help.
const labReproduceHelp = `Repeat the experiments of a paper, compare the figures with the paper's, and judge its claims.

Input is the NAME of a paper (weft lab list). Output are the tables, and a verdict for each claim. By
default the experiments are small and take minutes; --full runs the sizes of the paper. Seconds and
memory in the results are those of this machine; all else depends only on mode, seed and blocks.

RESULTS ON DISK

-o DIR writes a TSV, an SVG and a JSON file for each table and figure to DIR/NAME, and a README.md
for all. Existing results with the same mode, seed and rows are kept, so an interrupted run
continues where it stopped. Charts are drawn again, and new readings of the paper are tried. A
smaller run never replaces one with --full or all rows, unless you add --redo.

HOW CLAIMS ARE JUDGED

A claim is judged by its literal text, over seed blocks: each block draws all networks, patterns and
orders anew. A claim that differs is judged again under the readings of the paper, and under each
reading alone.

With --full, weft draws blocks until each claim is decided: 8 at first, then twice as many each
time, up to a limit for each table and figure (up to 256 for quick ones, fewer than 8 for slow
ones). A claim still open then is "differs (undecided)". Without --full one block is drawn, and a
claim that depends on seeds is "too few".

--seed-block 1000 draws blocks that no committed result contains. With --compare DIR it reports
which verdicts change. With --note the results in DIR keep these verdicts: their page counts a claim
whose verdict changes as undecided, and lists it. An interrupted run continues where it stopped.`

func labReproduceCmd() *cobra.Command {
	var (
		flags  reproduceFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "reproduce NAME",
		Short: "repeat the experiments of a paper and judge its claims",
		Long:  labReproduceHelp,
		Example: `  weft lab reproduce dfsssp --only heuristics,fig10
  weft lab reproduce dfsssp --full -o docs/results
  weft lab reproduce dfsssp --full --only fig4 --rows Odin
  weft lab reproduce renaming --full --seed-block 1000 --compare docs/results
  weft lab reproduce renaming --full --seed-block 3000 --compare docs/results --note`,
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
	f.BoolVar(&flags.full, "full", false, "use the sizes and samples of the paper")
	f.StringSliceVar(&flags.only, "only", nil, "`LIST` of tables and figures, a,b,c (default: all)")
	f.StringArrayVar(&flags.rows, "rows", nil, "only rows whose name contains `TEXT`; can be repeated")
	f.StringVarP(&flags.dir, "output", "o", "", "write the results to directory `DIR`")
	f.StringVar(&flags.with, "compare", "", "repeat only what depends on seeds, and count the claims with the same verdict in the results in `DIR`")
	f.BoolVar(&flags.note, "note", false, "with --compare and --full: note the verdicts in the results there")
	f.BoolVar(&flags.redo, "redo", false, "run again what the directory already has")
	f.Uint64Var(&flags.seed, "seed", 1, "seed `N` of all random draws")
	f.IntVar(&flags.blocks, "blocks", 0, "largest number `N` of seed blocks to judge claims by (default: with --full that of the table or figure, else 1)")
	f.IntVar(&flags.block, "seed-block", 0, "number `N` of the first seed block; another number draws all networks anew")
	f.StringVar(&flags.solver, "solver", "", "for readings with an integer programme: solver `PROGRAM`, by name or path (default: the first installed one; without one they are not tried)")
	cli.JobsFlag(cmd, &flags.jobs)
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// run converts the flags to a run.
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
		return nil, errors.New("--blocks and --seed-block must be 0 or more")
	}
	run.Setup.Blocks = f.blocks
	if run.Setup.SolveLinear, err = routing.SolverOfLinear(f.solver); err != nil {
		return nil, fmt.Errorf("--solver: %w", err)
	}
	run.Setup.Seed += uint64(f.block) * lab.BlockSeeds
	if run.Setup.Verdicts = f.with != ""; run.Setup.Verdicts {
		if run.Artefacts = lab.SeedDependent(chosen); len(run.Artefacts) == 0 {
			return nil, errors.New("--compare: none of the chosen tables and figures depends on seeds")
		}
		if f.dir != "" && filepath.Clean(f.dir) == filepath.Clean(f.with) {
			return nil, errors.New("--compare and -o need different directories: a comparison does not try readings alone")
		}
		there := paper.Stored(f.compared(cmd, name))
		if !slices.ContainsFunc(run.Artefacts, func(a *lab.Artefact) bool {
			return slices.ContainsFunc(there, func(rec *lab.Record) bool { return rec.Artefact == a.Name })
		}) {
			return nil, fmt.Errorf("--compare: %s has no results for the chosen tables and figures that this version of weft can read", filepath.Join(f.with, name))
		}
	}
	if f.note {
		if f.with == "" || !f.full || len(f.rows) > 0 || f.blocks > 0 {
			return nil, errors.New("--note needs --compare and --full, all rows, and as many blocks as are needed: leave out --rows and --blocks")
		}
		run.Note = f.compared(cmd, name)
	}
	if f.dir != "" {
		dir := &labDir{cmd, filepath.Join(f.dir, name)}
		run.Store = dir
		return run, os.MkdirAll(dir.path, 0o755)
	}
	return run, nil
}

// compared returns the directory of results for --compare.
func (f *reproduceFlags) compared(cmd *cobra.Command, name string) *labDir {
	return &labDir{cmd, filepath.Join(f.with, name)}
}

// printAgreement prints the number of claims with the same verdict as in the other results, and the
// differing claims.
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
		open = fmt.Sprintf("; %d more are not judged in both, or by too few seed blocks (compare runs with --full)", a.Open)
	}
	if out.Noted > 0 {
		open += fmt.Sprintf("; %d tables and figures have verdicts from these blocks already (--redo repeats them)", out.Noted)
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d claims have the same verdict as in %s%s\n", run.Paper.Name, a.Same, a.Claims, f.with, open)
	return err
}

// explain adds to an error of a run the flag that helps.
func (f *reproduceFlags) explain(run *lab.Run, err error) error {
	if more, ok := errors.AsType[*lab.HasMore](err); ok {
		return fmt.Errorf("%s has %w: --redo replaces it, another -o keeps it", filepath.Join(f.dir, run.Paper.Name), more)
	}
	if errors.Is(err, lab.ErrNoRow) {
		return fmt.Errorf("--rows: no row name contains %q", f.rows)
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

// printOutcome prints the claims, and the tables if no directory holds them.
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

// meter measures work by its CPU time and allocated memory.
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
