package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/route"
	"weft/route/check"
	"weft/route/engine"
)

// comparison is one row of `weft compare`: an engine's Plan and the judge's
// answer, or the reason why the engine refused.
type comparison struct {
	Engine  string        `json:"engine"`
	Refused string        `json:"refused,omitempty"`
	LIDs    int           `json:"lids,omitempty"`
	VLs     int           `json:"vls,omitempty"`
	Seconds float64       `json:"seconds,omitempty"` // routing alone
	Judged  float64       `json:"judge_seconds,omitempty"`
	PeakRSS float64       `json:"peak_rss_mb,omitempty"` // of the process so far
	Check   *check.Report `json:"check,omitempty"`
}

func compareCmd() *cobra.Command {
	var (
		flags   fabricFlags
		routing routeFlags
		asJSON  bool
		engines string
	)
	cmd := &cobra.Command{
		Use:   "compare FABRIC",
		Short: "route a fabric with several engines and compare what the judge says",
		Example: `  weft compare examples/sx6036.ibnetdiscover
  weft compare 'torus(4x4,hosts=2)' --engines updn,dor --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := engine.Chain(engines)
			if err != nil {
				return err
			}
			if err := routing.validate(specs); err != nil {
				return err
			}
			src, err := flags.open(cmd, args[0])
			if err != nil {
				return err
			}
			rows, err := compareEngines(cmd, src.Fabric.Compile(), specs, &routing)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"fabric": src.Fabric.Name, "engines": rows})
			}
			return writeComparison(cmd.OutOrStdout(), rows)
		},
	}
	flags.add(cmd)
	routing.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVarP(&engines, "engines", "e", "all", "engines to compare, a,b,c or all")
	return cmd
}

// compareEngines routes and judges with each engine in turn.
func compareEngines(cmd *cobra.Command, g *fabric.Graph, specs []*route.Spec, flags *routeFlags) ([]comparison, error) {
	var rows []comparison
	for _, spec := range specs {
		row := comparison{Engine: spec.Name}
		err := withProgress(cmd, "comparing "+spec.Name, func(ctx context.Context) error {
			r, err := routeChain(ctx, g, []*route.Spec{spec}, flags)
			if err != nil {
				return err
			}
			row.LIDs, row.VLs, row.Seconds = r.plan.Ends.Total(), r.plan.VLs, r.seconds
			row.Judged, err = timed(func() (err error) {
				row.Check, err = check.Judge(ctx, g, r.plan, check.Options{Workers: flags.workers})
				return err
			})
			return err
		})
		var refusal *route.Refusal
		switch {
		case errors.As(err, &refusal):
			row.Refused = err.Error()
		case err != nil:
			return nil, err
		}
		row.PeakRSS = peakRSS()
		rows = append(rows, row)
	}
	return rows, nil
}

func writeComparison(w io.Writer, rows []comparison) error {
	out := [][]string{{"ENGINE", "VERDICT", "NO DEADLOCK", "VLs", "LIDs", "HOPS max/avg", "MINIMAL", "PATHS/CHANNEL max/avg", "ROUTE s", "JUDGE s"}}
	var refused []comparison
	for _, r := range rows {
		if r.Refused != "" {
			refused = append(refused, r)
			out = append(out, []string{r.Engine, "refused"})
			continue
		}
		c := r.Check
		out = append(out, []string{
			r.Engine, verdict(c), deadlockFree(c), count(r.VLs), count(r.LIDs),
			fmt.Sprintf("%d/%.2f", c.Hops.Max, c.Hops.Avg), minimal(c),
			fmt.Sprintf("%d/%.1f", c.Load.Max, c.Load.Avg),
			fmt.Sprintf("%.3f", r.Seconds), fmt.Sprintf("%.3f", r.Judged),
		})
	}
	if err := table(w, out); err != nil {
		return err
	}
	for _, r := range refused {
		fmt.Fprintln(w, "refused:", r.Refused)
	}
	return nil
}

// verdict is the judge's answer in one or two words.
func verdict(c *check.Report) string {
	switch {
	case c.OK:
		return "proven"
	case c.Unreachable > 0:
		return "unreachable pairs"
	case len(c.Faults) > 0:
		return "faulty"
	case c.DeadlockFree == check.No:
		return "can deadlock"
	}
	return "not proven"
}

// deadlockFree says for which traffic there is no deadlock.
func deadlockFree(c *check.Report) string {
	if c.DeadlockFree != check.Yes && c.HostOnly.DeadlockFree == check.Yes {
		return "hosts only"
	}
	return c.DeadlockFree.String()
}

// minimal says which pairs take a shortest way.
func minimal(c *check.Report) string {
	switch {
	case c.Minimal:
		return "yes"
	case c.HostPairs.NonMinimal == 0:
		return "hosts"
	}
	return "no"
}
