package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/route"
	"weft/route/engine"
	"weft/route/foreign"
	"weft/route/job"
	"weft/route/planfile"
	"weft/route/quality"
)

// routeOutput is what `weft route --json` prints.
type routeOutput struct {
	Engine  string          `json:"engine"`
	Refused []string        `json:"refused,omitempty"` // engines of the chain that refused, with their reasons
	Recipe  route.Recipe    `json:"recipe"`
	LIDs    int             `json:"lids"`
	Least   int             `json:"least_lids,omitempty"` // proven: no assignment of these paths has fewer
	MaxLMC  uint8           `json:"max_lmc"`
	VLs     int             `json:"vls"`
	Seconds float64         `json:"seconds"`
	Stages  []job.Stage     `json:"stages"`
	PeakRSS float64         `json:"peak_rss_mb"`
	Notes   []string        `json:"notes,omitempty"` // what the engine has to say of its result
	Check   *quality.Report `json:"check,omitempty"`
	Solver  *solverOutput   `json:"solver,omitempty"` // of --names ilp
	Change  *changeOutput   `json:"change,omitempty"` // with --keep
}

// planFiles are the files that a Plan can be written to.
type planFiles struct{ plan, lfts, fdbs, dump, random, sl, sl2vl string }

func (p *planFiles) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&p.plan, "output", "o", "", "write the Plan to this file (weft check --plan reads it)")
	f.StringVar(&p.lfts, "lfts", "", "write forwarding tables for OpenSM's file engine (opensm -R file -U FILE)")
	f.StringVar(&p.fdbs, "fdbs", "", "write forwarding tables as opensm.fdbs, with hop counts")
	f.StringVar(&p.dump, "dump", "", "write forwarding tables as dump_fts prints them")
	f.StringVar(&p.random, "random", "", "write random forwarding tables: LID, LMC and port of every entry")
	f.StringVar(&p.sl, "sl", "", "write the service levels of all paths (weft check --sl reads them)")
	f.StringVar(&p.sl2vl, "sl2vl", "", "write SL2VL tables as opensm-sl2vl.dump")
}

func routeCmd() *cobra.Command {
	var (
		flags   fabricFlags
		routing routeFlags
		files   planFiles
		asJSON  bool
		chain   string
		list    bool
		noCheck bool
		stages  pathSetFlags
		keep    keepFlags
	)
	cmd := &cobra.Command{
		Use:   "route FABRIC",
		Short: "route a fabric and prove the routing",
		Long: `Route a fabric, let the judge prove the result, and write it to files.

` + job.ChainHelp + `

--paths and --names choose the two stages apart: paths between all hosts, and then as
few LIDs as hold them. --engine separate and --engine renaming are such pairs. --names
ilp asks an installed solver of linear programmes for the fewest; where its time runs
out, the best answer found stands, and the report says how many LIDs are needed at least.

` + keepHelp + `

Exit status 1 means that the judge found a fault (a deadlock
too); the files are written all the same, for study.`,
		Example: `  weft route examples/psmn-x5.ibnetdiscover -o psmn.plan
  weft route 'torus(4x4x4,hosts=1)' --engine dor,updn --json
  weft route 'irregular(switches=16,hosts=128)' --paths path-selection --names color-l
  weft route 'irregular(switches=16,hosts=64)' --paths updn-shortest --names ilp --solver cbc --solver-time 60s
  weft route today.txt --keep yesterday.plan -o today.plan
  weft route fabric.txt --engine updn -O 'roots=spine-1;spine-2' --lfts lfts.dump`,
		Args: oneOrList("FABRIC", "engines", &list),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listEngines(cmd.OutOrStdout(), asJSON)
			}
			chain, err := stages.chain(cmd, chain)
			if err != nil {
				return err
			}
			if err := keep.setChain(cmd, chain, &routing); err != nil {
				return err
			}
			if err := stages.solver.equip(cmd, routing.Chain); err != nil {
				return err
			}
			answer, err := files.answerTo(cmd)
			if err != nil {
				return err
			}
			g, err := flags.graph(cmd, args[0])
			if err != nil {
				return err
			}
			if err := keep.hold(cmd, g, &routing); err != nil {
				return err
			}
			r, err := routeFabric(cmd, g, &routing.Request)
			if err != nil {
				return err
			}
			if !noCheck {
				err = withProgress(cmd, "judging", func(ctx context.Context) error { return r.Judge(ctx, g, &routing.Request) })
				if err != nil {
					return err
				}
			}
			plan, out := r.Plan, newRouteOutput(r)
			out.Change, out.Solver = keep.compare(g, plan), stages.solver.output()
			if err := files.write(cmd, g, plan); err != nil {
				return err
			}
			if asJSON {
				err = printJSON(answer, out)
			} else {
				err = out.write(answer)
			}
			if err == nil && out.Check != nil && !out.Check.OK {
				return answerNo
			}
			return err
		},
	}
	flags.add(cmd)
	flags.addRoles(cmd)
	routing.add(cmd)
	files.add(cmd)
	jsonFlag(cmd, &asJSON)
	chainFlag(cmd, &chain)
	stages.add(cmd)
	keep.add(cmd)
	cmd.Flags().BoolVar(&list, "engines", false, "list the engines with their options")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "do not judge the result")
	return cmd
}

