package sweeps

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/report"
	"weft/lab/store"
	"weft/lab/sweep"
	"weft/study"
)

// Commands returns the commands of weft lab that are about sweeps.
func Commands() []*cobra.Command {
	return []*cobra.Command{sweepCmd(), initCmd(), mergeCmd(), statsCmd(), exportCmd(), showCmd(), diffCmd(), freezeCmd(), plotCmd(), reportCmd()}
}

func initCmd() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "write a file that describes a sweep, with comments",
		Long: `Write a file that describes a sweep, with a comment for each option: to FILE (default: sweep.yaml),
which must not exist, or to standard output if it is "-". With --schema, print the JSON schema of
such files, for editors.`,
		Example: `  weft lab init sweep.yaml
  weft lab sweep sweep.yaml -o results.db`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				text, err := sweep.Schema()
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			path := "sweep.yaml"
			if len(args) > 0 {
				path = args[0]
			}
			if _, err := os.Stat(path); err == nil {
				return fmt.Errorf("%s exists already: name another file, or - to print", path)
			}
			return cli.Output(cmd, path, func(w io.Writer) error {
				_, err := io.WriteString(w, sweep.Template())
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of such files")
	return cmd
}

// results adds the output of commands to the results of a store.
type results struct{ report.Results }

// readResults reads a store, or a folder of weft lab freeze. The rows have the labels of the last
// sweep.
func readResults(path string) (*results, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return readFrozen(path)
	}
	db, err := store.Read[sweep.Row](path)
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // it was only read
	rows, err := db.Rows()
	if err != nil {
		return nil, err
	}
	text, err := db.About("sheet")
	if err != nil || text == "" {
		return nil, errors.Join(err, fmt.Errorf("%s: no sweep has begun in this store", path))
	}
	sheet, err := sweep.ReadSheet(path, []byte(text))
	if err != nil {
		return nil, err
	}
	d, err := sweep.Parse(path, []byte(sheet.Description))
	r := &results{report.Results{Description: d, Sheet: sheet, Rows: byCase(rows)}}
	for _, row := range sheet.Distinct(r.Rows) {
		r.Rows[row.Case] = row
	}
	return r, err
}

func statsCmd() *cobra.Command {
	var (
		figure, against string
		asJSON          bool
		standing        standingFlags
		o               sweepFlags
	)
	cmd := &cobra.Command{
		Use:   "stats STORE",
		Short: "compare the engines of a sweep: intervals, paired differences, tests",
		Long: `Compare the engines of a sweep that is in a store, as weft lab sweep does at its end: how the cases
ended, the mean of a figure for each fabric with its 95 % interval (Student's t, over the draws of
damage), and each engine against one of them on the same fabrics: the mean difference with its
interval, on how many it is better or worse, and the probabilities of the sign test and of Wilcoxon's
signed-rank test (two-sided, exact up to 200 pairs). With several networks a pair is a network, with
the mean of its damages and draws; with one network a pair is a draw. Only proven Plans are compared.
With --behind or --predictions the tables of weft lab sweep follow that say how far each engine is
behind the best one.

STORE is a file of weft lab sweep -o or merge, or a folder of weft lab freeze.`,
		Example: `  weft lab stats results.db --figure shift_congestion_sum --against ftree`,
		Args:    cli.OneArgument("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readResults(args[0])
			if err != nil {
				return err
			}
			s, err := r.Summarise(r.Sheet, r.Rows, figure, against)
			if err != nil {
				return fmt.Errorf("--%w", err)
			}
			if err := standing.check(r.Description); err != nil {
				return err
			}
			if err := cli.Answer(cmd.OutOrStdout(), s, asJSON); err != nil || asJSON || standing == (standingFlags{}) {
				return err
			}
			o.fabric.Roles = r.Roles
			return standing.write(cmd.OutOrStdout(), r.Description, distinct(r.Rows, r.Sheet), o.setup(cmd).Open)
		},
	}
	cmd.Flags().StringVar(&figure, "figure", "", "`COLUMN` by which engines are compared (default: that of the workload)")
	cmd.Flags().StringVar(&against, "against", "", "compare the others with this `ENGINE` (default: the first)")
	standing.add(cmd)
	o.fabric.Add(cmd)
	cmd.Flags().StringVar(&o.fabric.Dir, "in", "", "with --predictions: `DIR` in which relative file names of FABRICs are looked up (default: the current directory)")
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

func exportCmd() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export STORE",
		Short: "write the rows of a sweep as CSV or Parquet",
		Long: `Write the rows of a sweep, with its derived columns, in the order of its description: as text with
commas (.csv), with tabs (.tsv), or as Parquet (.parquet), by the name of the file. The names of
columns have their units. Every row has the status and its reason, options and seeds, the version and
commit of weft, and the host.`,
		Example: `  weft lab export results.db -o rows.parquet`,
		Args:    cli.OneArgument("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readResults(args[0])
			if err != nil {
				return err
			}
			if ext := filepath.Ext(output); !slices.Contains([]string{".csv", ".tsv", ".parquet"}, ext) && output != "-" {
				return fmt.Errorf("-o %s: want a name that ends in .csv, .tsv or .parquet", output)
			}
			return cli.Output(cmd, output, func(w io.Writer) error { return r.write(w, cmp.Or(output, "rows.csv")) })
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "`FILE`; - for standard output, with commas")
	return cmd
}

// write writes the rows as Parquet or text, by the ending of a file's name.
func (r *results) write(w io.Writer, name string) error {
	rows := ordered(r.Rows, r.Sheet)
	more := r.FurtherNames()
	if filepath.Ext(name) == ".parquet" {
		return store.WriteParquet(w, rows, more, func(i int) ([]*float64, error) { return r.Further(&rows[i]) })
	}
	return store.WriteText(name, w, rows, more, func(i int) (cells []string, err error) {
		list, err := r.Further(&rows[i])
		for _, x := range list {
			if x == nil {
				cells = append(cells, "")
			} else {
				cells = append(cells, store.Text(*x))
			}
		}
		return cells, err
	})
}

