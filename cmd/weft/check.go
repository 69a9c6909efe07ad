package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/route"
	"weft/route/check"
	"weft/route/foreign"
	"weft/route/planfile"
	"weft/route/quality"
)

// tableFiles are the files of a routing to be judged: a Plan of ours, or the
// tables of another subnet manager.
type tableFiles struct{ plan, lfts, sl, sl2vl string }

func checkCmd() *cobra.Command {
	var (
		flags   fabricFlags
		files   tableFiles
		workers int
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "check FABRIC (--plan FILE | --lfts FILE [--sl FILE] [--sl2vl FILE])",
		Short: "judge a routing: reachable, loop-free, deadlock-free, balanced",
		Long: `Judge a routing from the fabric and the tables alone: a Plan that weft route wrote,
or the tables of another subnet manager (opensm-lfts.dump, opensm.fdbs, dump_fts).

Without --sl and --sl2vl nobody knows the lanes of foreign tables. Then the
answer about deadlock is "yes" where one lane is enough, and "unknown" otherwise.

Where FABRIC tells no LMC, the LIDs that the tables name or deliver tell it.

Exit status 0 means proven; 1 means a fault, a deadlock, or no proof: lanes that are not
known, end ports whose LID is not, or LIDs that nobody can place.`,
		Example: `  weft check examples/psmn-x5.ibnetdiscover --plan psmn.plan
  weft check subnet.lst --lfts osm.fdbs
  weft check fabric.txt --lfts opensm-lfts.dump --sl sl.txt --sl2vl opensm-sl2vl.dump --json`,
		Args: one("FABRIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := files.validate(); err != nil {
				return err
			}
			g, err := flags.graph(cmd, args[0])
			if err != nil {
				return err
			}
			plan, err := files.read(cmd, g)
			if err != nil {
				return err
			}
			var report *quality.Report
			err = withProgress(cmd, "judging", func(ctx context.Context) (err error) {
				report, err = quality.Judge(ctx, g, plan, check.Options{Workers: workers})
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), report)
			} else {
				err = report.Write(cmd.OutOrStdout())
			}
			if err == nil && !report.OK {
				return answerNo
			}
			return err
		},
	}
	flags.add(cmd)
	jsonFlag(cmd, &asJSON)
	f := cmd.Flags()
	f.StringVar(&files.plan, "plan", "", "Plan that weft route -o wrote")
	f.StringVar(&files.lfts, "lfts", "", "forwarding tables: opensm-lfts.dump, opensm.fdbs or dump_fts output")
	f.StringVar(&files.sl, "sl", "", "service levels of the paths that go with --lfts")
	f.StringVar(&files.sl2vl, "sl2vl", "", "SL2VL tables that go with --lfts")
	jobsFlag(cmd, &workers)
	return cmd
}

func (t *tableFiles) validate() error {
	switch {
	case (t.plan == "") == (t.lfts == ""):
		return errors.New("give either --plan FILE or --lfts FILE")
	case t.plan != "" && (t.sl != "" || t.sl2vl != ""):
		return errors.New("--sl and --sl2vl go with --lfts: a Plan holds its lanes")
	}
	return nil
}

// read reads the Plan, or makes one of foreign tables.
func (t *tableFiles) read(cmd *cobra.Command, g *fabric.Graph) (*route.Plan, error) {
	if t.plan != "" {
		f, err := os.Open(t.plan)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		plan, err := planfile.Load(f, g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.plan, err)
		}
		return plan, nil
	}
	foreign := foreign.Files{}
	for _, file := range []struct {
		path string
		read func(name string, data []byte) ([]netfile.Warning, error)
	}{
		{t.lfts, func(name string, data []byte) (w []netfile.Warning, err error) {
			foreign.LFTs, w, err = netfile.ReadLFTs(name, data)
			return w, err
		}},
		{t.sl, func(name string, data []byte) (w []netfile.Warning, err error) {
			foreign.SLs, w, err = netfile.ReadPathSLs(name, data)
			return w, err
		}},
		{t.sl2vl, func(name string, data []byte) (w []netfile.Warning, err error) {
			foreign.SL2VL, w, err = netfile.ReadSL2VLs(name, data)
			return w, err
		}},
	} {
		if file.path == "" {
			continue
		}
		data, err := os.ReadFile(file.path)
		if err != nil {
			return nil, err
		}
		warnings, err := file.read(file.path, data)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
		}
	}
	plan, notes, err := foreign.Plan(g)
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.lfts, err)
	}
	wrong, total := foreign.WrongClaims(g, plan, warningsShown)
	for _, text := range wrong {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: %s: %s\n", t.lfts, text)
	}
	if total > len(wrong) {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: warning: %s: and %d more wrong hop counts\n", t.lfts, total-len(wrong))
	}
	return plan, nil
}
