package sweeps

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
)

func freezeCmd() *cobra.Command {
	var title, authors string
	cmd := &cobra.Command{
		Use:   "freeze STORE DIR",
		Short: "write the results of a sweep so that they can be cited",
		Long: `Write the results of a sweep to a new folder DIR, so that they can be archived and cited: the rows as
Parquet and CSV, the description (sweep.yaml), a README.md with the command and the sources, a
CITATION.cff, and SHA256SUMS with a checksum for each file. The same results give the same bytes.`,
		Example: `  weft lab freeze results.db frozen --title 'Engines under damage' --authors 'A. Weaver, B. Loom'`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readResults(args[0])
			if err != nil {
				return err
			}
			return r.freeze(cmd.ErrOrStderr(), args[1], cmp.Or(title, r.Title, "Results of a sweep of weft"), authors)
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "`TITLE` of the citation (default: that of the sweep)")
	cmd.Flags().StringVar(&authors, "authors", "", "`NAMES` of the authors, with commas")
	return cmd
}

// freeze writes the results to a folder.
func (r *results) freeze(told io.Writer, dir, title, authors string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, f := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"rows.csv", func(w io.Writer) error { return r.write(w, "rows.csv") }},
		{"rows.parquet", func(w io.Writer) error { return r.write(w, "rows.parquet") }},
		{"sweep.yaml", func(w io.Writer) error { _, err := io.WriteString(w, r.sheet.Description); return err }},
		{"README.md", func(w io.Writer) error { return r.readme(w, title) }},
		{"CITATION.cff", func(w io.Writer) error { return r.citation(w, title, authors) }},
	} {
		var data bytes.Buffer
		if err := f.write(&data); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data.Bytes()), f.name)
		if err := os.WriteFile(filepath.Join(dir, f.name), data.Bytes(), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(told, "weft: %d rows are in %s\n", have(r.rows, r.sheet), dir)
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), sums.Bytes(), 0o644)
}

func (r *results) readme(w io.Writer, title string) error {
	_, err := fmt.Fprintf(w, "# %s\n\n%d of %d cases of a sweep of weft %s (commit %s), sources %s.\n\nThe commands were\n\n    %s\n\nsweep.yaml describes the sweep: `weft lab sweep sweep.yaml -o again.db` repeats it. The rows are in\nrows.parquet and rows.csv. Check the files with `sha256sum -c SHA256SUMS`.\n",
		title, have(r.rows, r.sheet), r.sheet.Number(), cli.Version, cli.Commit(), strings.Join(r.sheet.Sources, " "), strings.ReplaceAll(r.sheet.Command, "\n", "\n    "))
	return err
}

// citation writes CITATION.cff (https://citation-file-format.github.io, version 1.2.0).
func (r *results) citation(w io.Writer, title, authors string) error {
	fmt.Fprintf(w, "cff-version: 1.2.0\nmessage: If you use these results, please cite them.\ntype: dataset\ntitle: %q\nversion: %q\n", title, strings.Join(r.sheet.Sources, "-"))
	_, err := fmt.Fprintln(w, "authors:")
	for name := range strings.SplitSeq(cmp.Or(authors, "the users of weft"), ",") {
		_, err = fmt.Fprintf(w, "  - name: %q\n", strings.TrimSpace(name))
	}
	return err
}
