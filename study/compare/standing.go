package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/fold"
	"weft/route/engine"
	"weft/study"
)

// Standing compares one engine with the best proven engine on each fabric of a sweep. Best is taken
// figure by figure among the named engines. auto is compared with them, and may be ahead of all
// (shares below 0).
type Standing struct {
	Engine  string
	Fabrics int // number of fabrics that it routed with a proof
	// Refused, NotProven and NotRun are the numbers of all others.
	Refused, NotProven, NotRun int
	// EBB and Shift are shares: the engine's distance from the best. Pairs is the ratio of its
	// largest number of pairs on a channel to the least of any engine, 1 for the best.
	EBB, Shift, Pairs Behind
}

// Behind sums up one figure of a Standing over the fabrics that the engine routed.
type Behind struct {
	Mean   float64
	Most   float64
	Where  string // the fabric of Most
	Within int    // number of fabrics on which it is as good as the best, by asGoodShare or asGoodPairs
}

// An engine counts as good as the best up to a share behind in EBB or Shift, or a ratio of Pairs.
const (
	asGoodShare = .01
	asGoodPairs = 1.15
)

// Standings compares the engines of a sweep, in the order of their first rows.
func Standings(rows []SweepRow) (out []Standing) {
	byFabric := map[string][]*SweepRow{}
	var fabrics []string
	at := map[string]int{}
	for i := range rows {
		r := &rows[i]
		if byFabric[r.Fabric] == nil {
			fabrics = append(fabrics, r.Fabric)
		}
		byFabric[r.Fabric] = append(byFabric[r.Fabric], r)
		if _, known := at[r.Engine]; !known {
			at[r.Engine] = len(out)
			out = append(out, Standing{Engine: r.Engine})
		}
	}
	for _, name := range fabrics {
		best := bestOf(byFabric[name]) // there is one if a row is proven
		for _, r := range byFabric[name] {
			s := &out[at[r.Engine]]
			if r.Verdict != Proven {
				s.without(r.Verdict)
				continue
			}
			s.Fabrics++
			s.EBB.add(ratio(best.EBB-r.EBB, best.EBB), asGoodShare, name)
			s.Shift.add(ratio(r.Shift-best.Shift, r.Shift), asGoodShare, name)
			s.Pairs.add(ratio(float64(r.Pairs), float64(best.Pairs)), asGoodPairs, name)
		}
	}
	for i := range out {
		s := &out[i]
		for _, b := range []*Behind{&s.EBB, &s.Shift, &s.Pairs} {
			b.Mean /= float64(max(s.Fabrics, 1))
		}
	}
	return out
}

// without counts a fabric without a proven Plan.
func (s *Standing) without(verdict string) {
	switch verdict {
	case notProven:
		s.NotProven++
	case notRun:
		s.NotRun++
	default:
		s.Refused++
	}
}

// bestOf returns the best of each figure over the proven rows, perhaps of several engines. Rows of
// auto count only if there are no others. Other fields of best mean nothing.
func bestOf(rows []*SweepRow) (best SweepRow) {
	found := false
	named := func(r *SweepRow) bool { return r.Verdict == Proven && r.Engine != engine.Auto }
	among := slices.ContainsFunc(rows, named)
	for _, r := range rows {
		switch {
		case r.Verdict != Proven || among && !named(r):
		case !found:
			best, found = *r, true
		default:
			best.EBB, best.Shift, best.Pairs = max(best.EBB, r.EBB), min(best.Shift, r.Shift), min(best.Pairs, r.Pairs)
		}
	}
	return best
}

// ratio returns a/b, or 0 where b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// add counts one fabric. Mean is the sum until Standings divides it.
func (b *Behind) add(value, limit float64, fabric string) {
	b.Mean += value
	if b.Where == "" || value > b.Most {
		b.Most, b.Where = value, fabric
	}
	if value <= limit {
		b.Within++
	}
}

