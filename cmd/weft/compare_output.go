package main

import (
	"fmt"
	"io"
	"slices"

	"weft/route/check"
	"weft/route/quality"
)

func writeComparison(w io.Writer, rows []comparison) error {
	out := [][]string{{
		"ENGINE", "REACHABLE", "VERDICT", "NO DEADLOCK", "VLs", "LIDs", "HOPS max/avg", "MINIMAL", "PATHS/CHANNEL max/avg",
		"EBB", "ROUTE s", "JUDGE s", "MB",
	}}
	var refused []comparison
	for _, r := range rows {
		if r.Refused != "" {
			refused = append(refused, r)
			out = append(out, []string{r.Engine, "refused"})
			continue
		}
		c := r.Check
		out = append(out, []string{
			r.Engine, reachable(c), verdict(c), deadlockFree(c), count(r.VLs), count(r.LIDs),
			fmt.Sprintf("%d/%.2f", c.Hops.Max, c.Hops.Avg), minimal(c),
			fmt.Sprintf("%d/%.1f", c.Load.Max, c.Load.Avg), fmt.Sprintf("%.4f", r.ebb()),
			fmt.Sprintf("%.3f", r.Seconds), fmt.Sprintf("%.3f", r.Judged), fmt.Sprintf("%.0f", r.RouteRSS),
		})
	}
	if !slices.ContainsFunc(rows, func(r comparison) bool { return r.RouteRSS > 0 }) {
		for i, row := range out {
			out[i] = row[:min(len(row), len(out[0])-1)]
		}
	}
	if err := table(w, out); err != nil {
		return err
	}
	for _, r := range refused {
		fmt.Fprintln(w, "refused:", r.Refused)
	}
	return nil
}

// reachable says whether every pair that has a way is delivered.
func reachable(c *quality.Report) string {
	if lost := c.Unreachable + c.Discarded; lost > 0 {
		return fmt.Sprintf("%d lost", lost)
	}
	return "yes"
}

// verdict is the judge's answer in one or two words.
func verdict(c *quality.Report) string {
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
func deadlockFree(c *quality.Report) string {
	if c.DeadlockFree != check.Yes && c.HostOnly.DeadlockFree == check.Yes {
		return "hosts only"
	}
	return c.DeadlockFree.String()
}

// minimal says which pairs take a shortest way.
func minimal(c *quality.Report) string {
	switch {
	case c.Minimal:
		return "yes"
	case c.HostPairs.NonMinimal == 0:
		return "hosts"
	}
	return "no"
}
