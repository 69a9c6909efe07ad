package fewest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/lanes/partition"
	"weft/study"
	"weft/study/routing"
)

// lanesOptions are the options of weft lanes.
type lanesOptions struct {
	fabric  cli.FabricFlags
	routing cli.RouteFlags
	engines []string
	files   routing.TableFiles
	ask     routing.LaneRequest
	form    cli.Form
}

// lanesEngines are the engines whose paths are examined by default: the ones that need lanes, and
// the ones that take paths without regard to lanes.
const lanesEngines = "minhop,sssp,dfsssp,lash,nue"

const lanesHelp = `Find the fewest virtual lanes on which given paths cannot deadlock, and how far engines are from
it.

Input is a FABRIC. It is routed by each of --engines, or has tables already (--plan, --lfts). Output
is a row for each routing. The paths stay as they are; only their division among lanes is searched
for: on no lane may the dependencies of its paths, from each channel to the next, form a cycle. The
problem is NP-complete (acyclic path partitioning; Domke, Hoefler and Nagel 2011, theorem 1).

  USES         lanes of the routing itself
  FEWEST       the least number of lanes for its paths. "2 to 4": no fewer than 2 are enough, 4 are,
               and the search did not end
  DISTANCE     lanes in use above the fewest. "1 too few": so many are missing; then packets can
               deadlock, unless the routing changes lanes on the way
  NO DEADLOCK  the verdict of the judge on the routing as it is
  REPLIES      same SL: a lane holds the paths of a pair both ways, since a reply travels on the SL
               of its request; own SL: each direction has its own lane, and fewer are enough
  PATHS        pairs of end ports on different switches; with "own SL", paths from switches to them
  MATTER       the paths that the search has to divide: the others close no cycle, or have no
               dependency that another one lacks

Compare numbers of lanes only for the same set of paths: paths from and to switches need lanes too,
and --hosts-only leaves them out.

HOW FAR THE SEARCH GOES

The lower bound is a set of paths that conflict pairwise, or a count along a cycle. Then the search
tries all divisions. Counts bound it, never seconds, so the same input gives the same answer:
--steps bounds the search, --conflicts the comparisons of paths. If more paths matter than
--conflicts compares, nothing is searched: the bound is of the longest paths, and the upper number
is the best of the heuristics (--verbose lists them).`

// Lanes returns weft lanes.
func Lanes() *cobra.Command {
	o := lanesOptions{ask: routing.LaneRequest{Limits: partition.Usual}}
	cmd := &cobra.Command{
		Use:   "lanes FABRIC [--engines LIST | --plan FILE | --lfts FILE]",
		Short: "find the fewest lanes for given paths, and the distance of engines from it",
		Long:  lanesHelp,
		Example: `  weft lanes 'torus(5x5,hosts=1)'
  weft lanes deimos --engines dfsssp,paths=sssp,lash --hosts-only
  weft lanes fabric.txt --plan fabric.plan -v
  weft lanes subnet.lst --lfts osm.fdbs --replies own --json`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	o.fabric.Add(cmd)
	o.routing.Add(cmd)
	o.form.Add(cmd)
	f := cmd.Flags()
	f.StringArrayVarP(&o.engines, "engines", "e", nil, "`ENGINES` to examine, a,b,c or all; can be repeated (default: "+lanesEngines+")")
	f.StringVar(&o.files.Plan, "plan", "", "take the paths of a Plan `FILE` from weft route -o")
	f.StringVar(&o.files.LFTs, "lfts", "", "take the paths of a `FILE` with forwarding tables: opensm-lfts.dump, opensm.fdbs or output of dump_fts")
	cli.LaneFileFlags(cmd, &o.files)
	f.StringVar(&o.ask.Replies, "replies", "auto", "replies travel on the SL of their request (same), or of their own path (own); auto: as the routing has it")
	f.BoolVar(&o.ask.HostsOnly, "hosts-only", false, "leave out the paths from and to switches, which management uses")
	f.IntVar(&o.ask.Limits.Steps, "steps", o.ask.Limits.Steps, "end the search after `N` steps")
	f.IntVar(&o.ask.Limits.Conflicts, "conflicts", o.ask.Limits.Conflicts, "compare at most `N` pairs of paths; if more paths matter, print bounds")
	return cmd
}

// run examines the tables, or every engine.
func (o *lanesOptions) run(cmd *cobra.Command, arg string) error {
	if err := o.ask.Validate(); err != nil {
		return err
	}
	if o.files.Given() {
		if cmd.Flags().Changed("engines") {
			return errors.New("give --engines, or tables with --plan or --lfts, not both")
		}
		if err := cli.RefuseBesideTables(cmd, &o.files); err != nil {
			return err
		}
		if err := o.files.Validate(); err != nil {
			return err
		}
	}
	list := strings.Join(o.engines, ",")
	if list == "" {
		list = lanesEngines
	}
	chain, err := engine.Parse(list, o.routing.Options)
	if err != nil {
		return err
	}
	if err := o.routing.Check(); err != nil {
		return err
	}
	g, err := o.fabric.Graph(cmd, arg)
	if err != nil {
		return err
	}
	o.ask.Workers = o.routing.Workers
	out := &routing.Lanes{HostsOnly: o.ask.HostsOnly}
	if o.files.Given() {
		err = o.given(cmd, g, out)
	} else {
		err = o.each(cmd, g, chain, out)
	}
	if err != nil {
		return err
	}
	return o.form.Answer(cmd.OutOrStdout(), out)
}

// given examines tables from files.
func (o *lanesOptions) given(cmd *cobra.Command, g *fabric.Graph, out *routing.Lanes) error {
	r, err := cli.LoadTables(cmd, g, &o.files)
	if err != nil {
		return err
	}
	return cli.WithProgress(cmd, "counting lanes", func(ctx context.Context) error {
		row, err := routing.NewLaneRow(ctx, g, r, &o.ask)
		if err == nil {
			out.Routings = append(out.Routings, *row)
		}
		return err
	})
}

// each examines the paths of every engine.
func (o *lanesOptions) each(cmd *cobra.Command, g *fabric.Graph, chain route.Chain, out *routing.Lanes) error {
	for _, step := range chain {
		req := o.routing.Request
		req.Chain = route.Chain{step}
		err := cli.WithProgress(cmd, "counting lanes of "+step.Engine.Name, func(ctx context.Context) error {
			r, err := planner.Route(ctx, g, &req)
			if err != nil && routing.CouldNot(err) {
				refused := study.RefusalOf(err)
				out.Routings = append(out.Routings, routing.LaneRow{Engine: step.Engine.Name, Refused: &refused})
				return nil
			}
			if err != nil {
				return err
			}
			row, err := routing.NewLaneRow(ctx, g, r, &o.ask)
			if err != nil {
				return fmt.Errorf("%s: %w", step.Engine.Name, err)
			}
			row.Engine = stepName(step)
			out.Routings = append(out.Routings, *row)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stepName returns an engine with its options.
func stepName(step route.Step) string {
	words := []string{step.Engine.Name}
	for _, option := range slices.Sorted(maps.Keys(step.Options)) {
		words = append(words, option+"="+step.Options[option])
	}
	return strings.Join(words, " ")
}
