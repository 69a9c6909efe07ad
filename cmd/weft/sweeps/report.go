package sweeps

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/report"
)

// pageFlags are the options of weft lab plot and weft lab report.
type pageFlags struct {
	report.Options
	output string
}

func (o *pageFlags) add(cmd *cobra.Command, output, usage string) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Figures, "figure", nil, "`COLUMNS` that are shown (default: that of the workload; with ebb_share also shift_congestion_sum)")
	f.StringVar(&o.Against, "against", "", "compare the others with this `ENGINE` (default: the first)")
	f.StringArrayVarP(&o.Engines, "engine", "e", nil, "only engines whose name contains `TEXT`; can be repeated")
	f.StringArrayVar(&o.Networks, "network", nil, "only networks whose name contains `TEXT`; can be repeated")
	f.StringVarP(&o.output, "output", "o", output, usage)
}

// page makes the page of a store.
func (o *pageFlags) page(store string) (*report.Page, error) {
	r, err := readResults(store)
	if err != nil {
		return nil, err
	}
	p, err := report.New(r.Results, o.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", store, err)
	}
	return p, nil
}

func reportCmd() *cobra.Command {
	var (
		o    pageFlags
		page string
	)
	cmd := &cobra.Command{
		Use:   "report STORE",
		Short: "write the results of a sweep as one page, HTML or Markdown",
		Long: `Write the results of a sweep as a page: how the cases ended, with reasons; each engine against one of
them on the same networks, with intervals and tests; charts of each network by damage; all means; and
the command, version, options, seeds and sources that made them. Its title is the title of the sweep,
or the question that the figure answers.

-o FILE.html is one file that needs nothing else: no scripts, and no fonts or pictures from
elsewhere. It is dark or light as the reader's system prefers. -o FILE.md is Markdown, with the charts
beside it as FILE-NAME.svg. The same store gives the same bytes.`,
		Example: `  weft lab report results.db
  weft lab report results.db -o results.md --figure ebb_share,vls --against ftree
  weft lab report results.db -e dfsssp -e nue --network torus -o tori.html`,
		Args: cli.OneArgument("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ext := filepath.Ext(o.output)
			if ext != ".html" && ext != ".md" && o.output != "-" {
				return fmt.Errorf("-o %s: want a name that ends in .html or .md", o.output)
			}
			p, err := o.page(args[0])
			if err != nil {
				return err
			}
			if page != "" {
				return writeChoices(cmd, p, page, blockOf(args[0]))
			}
			if ext != ".md" {
				return cli.Output(cmd, o.output, p.WriteHTML)
			}
			prefix := strings.TrimSuffix(filepath.Base(o.output), ext) + "-"
			if err := writePictures(cmd, p, filepath.Dir(o.output), prefix); err != nil {
				return err
			}
			return cli.Output(cmd, o.output, func(w io.Writer) error { return p.WriteMarkdown(w, prefix) })
		},
	}
	o.add(cmd, "report.html", "`FILE`, .html or .md; - for HTML on standard output")
	cmd.Flags().StringVar(&page, "page", "", "write only the table of the best engines, into the Markdown page `FILE`, between the lines <!-- begin report NAME --> and <!-- end report NAME -->, NAME being that of STORE without its ending")
	return cmd
}

func plotCmd() *cobra.Command {
	var o pageFlags
	cmd := &cobra.Command{
		Use:   "plot STORE",
		Short: "draw the charts of a sweep as SVG files",
		Long: `Draw the charts of weft lab report as SVG files in a folder: each engine against one of them by
damage, with intervals over the networks, and the means of each network by damage, with intervals over
its draws. The files follow the reader's preference for dark pages, and a series looks the same in all
of them. They replace files of the same names.`,
		Example: `  weft lab plot results.db -o charts
  weft lab plot results.db --figure vls --network torus -e dfsssp -e lash`,
		Args: cli.OneArgument("STORE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.page(args[0])
			if err != nil {
				return err
			}
			if o.output == "-" || o.output == "" {
				return errors.New("-o: name a folder")
			}
			if err := os.MkdirAll(o.output, 0o755); err != nil {
				return err
			}
			return writePictures(cmd, p, o.output, "")
		},
	}
	o.add(cmd, "charts", "`DIR` of the SVG files, created if missing")
	return cmd
}

// blockOf returns the name of a store's block in a page: of a frozen one that of the folder above
// it.
func blockOf(store string) string {
	name := filepath.Base(store)
	if name == "frozen" {
		name = filepath.Base(filepath.Dir(store))
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// writeChoices writes the table of the best engines into a page.
func writeChoices(cmd *cobra.Command, p *report.Page, page, name string) error {
	return cli.WriteBlock(cmd, page, "report "+name, func(w io.Writer) error {
		p.WriteChoices(w)
		return nil
	})
}

// writePictures writes the charts of a page to a folder.
func writePictures(cmd *cobra.Command, p *report.Page, dir, prefix string) error {
	pictures, err := p.Pictures()
	if err != nil {
		return err
	}
	if len(pictures) == 0 {
		return errors.New("there is nothing to draw: no case is proven yet")
	}
	for _, picture := range pictures {
		path := filepath.Join(dir, prefix+picture.Name)
		if err := cli.WriteQuietly(cmd, path, func(w io.Writer) error { _, err := w.Write(picture.SVG); return err }); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "weft: %d charts are in %s\n", len(pictures), dir)
	return nil
}