// WriteStandings prints two tables for people: how far each engine is behind the best, and on which
// fabric the most.
func WriteStandings(w io.Writer, all []Standing) error {
	rows := [][]string{{"ENGINE", "FABRICS", "REFUSED", "UNPROVEN", "NOT RUN", "EBB", "<1 %", "SHIFTS", "<1 %", "PAIRS", "<1.15"}}
	most := [][]string{{"ENGINE", "MOST BEHIND", "ON"}}
	for i := range all {
		s := &all[i]
		counts := []string{s.Engine, fmt.Sprint(s.Fabrics), fmt.Sprint(s.Refused), fmt.Sprint(s.NotProven), fmt.Sprint(s.NotRun)}
		if s.Fabrics == 0 { // not behind by 0, but not in the race
			rows = append(rows, append(counts, "-", "-", "-", "-", "-", "-"))
			continue
		}
		rows = append(rows, append(counts,
			fmt.Sprintf("%.1f/%.1f %%", 100*s.EBB.Mean, 100*s.EBB.Most), fmt.Sprint(s.EBB.Within),
			fmt.Sprintf("%.1f/%.1f %%", 100*s.Shift.Mean, 100*s.Shift.Most), fmt.Sprint(s.Shift.Within),
			fmt.Sprintf("%.2f/%.2f", s.Pairs.Mean, s.Pairs.Most), fmt.Sprint(s.Pairs.Within)))
		most = append(most, []string{s.Engine, "in ebb", s.EBB.Where}, []string{"", "in shifts", s.Shift.Where})
	}
	note := ""
	if slices.ContainsFunc(all, func(s Standing) bool { return s.Engine == engine.Auto }) {
		note = " (auto is not among the best; less than 0 is ahead of all)"
	}
	if _, err := fmt.Fprintf(w, "Behind the best proven engine, mean/most, and on how many fabrics by\nless than this%s:\n", note); err != nil {
		return err
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if len(most) == 1 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return study.Table(w, most)
}

// WriteBehind lists the fabrics on which an engine is behind the best by more than a share of
// bisection bandwidth or of shifts. It names the engines ahead, and the price that they pay.
func WriteBehind(w io.Writer, rows []SweepRow, name string) error {
	table, reasons := [][]string{{"FABRIC", "EBB", "BEST", "", "SHIFTS", "BEST", "", "PAIRS", "LEAST", ""}}, ""
	for i := range rows {
		r := &rows[i]
		if r.Engine != name || r.Verdict != Proven {
			continue
		}
		ebb, shift, pairs := r, r, r
		for j := range rows {
			if o := &rows[j]; o.Fabric == r.Fabric && o.Verdict == Proven && o.Engine != engine.Auto {
				if o.EBB > ebb.EBB {
					ebb = o
				}
				if o.Shift < shift.Shift {
					shift = o
				}
				if o.Pairs < pairs.Pairs {
					pairs = o
				}
			}
		}
		if ebb.EBB <= r.EBB/(1-asGoodShare) && shift.Shift >= r.Shift*(1-asGoodShare) {
			continue
		}
		table = append(table, []string{
			r.Fabric, fmt.Sprintf("%.4f", r.EBB), fmt.Sprintf("%.4f", ebb.EBB), ebb.Engine,
			fmt.Sprintf("%.0f", r.Shift), fmt.Sprintf("%.0f", shift.Shift), shift.Engine,
			fmt.Sprint(r.Pairs), fmt.Sprint(pairs.Pairs), pairs.Engine,
		})
		reasons += fmt.Sprintf("%s (%s)\n    %s\n", r.Fabric, r.Chosen, fold.Text(4, r.why(ebb, shift)))
	}
	if len(table) == 1 {
		_, err := fmt.Fprintf(w, "%s is within 1 %% of the best proven engine on all fabrics it routes\n", name)
		return err
	}
	if err := study.Table(w, table); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nWhat those ahead give up for it, or why %s is not ahead:\n%s", name, reasons)
	return err
}

// why compares a row with the engines ahead of it: the engine with the most bandwidth, and the one
// with the least congestion in shifts. It names the figures that they give up.
func (r *SweepRow) why(ebb, shift *SweepRow) string {
	var parts []string
	if ebb.EBB > r.EBB/(1-asGoodShare) {
		parts = append(parts, r.against(ebb, false))
	}
	if shift.Shift < r.Shift*(1-asGoodShare) && (len(parts) == 0 || shift != ebb) {
		parts = append(parts, r.against(shift, true))
	}
	return strings.Join(parts, "; ")
}

// against compares another row with this one: where it is better, bandwidth or shifts, and how the
// other figure differs.
func (r *SweepRow) against(o *SweepRow, byShifts bool) string {
	bandwidth, shifts := percent(o.EBB, r.EBB)+" bandwidth", percent(o.Shift, r.Shift)+" congestion in shifts"
	gain, other, better := bandwidth, shifts, o.Shift <= r.Shift
	if byShifts {
		gain, other, better = shifts, bandwidth, o.EBB >= r.EBB
	}
	switch {
	case !better:
		return fmt.Sprintf("%s: %s, but %s", o.Engine, gain, other)
	case r.Engine != engine.Auto:
		return fmt.Sprintf("%s: %s, and %s", o.Engine, gain, other)
	case !engine.Tries(o.Engine):
		return fmt.Sprintf("%s: %s, and %s, but auto does not try it, since it may deadlock elsewhere", o.Engine, gain, other)
	}
	return fmt.Sprintf("%s: %s, and %s, but auto has not tried it on so large a fabric", o.Engine, gain, other)
}

// percent formats the difference between two figures.
func percent(a, b float64) string {
	share := 100 * (ratio(a, b) - 1)
	if share < 0 {
		return fmt.Sprintf("%.1f %% less", -share)
	}
	return fmt.Sprintf("%.1f %% more", share)
}
