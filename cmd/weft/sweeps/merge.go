package sweeps

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/store"
	"weft/lab/sweep"
)

func mergeCmd() *cobra.Command {
	var output string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "merge FOLDER",
		Short: "put the parts of a sweep's workers into one store",
		Long: `Put the parts that workers of a sweep wrote (weft lab sweep --shard I/N -o FOLDER) into one SQLite
store. It may run while workers still work, and again later. It says how many cases are missing, and
the commands that compute them. If two workers computed different results for one case, it refuses to
merge them. On a network file system it writes the store in a local folder (TMPDIR) and puts a copy in
place.`,
		Example: `  weft lab merge parts -o results.db && weft lab stats results.db`,
		Args:    cli.OneArgument("FOLDER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return merge(cmd, args[0], output, wait) },
	}
	cmd.Flags().DurationVar(&wait, "wait", 0, "if cases are missing, look again after this `TIME`: a network file system shows new files late")
	cmd.Flags().StringVarP(&output, "output", "o", "results.db", "`FILE` of the store, created or continued")
	return cmd
}

// folder holds the contents of a folder of parts.
type folder struct {
	path   string
	sheets []*sweep.Sheet
	all    *sweep.Sheet
	rows   map[string]*sweep.Row
	absent []int // workers without a sheet
}

// readFolder reads the sheets and the rows of a folder. The list of sheets may be empty.
func readFolder(path string) (*folder, error) {
	f := &folder{path: path}
	files, err := filepath.Glob(filepath.Join(path, sheetNames))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := sweep.ReadSheet(name, data)
		if err != nil {
			return nil, err
		}
		f.sheets = append(f.sheets, s)
	}
	if len(f.sheets) > 0 {
		if f.all, f.absent, err = sweep.JoinSheets(f.sheets); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	rows, err := store.ReadParts(path, sweep.Weak)
	f.rows = byCase(rows)
	return f, err
}

// lacking is a worker with missing cases, or without a sheet.
type lacking struct {
	worker, cases int
	givenUp       []string // cases at which it was killed
}

// lacks lists the workers that have not finished.
func (f *folder) lacks() (list []lacking) {
	for _, w := range f.absent {
		list = append(list, lacking{worker: w})
	}
	for _, s := range f.sheets {
		givenUp := slices.DeleteFunc(slices.Clone(s.GivenUp), func(name string) bool { return f.rows[name] == nil || !sweep.Weak(f.rows[name]) })
		if n := len(s.Cases) - finished(f.rows, s); n > 0 || s.More || len(givenUp) > 0 {
			list = append(list, lacking{s.Shard, n, givenUp})
		}
	}
	slices.SortFunc(list, func(a, b lacking) int { return cmp.Compare(a.worker, b.worker) })
	return list
}

func merge(cmd *cobra.Command, path, output string, wait time.Duration) error {
	f, err := readFolder(path)
	if err != nil {
		return err
	}
	if wait > 0 && len(f.lacks()) > 0 {
		select {
		case <-cmd.Context().Done():
		case <-time.After(wait):
			return merge(cmd, path, output, 0)
		}
	}
	if len(f.sheets) == 0 {
		return fmt.Errorf("%s: no worker has begun: want files of weft lab sweep --shard", path)
	}
	f.all.Command += "\n" + command()
	db, err := store.OpenAnywhere[sweep.Row](output)
	if err != nil {
		return err
	}
	err = errors.Join(f.putInto(db), db.Close())
	if err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "weft: %d of %d cases are in %s\n", finished(f.rows, f.all), f.all.Number(), output)
	lacks := f.lacks()
	if len(lacks) == 0 {
		return store.CleanParts(path, "*")
	}
	for _, l := range lacks {
		fmt.Fprintf(w, "weft: worker %d of %d: %s\n", l.worker, f.sheets[0].Shards, f.says(&l))
	}
	fmt.Fprintf(w, "weft: to go on, unless they still work: %s\n", f.resumeCommands(lacks))
	return nil
}

// says describes the missing results of a worker.
func (f *folder) says(l *lacking) string {
	text := fmt.Sprintf("%d cases are missing", l.cases)
	switch {
	case slices.Contains(f.absent, l.worker):
		text = "no part yet"
	case len(l.givenUp) > 0:
		text = fmt.Sprintf("%d cases were given up, the first: %s", len(l.givenUp), f.rows[l.givenUp[0]].Reason)
		if l.cases > 0 {
			text = fmt.Sprintf("%d cases are missing, ", l.cases) + text
		}
	case l.cases == 0:
		text = "more draws may be needed"
	}
	return text
}

// putInto stores the sheet and the rows, with the labels of the sheet. A row of the store that has
// another result is an error.
func (f *folder) putInto(db *store.Store[sweep.Row]) error {
	if err := (storeKeeper{db}).PutSheet(f.all); err != nil {
		return err
	}
	old, err := db.Rows()
	if err != nil {
		return err
	}
	there := byCase(old)
	for _, row := range f.all.Distinct(f.rows) {
		f.rows[row.Case] = row
	}
	for _, name := range slices.Sorted(maps.Keys(f.rows)) {
		row := f.rows[name]
		if was := there[row.Case]; was != nil && !sweep.Weak(was) {
			if sweep.Weak(row) {
				continue
			}
			if d := store.Disagreements(was, row); len(d) > 0 {
				return fmt.Errorf("row %s of the store differs from that of the workers in column %s: %s and %s", row.Case, d[0].Column, d[0].A, d[0].B)
			}
		}
		if err := db.Put(row); err != nil {
			return err
		}
	}
	return nil
}

// resumeCommands returns the commands that compute the missing cases.
func (f *folder) resumeCommands(lacks []lacking) string {
	if s, err := readSlurmJob(f.path); err == nil {
		return s.Command
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	var list []string
	for _, l := range lacks {
		list = append(list, sweep.ShardCommand(f.sheets[0].Command, fmt.Sprint(l.worker)))
	}
	return strings.Join(list, "; ")
}
