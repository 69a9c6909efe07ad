package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"weft/route/names"
	"weft/route/names/colouring"
	"weft/study"
)

// stdinName stands for standard input where a file is read.
const stdinName = "-"

func lidsCmd() *cobra.Command {
	var (
		scheme string
		budget int64
		write  string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "lids GRAPH",
		Short: "how few LIDs paths need of which a graph says which split",
		Long: `Find how few LIDs the paths to one port need that split as a graph says: its
vertices are paths, and an edge joins two that meet at a switch and leave it by different
links. GRAPH is a file in the DIMACS format of graph colouring ("p edge V E", then a line
"e u v" for each edge), or "-" for standard input; weft route --write-splits writes such files.

The paths exist: they are made by the reduction of Nienaber, Yuan and Duan, by which the
least number of LIDs is as hard to find as the least number of colours of the graph.
--write-paths writes them, a path a line.`,
		Example: `  weft lids queen7_7.col
  weft lids queen7_7.col --names color-l --json
  weft lids myciel4.col --write-paths paths.txt`,
		Args: one("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := names.ByName(scheme)
			if err != nil {
				return fmt.Errorf("--names: %w", err)
			}
			g, err := readGraph(cmd, args[0])
			if err != nil {
				return err
			}
			to, err := answerTo(cmd, write)
			if err != nil {
				return err
			}
			files, err := openOutputs(cmd, write)
			if err != nil {
				return err
			}
			defer files.drop()
			out, err := study.NewLIDs(cmd.Context(), g, s, names.Options{Workers: 1, Budget: budget})
			if err != nil {
				return err
			}
			if write != "" {
				if err := files[0].write(func(w io.Writer) error { return study.WriteReduction(w, g) }); err != nil {
					return err
				}
			}
			return answer(to, out, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&scheme, "names", "exact", "the assignment (weft route --engines lists them)")
	f.Int64Var(&budget, "budget", names.DefaultBudget, "for --names exact: branches of the search for each number of LIDs; then bounds are told")
	f.StringVar(&write, "write-paths", "", "write the paths to this file: a path a line, its nodes by number")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// readGraph reads a DIMACS graph from a file or standard input.
func readGraph(cmd *cobra.Command, path string) (*colouring.Graph, error) {
	in := cmd.InOrStdin()
	if path != stdinName {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	g, err := colouring.ReadDIMACS(path, in)
	if err != nil {
		return nil, err
	}
	if g.Len() == 0 {
		return nil, errors.New(path + ": the graph has no vertex")
	}
	return g, nil
}
