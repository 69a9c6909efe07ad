package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"weft/lab"
	"weft/lab/papers"
)

func labCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "experiments: the papers' tables and figures beside ours",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(labListCmd(), labReproduceCmd())
	return cmd
}

func labListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the papers that can be reproduced, and their tables and figures",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type entry struct {
				Reproduction string `json:"reproduction"`
				Artefact     string `json:"artefact"`
				Place        string `json:"place"`
				Title        string `json:"title"`
			}
			var entries []entry
			rows := [][]string{{"NAME", "ARTEFACT", "PLACE", "TITLE"}}
			for _, r := range papers.All() {
				for _, a := range r.Artefacts {
					entries = append(entries, entry{r.Name, a.Name, a.Place, a.Title})
					rows = append(rows, []string{r.Name, a.Name, a.Place, a.Title})
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"artefacts": entries})
			}
			return table(cmd.OutOrStdout(), rows)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// reproduction is one run of weft lab reproduce.
type reproduction struct {
	paper   *lab.Reproduction
	chosen  []lab.Artefact
	setup   lab.Setup
	full    bool
	only    []string
	rows    []string
	dir     string // of the results, "" to keep none
	redo    bool
	matched atomic.Bool   // a row of the artefact that is run
	records []*lab.Record // in the paper's order
	reused  int
}

func labReproduceCmd() *cobra.Command {
	var (
		run    reproduction
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "reproduce NAME",
		Short: "run a paper's experiments, and judge its claims",
		Long: `Run the tables and figures of a paper (weft lab list) and set ours beside the
paper's. The quick mode takes minutes; --full is the paper's size.

With -o, DIR/NAME gets for each table and figure a TSV, an SVG and a JSON file, and
a README.md of all. What is there already, made with the same mode, seed and rows, is
kept (and its charts drawn again): an interrupted run goes on where it stopped. What was
run with --full or with all rows is not replaced by less, except with --redo.

Seconds and memory in the results are those of this machine; everything else depends
on the mode and the seed only.`,
		Example: `  weft lab reproduce dfsssp --only heuristics,fig10
  weft lab reproduce dfsssp --full -o docs/results
  weft lab reproduce dfsssp --full --only fig4 --rows Odin`,
		Args: one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := run.choose(args[0]); err != nil {
				return err
			}
			err = run.all(cmd)
			if err != nil && len(run.records) == 0 {
				return err
			}
			if asJSON {
				return errors.Join(err, printJSON(cmd.OutOrStdout(), map[string]any{
					"reproduction": run.paper.Name, "mode": run.setup.Mode, "seed": run.setup.Seed, "artefacts": run.records,
				}))
			}
			return errors.Join(err, run.print(cmd.OutOrStdout()))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&run.full, "full", false, "the paper's sizes and samples")
	f.StringSliceVar(&run.only, "only", nil, "tables and figures, a,b,c (default: all)")
	f.StringArrayVar(&run.rows, "rows", nil, "only rows whose name contains this; may be given several times")
	f.StringVarP(&run.dir, "output", "o", "", "directory for the results")
	f.BoolVar(&run.redo, "redo", false, "run again what the directory has already")
	f.Uint64Var(&run.setup.Seed, "seed", 1, "seed")
	jobsFlag(cmd, &run.setup.Workers)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// choose finds the paper, and what of it is to be run.
func (r *reproduction) choose(name string) (err error) {
	if r.paper, err = papers.Find(name); err != nil {
		return err
	}
	for _, want := range r.only {
		if _, ok := r.paper.Find(want); !ok {
			return fmt.Errorf("--only: %s has no %q (weft lab list)", name, want)
		}
	}
	for _, a := range r.paper.Artefacts {
		if len(r.only) == 0 || slices.Contains(r.only, a.Name) {
			r.chosen = append(r.chosen, a)
		}
	}
	r.setup.Mode = lab.Quick
	if r.full {
		r.setup.Mode = lab.Full
	}
	if len(r.rows) > 0 {
		r.setup.Rows = func(row string) bool {
			wanted := slices.ContainsFunc(r.rows, func(part string) bool { return strings.Contains(row, part) })
			if wanted {
				r.matched.Store(true)
			}
			return wanted
		}
	}
	r.setup.Meter = meter
	return nil
}

// all runs what is not there yet. What was finished before an interrupt is kept.
func (r *reproduction) all(cmd *cobra.Command) error {
	if r.dir != "" {
		r.dir = filepath.Join(r.dir, r.paper.Name)
		if err := os.MkdirAll(r.dir, 0o755); err != nil {
			return err
		}
	}
	if err := r.keepsMore(); err != nil {
		return err
	}
	bar := newLabBar(cmd, len(r.chosen))
	defer bar.stop()
	for i := range r.chosen {
		rec, err := r.record(cmd, &r.chosen[i], bar)
		if err != nil {
			return err
		}
		if rec != nil {
			r.records = append(r.records, rec)
		}
		bar.done()
	}
	if len(r.records) == 0 {
		return fmt.Errorf("--rows: no name of a row has %q in it", r.rows)
	}
	return nil
}

// keepsMore refuses to put less in the place of what was run in full, or with all rows.
func (r *reproduction) keepsMore() error {
	for i := range r.chosen {
		name := r.chosen[i].Name
		if rec := r.stored(name); rec != nil && !r.redo && (rec.Mode == lab.Full && !r.full || rec.Rows == "" && len(r.rows) > 0) {
			return fmt.Errorf("%s has %s in %s mode with %s: --redo replaces it, another -o leaves it",
				r.dir, name, rec.Mode, cmp.Or(rec.Rows, "all rows"))
		}
	}
	return nil
}

// record runs an artefact, or takes what is there; nil when it has none of the rows.
func (r *reproduction) record(cmd *cobra.Command, a *lab.Artefact, bar *labBar) (*lab.Record, error) {
	rows := strings.Join(r.rows, "; ")
	if rec := r.stored(a.Name); rec != nil && !r.redo && rec.Fits(r.paper.Name, a.Name, &r.setup, rows) {
		r.reused++
		return rec, r.store(cmd, rec) // drawn as charts are drawn now
	}
	r.setup.Step = func(row string) { bar.step(a.Name + ": " + row) }
	rec, err := lab.RunArtefact(cmd.Context(), r.paper, a, &r.setup, rows)
	if err != nil || len(r.rows) > 0 && !r.matched.Swap(false) {
		return nil, err
	}
	return rec, r.store(cmd, rec)
}

// stored is the record of an artefact in the directory, nil when there is none that
// can be read.
func (r *reproduction) stored(artefact string) *lab.Record {
	if r.dir == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(r.dir, artefact+".json"))
	if err != nil {
		return nil
	}
	rec, err := lab.Load(data)
	if err != nil {
		return nil
	}
	return rec
}