func newRouteOutput(r *job.Result) *routeOutput {
	out := &routeOutput{
		Engine: r.Engine.Name, Recipe: r.Plan.Recipe, LIDs: r.Plan.Ends.Total(), MaxLMC: r.Plan.Ends.MaxLMC(), PeakRSS: peakRSS(),
		Least: r.Plan.LeastLIDs, VLs: r.Plan.VLs, Seconds: r.Seconds, Stages: r.Stages, Notes: r.Plan.Notes, Check: r.Report,
	}
	for _, e := range r.Refused {
		out.Refused = append(out.Refused, e.Error())
	}
	return out
}

func (o *routeOutput) write(w io.Writer) error {
	lids := fmt.Sprintf("%d (LMC %d)", o.LIDs, o.MaxLMC)
	switch o.Least {
	case 0:
	case o.LIDs:
		lids += ", proven: no fewer hold these paths"
	default:
		lids += fmt.Sprintf(", of which these paths need at least %d", o.Least)
	}
	rows := [][]string{
		{"engine", o.Engine},
		{"LIDs", lids},
	}
	if o.Solver != nil {
		rows = append(rows, []string{"solver", o.Solver.String()})
	}
	rows = append(rows,
		[]string{"VLs", count(o.VLs)},
		[]string{"seconds", fmt.Sprintf("%.3f", o.Seconds)},
		[]string{"peak memory", fmt.Sprintf("%.0f MB", o.PeakRSS)},
	)
	if err := table(w, rows); err != nil {
		return err
	}
	for _, note := range o.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	if o.Change != nil {
		fmt.Fprintln(w)
		if err := o.Change.write(w); err != nil {
			return err
		}
	}
	if o.Check == nil {
		_, err := fmt.Fprintln(w, "not judged (--no-check)")
		return err
	}
	fmt.Fprintln(w)
	return o.Check.Write(w)
}

// answerTo is where the report goes.
func (p *planFiles) answerTo(cmd *cobra.Command) (io.Writer, error) {
	return answerTo(cmd, p.plan, p.lfts, p.fdbs, p.dump, p.random, p.sl, p.sl2vl)
}

// write writes the Plan to the files asked for.
func (p *planFiles) write(cmd *cobra.Command, g *fabric.Graph, plan *route.Plan) error {
	if p.lfts != "" {
		if err := foreign.FitsTables(plan); err != nil {
			return err
		}
	}
	var lfts *netfile.LFTs
	if p.lfts != "" || p.fdbs != "" || p.dump != "" || p.random != "" {
		lfts = foreign.LFTs(g, plan)
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{p.plan, func(w io.Writer) error { return planfile.Save(w, g, plan) }},
		{p.lfts, func(w io.Writer) error { return netfile.WriteOpenSMLFTs(w, lfts) }},
		{p.fdbs, func(w io.Writer) error { return netfile.WriteFDBs(w, lfts) }},
		{p.dump, func(w io.Writer) error { return netfile.WriteDumpLFTs(w, lfts) }},
		{p.random, func(w io.Writer) error { return netfile.WriteRandom(w, lfts) }},
		{p.sl, func(w io.Writer) error { return netfile.WritePathSLs(w, foreign.PathSLs(g, plan)) }},
		{p.sl2vl, func(w io.Writer) error { return netfile.WriteSL2VLs(w, foreign.SL2VLs(g, plan)) }},
	} {
		if file.path == "" {
			continue
		}
		if err := output(cmd, file.path, file.write); err != nil {
			return err
		}
	}
	return nil
}

// engineEntry is what `weft route --engines --json` prints of an engine.
type engineEntry struct {
	Name    string        `json:"name"`
	Summary string        `json:"summary"`
	Paper   string        `json:"paper"`
	Cost    string        `json:"cost"`
	Lanes   string        `json:"lanes"`
	Options []optionEntry `json:"options"`
}

type optionEntry struct {
	Name    string `json:"name"`
	Default any    `json:"default"`
	Doc     string `json:"doc"`
}

func listEngines(w io.Writer, asJSON bool) error {
	var entries []engineEntry
	for _, s := range engine.All() {
		entries = append(entries, engineEntry{s.Name, s.Summary, s.Paper, s.Cost, s.Lanes, optionEntries(s.Options)})
	}
	if asJSON {
		return printJSON(w, map[string]any{
			"engines": entries, "default": engine.Default, "paths": pathEntries(), "names": nameEntries(),
		})
	}
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n  paper  %s\n  cost   %s\n  lanes  %s\n", e.Name, e.Summary, e.Paper, e.Cost, e.Lanes)
		writeOptions(w, e.Options)
	}
	return listStages(w)
}

func optionEntries(options []route.Option) []optionEntry {
	entries := []optionEntry{}
	for _, o := range options {
		entries = append(entries, optionEntry{o.Name, o.Default, o.Doc})
	}
	return entries
}

func writeOptions(w io.Writer, options []optionEntry) {
	for _, o := range options {
		def := fmt.Sprint(o.Default)
		if list, ok := o.Default.([]string); ok {
			def = strings.Join(list, ";")
		}
		fmt.Fprintf(w, "  -O %s=%s\n       %s\n", o.Name, def, o.Doc)
	}
}
