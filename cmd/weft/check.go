package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/planner"
	"weft/study/routing"
)

// checkHelp tells what weft check --help says.
const checkHelp = `Judge a routing from the fabric and the tables alone: a Plan that weft route wrote,
or the tables of another subnet manager (opensm-lfts.dump, opensm.fdbs, dump_fts).

Without --sl and --sl2vl the lanes of foreign tables are not known. Then the
answer about deadlock is "yes" where one lane is enough, and "unknown" otherwise.
Where QoS is off, as OpenSM leaves it by default, all traffic shares one lane:
--one-lane says so, and the answer is yes or no.

OpenSM dumps no service levels of paths. Two files hold them:

  --sl     saquery -p > sl.txt, on any host: all path records of the subnet manager
  --sl2vl  opensm-sl2vl.dump, which OpenSM writes to its log directory with -D 0x43

A file for --sl may also hold a line for each source: its LID, then the SL towards LIDs
0, 1, 2 ... as one hexadecimal digit each, '.' where there is none:

  # engine dfsssp toplid 8
  P 0x0001 .20505064

Hosts with several LIDs may be sent to by any of them, unless --choice says by which: a file
as weft route --write-choice writes it.

A file that lacks the tables of switches is refused: a switch that did not answer the dump
would look like one that forwards nothing. --partial takes it as such.

Where FABRIC holds no LMC, it follows from the LIDs that the tables name, or deliver to a port.

` + cli.BetweenHelp + `
Then all pairs of end ports in different subnets are judged, and one dependency graph over
all subnets and routers.

Exit status 0 means proven; 1 means a fault, a deadlock, or no proof: lanes are not
known, end ports have no known LID, or LIDs in the tables belong to no end port.`

func checkCmd() *cobra.Command {
	var (
		flags   cli.FabricFlags
		files   routing.TableFiles
		workers int
		hosts   bool
		form    cli.Form
	)
	cmd := &cobra.Command{
		Use:   "check FABRIC (--plan FILE | --lfts FILE [--sl FILE --sl2vl FILE | --one-lane] [--choice FILE])",
		Short: "judge a routing: reachable, loop-free, deadlock-free, balanced",
		Long:  checkHelp,
		Example: `  weft check examples/psmn-x5.ibnetdiscover --plan psmn.plan
  weft check subnet.lst --lfts osm.fdbs --one-lane
  weft check fabric.txt --lfts opensm-lfts.dump --sl sl.txt --sl2vl opensm-sl2vl.dump --json`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.Several(args[0]) {
				if err := cli.RefuseOne(cmd, "plan", "jobs"); err != nil {
					return err
				}
				return checkBetween(cmd, &flags, args[0], &betweenCheck{files.Plan, workers, hosts, form.JSON})
			}
			if hosts {
				return errors.New("--hosts-only goes with several subnets, and FABRIC is one")
			}
			if err := files.Validate(); err != nil {
				return err
			}
			g, err := flags.Graph(cmd, args[0])
			if err != nil {
				return err
			}
			r, err := cli.LoadTables(cmd, g, &files)
			if err != nil {
				return err
			}
			err = cli.WithProgress(cmd, "judging", func(ctx context.Context) error {
				return r.Judge(ctx, g, &planner.Request{Workers: workers})
			})
			if err != nil {
				return err
			}
			if err := form.Answer(cmd.OutOrStdout(), r.Report); err != nil {
				return err
			}
			return proven(r)
		},
	}
	flags.Add(cmd)
	form.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&files.Plan, "plan", "", "Plan that weft route -o wrote; of several subnets the directory")
	f.BoolVar(&hosts, "hosts-only", false, "of several subnets, judge pairs of hosts alone, not port 0 of switches")
	f.StringVar(&files.LFTs, "lfts", "", "forwarding tables: opensm-lfts.dump, opensm.fdbs or dump_fts output")
	cli.LaneFileFlags(cmd, &files)
	cli.JobsFlag(cmd, &workers)
	return cmd
}

// proven ends a command whose Plan the judge has not proven.
func proven(r *planner.Result) error {
	if r.Report != nil && !r.Report.OK {
		return cli.AnswerNo
	}
	return nil
}
