package sweeps

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/store"
	"weft/lab/sweep"
)

func freezeCmd() *cobra.Command {
	var f freezer
	cmd := &cobra.Command{
		Use:   "freeze STORE DIR",
		Short: "write the results of a sweep so that they can be cited",
		Long: `Write the results of a sweep to a new folder DIR, so that they can be archived and cited: the rows as
Parquet and CSV, the description (sweep.yaml), a README.md with the command and the sources, a
CITATION.cff, and SHA256SUMS with a checksum for each file. The same results give the same bytes.
weft lab stats, report and plot read such a folder as they read a store.

--brief is for a repository: text only, without the columns that name the machine, its times, and the
identity of a case, and without empty columns.`,
		Example: `  weft lab freeze results.db frozen --title 'Engines under damage' --authors 'A. Weaver, B. Loom'
  weft lab freeze results.db docs/results/mine --brief --update`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readResults(args[0])
			if err != nil {
				return err
			}
			f.title = cmp.Or(f.title, r.Title, "Results of a sweep of weft")
			return f.freeze(r, cmd.ErrOrStderr(), args[1])
		},
	}
	cmd.Flags().StringVar(&f.title, "title", "", "`TITLE` of the citation (default: that of the sweep)")
	cmd.Flags().StringVar(&f.authors, "authors", "", "`NAMES` of the authors, with commas")
	cmd.Flags().BoolVar(&f.brief, "brief", false, "text only, without the columns about the machine and the identity of cases")
	cmd.Flags().BoolVar(&f.update, "update", false, "replace the files of an earlier freeze in DIR")
	return cmd
}

// freezer are the options of weft lab freeze.
type freezer struct {
	title, authors string
	brief, update  bool
}

// briefWithout are the columns that --brief leaves out.
var briefWithout = []string{"identity", "version", "commit", "platform", "host", "route_seconds", "measure_seconds"}

// freeze writes the results to a folder.
func (f *freezer) freeze(r *results, progress io.Writer, dir string) error {
	var sums bytes.Buffer
	parts := []struct {
		name  string
		write func(w io.Writer) error
	}{
		{frozenRows, func(w io.Writer) error { return r.write(w, frozenRows) }},
		{"rows.parquet", func(w io.Writer) error { return r.write(w, "rows.parquet") }},
		{frozenSweep, func(w io.Writer) error { _, err := io.WriteString(w, r.Sheet.Description); return err }},
		{frozenOrigins, func(w io.Writer) error { return writeOrigins(w, r.Sheet.Origins(r.Rows)) }},
		{"README.md", func(w io.Writer) error { return r.readme(w, f.title, f.brief) }},
		{"CITATION.cff", func(w io.Writer) error { return r.citation(w, f.title, f.authors) }},
	}
	if f.brief {
		parts[0].write = func(w io.Writer) error {
			rows := ordered(r.Rows, r.Sheet)
			return store.WriteBrief(frozenRows, w, rows, append(store.Empty(rows), briefWithout...))
		}
		parts = append(parts[:1], parts[2:]...)
	}
	var names []string
	for _, part := range parts {
		names = append(names, part.name)
	}
	if err := f.folder(dir, names); err != nil {
		return err
	}
	for _, part := range parts {
		var data bytes.Buffer
		if err := part.write(&data); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data.Bytes()), part.name)
		if err := os.WriteFile(filepath.Join(dir, part.name), data.Bytes(), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(progress, "weft: %d rows are in %s\n", finished(r.Rows, r.Sheet), dir)
	return os.WriteFile(filepath.Join(dir, frozenSums), sums.Bytes(), 0o644)
}

// folder makes the folder. With --update it may be there: empty, or with files of an earlier
// freeze, which SHA256SUMS lists. It refuses to replace any other file.
func (f *freezer) folder(dir string, names []string) error {
	err := os.Mkdir(dir, 0o755)
	switch {
	case err == nil || !errors.Is(err, fs.ErrExist):
		return err
	case !f.update:
		return fmt.Errorf("%s exists already: name another folder, or replace its files with --update", dir)
	}
	sums, err := readSums(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		sums[frozenSums] = "itself"
	}
	for _, name := range append(names, frozenSums) {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) && sums[name] == "" {
			return fmt.Errorf("%s has a file %s that weft lab freeze has not written (%s does not list it): name another folder, or remove the file", dir, name, frozenSums)
		}
	}
	return nil
}

func (r *results) readme(w io.Writer, title string, brief bool) error {
	commands := indent + strings.ReplaceAll(r.Sheet.Command, "\n", "\n"+indent)
	origins := r.Sheet.Origins(r.Rows)
	older := ""
	if n := sweep.OlderCases(origins); n > 0 {
		older = fmt.Sprintf("\n\n%d of them were computed by older sources of weft, and were not computed again since.", n)
	}
	if brief {
		_, err := fmt.Fprintf(w, "# %s\n\n%d of %d cases of a sweep of weft. sources.csv has the digests of the sources that computed\nthem, and the column sources of rows.csv has that of each row.%s\n\nsweep.yaml describes the sweep, with the usual values filled in. The rows are in rows.csv:\n`weft lab stats` and `weft lab report` read this folder. Check the files with\n`sha256sum -c SHA256SUMS`. Commands:\n\n%s\n",
			title, finished(r.Rows, r.Sheet), r.Sheet.Number(), older, commands)
		return err
	}
	_, err := fmt.Fprintf(w, "# %s\n\n%d of %d cases of a sweep of weft %s (commit %s), sources %s.%s\n\nCommands:\n\n%s\n\nsweep.yaml describes the sweep: `weft lab sweep sweep.yaml -o again.db` repeats it. The rows are in\nrows.parquet and rows.csv. Check the files with `sha256sum -c SHA256SUMS`.\n",
		title, finished(r.Rows, r.Sheet), r.Sheet.Number(), cli.Version, cli.Commit(), strings.Join(r.Sheet.Sources, " "), older, commands)
	return err
}

// citation writes CITATION.cff (https://citation-file-format.github.io, version 1.2.0).
func (r *results) citation(w io.Writer, title, authors string) error {
	fmt.Fprintf(w, "cff-version: 1.2.0\nmessage: If you use these results, please cite them.\ntype: dataset\ntitle: %q\nversion: %q\n", title, strings.Join(append(slices.Clone(r.Sheet.Older), r.Sheet.Sources...), "-"))
	_, err := fmt.Fprintln(w, "authors:")
	for name := range strings.SplitSeq(cmp.Or(authors, "the users of weft"), ",") {
		_, err = fmt.Fprintf(w, "  - name: %q\n", strings.TrimSpace(name))
	}
	return err
}