// store writes a record's files, and the page.
func (r *reproduction) store(cmd *cobra.Command, rec *lab.Record) error {
	if r.dir == "" {
		return nil
	}
	files, err := rec.Files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := output(cmd, filepath.Join(r.dir, f.Name), func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		}); err != nil {
			return err
		}
	}
	return r.page(cmd)
}

// page writes the page of all records of the directory.
func (r *reproduction) page(cmd *cobra.Command) error {
	var all []*lab.Record
	for i := range r.paper.Artefacts {
		if rec := r.stored(r.paper.Artefacts[i].Name); rec != nil {
			all = append(all, rec)
		}
	}
	return output(cmd, filepath.Join(r.dir, "README.md"), func(w io.Writer) error { return lab.WriteReport(w, r.paper, all) })
}

// print prints the tables when they are kept nowhere, and the claims.
func (r *reproduction) print(w io.Writer) error {
	if r.dir == "" {
		for _, rec := range r.records {
			for i := range rec.Tables {
				fmt.Fprintf(w, "%s %s. %s\n", r.paper.Name, rec.Artefact, rec.Tables[i].Title)
				if err := table(w, append([][]string{rec.Tables[i].Columns}, rec.Tables[i].Rows...)); err != nil {
					return err
				}
				fmt.Fprintln(w)
			}
		}
	}
	rows := [][]string{{"WHERE", "VERDICT", "CLAIM", "PAPER", "OURS"}}
	for _, rec := range r.records {
		for _, c := range rec.Claims {
			rows = append(rows, []string{rec.Artefact, string(c.Verdict), c.Text, c.Paper, c.Ours})
		}
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s mode, seed %d: %s", r.paper.Name, r.setup.Mode, r.setup.Seed, lab.CountVerdicts(r.records))
	if r.reused > 0 {
		fmt.Fprintf(w, "; %d of %d kept from %s", r.reused, len(r.records), r.dir)
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
