package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/planner"
	"weft/study/routing"
)

// checkHelp is the text of weft check --help.
const checkHelp = `Judge an existing routing: is every destination reached, without loops, and can it deadlock?

Input is the FABRIC and its tables: a Plan from weft route (--plan), or forwarding tables of another
subnet manager (--lfts: opensm-lfts.dump, opensm.fdbs, or output of dump_fts). Output is the verdict
with witnesses for each fault, such as a shortest dependency cycle, then hops and loads.

Exit status 0: proven. 1: a fault, a possible deadlock, or no proof, because lanes are unknown, end
ports have no known LID, or LIDs in the tables belong to no end port.

LANES OF OTHER SUBNET MANAGERS

Without --sl and --sl2vl the lanes of the tables are unknown. The judge then tests whether a single
lane is free of deadlock: if it is, the verdict is "yes", otherwise "unknown". If QoS is off, as in
OpenSM by default, all traffic shares one lane: add --one-lane to get yes or no.

The service levels are in two files:

  --sl     output of "saquery -p" on any host: all path records of the subnet manager
  --sl2vl  opensm-sl2vl.dump, which OpenSM writes to its log directory with -D 0x43

A file for --sl may also have one line for each source: its LID, then the SL towards LIDs 0, 1,
2 ... as one hexadecimal digit each, "." if there is none:

  # engine dfsssp toplid 8
  P 0x0001 .20505064

JOBS

--jobs FILE adds what the tables give to each job, as weft route --jobs FILE prints it; nothing moves.

INCOMPLETE INPUT

Tables that lack switches are refused: a switch that did not answer the dump would look like a
switch that forwards nothing. --partial accepts them.

If FABRIC holds no LMC, it is derived from the LIDs in the tables. A host with several LIDs may
receive at any of them, unless --choice gives the LIDs in use (weft route --write-choice).

` + cli.BetweenHelp + `

Then all pairs of end ports in different subnets are judged, with one dependency graph over all
subnets and routers.`

// checkOptions are the options of weft check.
type checkOptions struct {
	fabric    cli.FabricFlags
	files     routing.TableFiles
	workers   int
	hostsOnly bool
	form      cli.Form
	jobs      cli.JobFile
}

func checkCmd() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check FABRIC (--plan FILE [--one-lane] | --lfts FILE [--sl FILE --sl2vl FILE | --one-lane] [--choice FILE])",
		Short: "judge an existing routing: reachability, loops, deadlocks, balance",
		Long:  checkHelp,
		Example: `  weft check examples/psmn-x5.ibnetdiscover --plan psmn.plan
  weft check subnet.lst --lfts osm.fdbs --one-lane
  weft check fabric.txt --lfts opensm-lfts.dump --sl sl.txt --sl2vl opensm-sl2vl.dump --json`,
		Args: cli.OneArgument("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.fabric.Several(args[0]) {
				return o.checkBetween(cmd, args[0])
			}
			return o.check(cmd, args[0])
		},
	}
	o.fabric.Add(cmd)
	o.form.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.files.Plan, "plan", "", "Plan `FILE` from weft route -o; with several subnets its directory")
	f.BoolVar(&o.hostsOnly, "hosts-only", false, "with several subnets: judge pairs of hosts only, not port 0 of switches")
	f.StringVar(&o.files.LFTs, "lfts", "", "`FILE` with forwarding tables: opensm-lfts.dump, opensm.fdbs or output of dump_fts")
	cli.LaneFileFlags(cmd, &o.files)
	cli.JobsFlag(cmd, &o.workers)
	o.jobs.Add(cmd)
	return cmd
}

// check judges the routing of a single subnet.
func (o *checkOptions) check(cmd *cobra.Command, arg string) error {
	if o.hostsOnly {
		return errors.New("--hosts-only is for several subnets, and FABRIC is a single one")
	}
	if err := o.files.Validate(); err != nil {
		return err
	}
	g, err := o.fabric.Graph(cmd, arg)
	if err != nil {
		return err
	}
	list, err := o.jobs.Read(g)
	if err != nil {
		return err
	}
	r, err := cli.LoadTables(cmd, g, &o.files)
	if err != nil {
		return err
	}
	err = cli.WithProgress(cmd, "judging", func(ctx context.Context) error {
		return r.Judge(ctx, g, &planner.Request{Workers: o.workers})
	})
	if err != nil {
		return err
	}
	r.Report.CountServers(g)
	out := &routing.Checked{Report: r.Report}
	if list != nil {
		if out.Jobs, err = cli.MeasureJobs(cmd, g, r, list, &planner.Request{Workers: o.workers, Seed: 1}); err != nil {
			return err
		}
	}
	if err := o.form.Answer(cmd.OutOrStdout(), out); err != nil {
		return err
	}
	return proven(r)
}

// proven returns exit status 1 if the judge has not proven the Plan.
func proven(r *planner.Result) error {
	if r.Report != nil && !r.Report.OK {
		return cli.AnswerNo
	}
	return nil
}