func showCmd() *cobra.Command {
	var (
		o        sweepFlags
		noRepeat bool
	)
	cmd := &cobra.Command{
		Use:   "show ROW STORE",
		Short: "print a row of a sweep, compute it again, and compare",
		Long: `Print the row of a store whose case begins with ROW, compute the case again, and compare. The answer
is yes (exit status 0) if every figure is the same. If the sources of weft that compute it have
changed since, it says so.`,
		Example: `  weft lab show 3f2a results.db`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readResults(args[1])
			if err != nil {
				return err
			}
			row, err := r.find(args[0])
			if err != nil {
				return err
			}
			o.fabric.Roles = r.Roles
			var again *sweep.Row
			if !noRepeat {
				run := &sweep.Run{Description: r.Description, Setup: o.setup(cmd), Keep: nothing{}, Rows: map[string]*sweep.Row{}, Step: func(string) {}, Done: func(*sweep.Row) {}}
				if again, err = run.Repeat(cmd.Context(), row); err != nil {
					return err
				}
			}
			return printRow(cmd.OutOrStdout(), row, again)
		},
	}
	o.fabric.Add(cmd)
	cmd.Flags().StringVar(&o.fabric.Dir, "in", "", "`DIR` in which relative file names of FABRICs are looked up (default: the current directory)")
	cmd.Flags().BoolVar(&noRepeat, "no-repeat", false, "print the row only")
	cli.JobsFlag(cmd, &o.routing.Workers)
	return cmd
}

// find returns the row whose case begins with a text.
func (r *results) find(prefix string) (found *sweep.Row, err error) {
	for _, row := range r.Rows {
		if prefix != "" && strings.HasPrefix(row.Case, prefix) {
			if found != nil {
				return nil, fmt.Errorf("two cases begin with %s: give more of it", prefix)
			}
			found = row
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no case begins with %q (weft lab export lists them in the column case)", prefix)
	}
	return found, nil
}

// errDiffers is the answer no of show and diff.
var errDiffers = cli.ExitWith(cli.ExitNo, errors.New("the results differ"))

// printRow prints a row, and how the row computed again differs from it; again may be nil.
func printRow(w io.Writer, row, again *sweep.Row) error {
	table := [][]string{}
	for _, c := range store.Columns[sweep.Row]() {
		if text := store.Text(store.Value(row, &c)); text != "" {
			table = append(table, []string{c.Name, text})
		}
	}
	if err := study.Table(w, table); err != nil || again == nil {
		return err
	}
	if again.Sources != row.Sources {
		fmt.Fprintln(w, "\nThe sources that compute this case have changed since.")
		again.Sources = row.Sources
	}
	again.Identity = row.Identity
	differences := store.Differences(row, again)
	if len(differences) == 0 {
		fmt.Fprintln(w, "\nComputed again: the same.")
		return nil
	}
	table = [][]string{{"COLUMN", "ROW", "AGAIN"}}
	for _, d := range differences {
		table = append(table, []string{d.Column, d.A, d.B})
	}
	fmt.Fprintln(w, "\nComputed again: not the same:")
	return errors.Join(study.Table(w, table), errDiffers)
}

func diffCmd() *cobra.Command {
	var common bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "compare the rows of two stores",
		Long: `Compare the rows of two stores. It compares rows of the same fabric and job, even if the sources of
weft have changed between them. The answer is yes (exit status 0) if both stores have the same rows;
versions, hosts and seconds may differ.`,
		Example: `  weft lab diff before.db after.db`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := readResults(args[0])
			if err != nil {
				return err
			}
			b, err := readResults(args[1])
			if err != nil {
				return err
			}
			return diff(cmd.OutOrStdout(), args, a.Description, distinct(a.Rows, a.Sheet), distinct(b.Rows, b.Sheet), common)
		},
	}
	cmd.Flags().BoolVar(&common, "common", false, "rows that only one store has do not count as differences: B may be a sample")
	return cmd
}

// diff prints the cells where the rows of two stores differ, and counts the rows. With common, rows
// that only one of them has are no difference.
func diff(w io.Writer, names []string, d *sweep.Description, a, b []sweep.Row, common bool) error {
	key := func(r *sweep.Row) string {
		asked := r.Asked
		asked.Identity = ""
		return fmt.Sprintf("%s %+v", r.Graph, asked)
	}
	there := map[string]*sweep.Row{}
	for i := range b {
		there[key(&b[i])] = &b[i]
	}
	same, changed, only := 0, 0, 0
	table := [][]string{{"COLUMN", names[0], names[1], "ENGINE", "FABRIC"}}
	for i := range a {
		k := key(&a[i])
		o := there[k]
		if o == nil {
			only++
			continue
		}
		delete(there, k)
		x, y := a[i], *o
		y.Case, y.Identity, y.Sources, y.Place = x.Case, x.Identity, x.Sources, x.Place
		list := store.Differences(&x, &y)
		if len(list) == 0 {
			same++
			continue
		}
		changed++
		for _, cell := range list {
			table = append(table, []string{cell.Column, cell.A, cell.B, d.Contestant(&x), x.Fabric})
		}
	}
	if changed > 0 {
		if err := study.Table(w, table); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%d rows are the same, %d differ; %d are only in %s, %d only in %s\n", same, changed, only, names[0], len(there), names[1])
	if changed > 0 || !common && only+len(there) > 0 {
		return errDiffers
	}
	return nil
}
