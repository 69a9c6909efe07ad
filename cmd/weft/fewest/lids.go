package fewest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/route/names"
	"weft/route/names/colouring"
	"weft/study/routing"
)

// stdinName is the file name for standard input.
const stdinName = "-"

// lidsOptions are the options of weft lids.
type lidsOptions struct {
	scheme  string
	budget  int64
	write   string
	asJSON  bool
	solving routing.Solving
}

// LIDs returns weft lids.
func LIDs() *cobra.Command {
	var o lidsOptions
	cmd := &cobra.Command{
		Use:   "lids GRAPH",
		Short: "find the fewest LIDs for a set of conflicting paths",
		Long: `Find the fewest LIDs for a set of conflicting paths to one port.

Two paths conflict if they meet at a switch and leave it by different links: they need different
LIDs. Input is the graph of conflicts: a vertex is a path, an edge a conflict. GRAPH is a file in the
DIMACS format of graph colouring ("p edge V E", then a line "e u v" for each edge), or "-" for
standard input; weft route --write-splits writes such files. Output is the number of LIDs
in use, with a lower bound if the minimum is not proven, and the LMC that holds them.

For any graph there are paths with exactly these conflicts. The reduction of Nienaber, Yuan and Duan
constructs them; so the problem is as hard as colouring the graph. --write-paths writes these paths,
one a line.`,
		Example: `  weft lids queen7_7.col
  weft lids queen7_7.col --names color-l --json
  weft lids queen7_7.col --names ilp --solver cbc --solver-time 60s
  weft lids myciel4.col --write-paths paths.txt`,
		Args: cli.OneArgument("GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.scheme, "names", "exact", "assignment `METHOD` (weft route --engines lists them)")
	f.Int64Var(&o.budget, "budget", names.DefaultBudget, "for --names exact: search at most `N` branches for each number of LIDs; if that is not enough, print bounds")
	cli.SolverFlags(cmd, &o.solving, "--names ilp")
	f.StringVar(&o.write, "write-paths", "", "write the paths to `FILE`: one path a line, its nodes by number")
	cli.JSONFlag(cmd, &o.asJSON)
	return cmd
}

// run assigns LIDs to the paths of a graph.
func (o *lidsOptions) run(cmd *cobra.Command, path string) error {
	s, err := names.ByName(o.scheme)
	if err != nil {
		return fmt.Errorf("--names: %w", err)
	}
	solve, err := o.solving.ForNames(s, time.Now())
	if err != nil {
		return err
	}
	if solve == nil {
		if err := cli.RefuseSolver(cmd, "--names ilp"); err != nil {
			return err
		}
	}
	g, err := readGraph(cmd, path)
	if err != nil {
		return err
	}
	to, err := cli.AnswerTo(cmd, o.write)
	if err != nil {
		return err
	}
	files, err := cli.OpenOutputs(cmd, o.write)
	if err != nil {
		return err
	}
	defer files.Drop()
	out, err := routing.NewLIDs(cmd.Context(), g, s, names.Options{Workers: 1, Budget: o.budget, Solve: solve})
	if err != nil {
		return err
	}
	out.Solver = o.solving.Report()
	if o.write != "" {
		if err := files[0].Write(func(w io.Writer) error { return routing.WriteReduction(w, g) }); err != nil {
			return err
		}
	}
	return cli.Answer(to, out, o.asJSON)
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
