package whatif

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/judge/check"
	"weft/sim/flow"
	"weft/study"
)

// namesShown limits the names in one line.
const namesShown = 3

// list joins the first names, and counts the others.
func list(names []string) string {
	text := strings.Join(names[:min(len(names), namesShown)], ", ")
	if more := len(names) - namesShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// price describes the cost of a change that may be made.
func (a *Answer) price(best *State) string {
	text := fmt.Sprintf("every pair of %ss keeps a way", a.port())
	if best.lost() > 0 {
		text = fmt.Sprintf("%d of %d pairs of %ss stay lost, no more than today", best.lost(), best.Pairs, a.port())
	}
	if a.AsIs.lost() > a.Today.lost() {
		text += fmt.Sprintf("; %s of pairs lost until the tables are written", percent(a.AsIs.lost(), a.AsIs.Pairs))
		if a.Today.lost() > 0 {
			text += fmt.Sprintf(" (%s are today)", percent(a.Today.lost(), a.Today.Pairs))
		}
	} else if a.AsIs.lost() > 0 {
		text += fmt.Sprintf("; until the tables are written no more pairs are lost than today (%s)", percent(a.AsIs.lost(), a.AsIs.Pairs))
	} else {
		text += ", and none is lost meanwhile"
	}
	if degraded := a.DegradedText(); degraded != "" {
		text += "; " + degraded
	}
	if a.Mixture != nil && best == a.Repaired && a.Mixture.Deadlock.DeadlockFree == check.No {
		text += "; while the tables are written packets can deadlock"
	}
	if best.Writes.MovedLIDs == 0 && len(a.Change.Added)+len(a.Change.Moved) > 0 {
		text += "; no LID moves"
	}
	fall, fresh := a.fall(best), a.fall(a.Fresh)
	switch {
	case fall < noticed:
	case fresh < fall-noticed && best != a.Fresh:
		text += fmt.Sprintf("; %.1f %% less bisection bandwidth after a repair, %.1f %% after a fresh routing", 100*fall, 100*max(fresh, 0))
	default:
		text += fmt.Sprintf("; %.1f %% less bisection bandwidth", 100*fall)
	}
	return text
}

// noticed is the least loss of bisection bandwidth that the verdict mentions, as a share.
const noticed = .005

// fall returns the lost share of the present bisection bandwidth, 1 without a routing.
func (a *Answer) fall(s *State) float64 {
	switch {
	case s == nil:
		return 1
	case s.Figures == nil || a.Today.Figures == nil || a.Today.Figures.EBB.Mean == 0:
		return 0
	}
	return 1 - s.Figures.EBB.Mean/a.Today.Figures.EBB.Mean
}

func percent(part, of int64) string {
	switch share := 100 * float64(part) / float64(max(of, 1)); {
	case part > 0 && share < .1:
		return "less than 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", share)
	}
}

// Write prints the answer for people: the verdict, what changes, and the figures side by side.
func (a *Answer) Write(w io.Writer) error {
	verdict := "NO: "
	if a.OK {
		verdict = "YES: "
	}
	study.Remark(w, verdict, a.Reason)
	fmt.Fprintln(w)
	a.Change.Write(w)
	fmt.Fprintln(w)
	if err := study.Table(w, a.rows()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	a.writeRemarks(w)
	return nil
}

// Write prints the changed parts, the first of each list.
func (p *Parts) Write(w io.Writer) {
	for _, part := range []struct {
		what  string
		names []string
	}{{"fails", p.failed}, {"drained", p.drained}, {"added", p.added}, {"moved", p.Moved}} {
		for i, name := range part.names {
			if i == namesShown {
				fmt.Fprintf(w, "%-9sand %d more (--json lists all)\n", "", len(part.names)-i)
				break
			}
			study.Remark(w, fmt.Sprintf("%-9s", part.what), name)
			part.what = ""
		}
	}
}

// writeRemarks prints the losses of hosts, and the reasons for missing routings.
func (a *Answer) writeRemarks(w io.Writer) {
	if a.AsIs.Losing > a.Today.Losing {
		fmt.Fprintf(w, "under the old tables %s are lost, of %s:\n", study.Plural(a.AsIs.lost(), "pair"), study.Plural(a.AsIs.Losing, a.port()))
		for _, name := range a.AsIs.First[:min(len(a.AsIs.First), namesShown)] {
			fmt.Fprintln(w, " ", name)
		}
		if more := a.AsIs.Losing - namesShown; more > 0 {
			fmt.Fprintf(w, "  and %d more (--json lists the first %d)\n", more, hostsShown)
		}
		if len(a.Change.Failed) > 0 && a.OK && a.Today.lost() == 0 {
			fmt.Fprintln(w, "with --drain instead of --fail none is lost: tables first, then pull it")
		}
	}
	if a.NotRepaired != "" {
		study.Remark(w, "no repair: ", strings.TrimPrefix(a.NotRepaired, "repair: "))
	}
	if a.NotFresh != "" {
		study.Remark(w, "no fresh routing: ", a.NotFresh)
	}
	if m := a.Mixture; m != nil {
		study.Remark(w, "while the repair is written: ", mixture(m))
	}
	fmt.Fprintf(w, "time to write: blocks of tables alone, %d at a time, %.4g ms a round trip\n", a.Pace.Window, 1e3*a.Pace.RoundTrip)
}

func mixture(m *check.Mixture) string {
	var bad []string
	if m.LoopLIDs > 0 {
		bad = append(bad, fmt.Sprintf("packets to %s can loop", study.Plural(m.LoopLIDs, "LID")))
	}
	switch m.Deadlock.DeadlockFree {
	case check.No:
		bad = append(bad, "packets can deadlock")
	case check.Unknown:
		bad = append(bad, "nobody knows whether packets can deadlock")
	case check.Yes:
	}
	if len(bad) == 0 {
		return "old and new tables, mixed in any order, neither loop nor deadlock"
	}
	return strings.Join(bad, ", ")
}

// rows returns the figures of the present routing, the old tables, a repair and a fresh routing.
func (a *Answer) rows() [][]string {
	states := []*State{a.Today, a.AsIs, a.Repaired, a.Fresh}
	rows := [][]string{{"", "today", "old tables", "repaired", "fresh"}}
	add := func(what string, of func(s *State) string) {
		row := []string{what}
		for _, s := range states {
			if s == nil {
				row = append(row, "-")
			} else {
				row = append(row, of(s))
			}
		}
		rows = append(rows, row)
	}
	figure := func(what string, of func(k *flow.KeyFigures) string) {
		add(what, func(s *State) string {
			if s.Figures == nil {
				return "-"
			}
			return of(s.Figures)
		})
	}
	written := func(what string, of func(w *Writes) string) {
		add(what, func(s *State) string {
			if s.Writes == nil {
				return "-"
			}
			return of(s.Writes)
		})
	}
	add("pairs of "+a.port()+"s", func(s *State) string { return fmt.Sprint(s.Pairs) })
	if slices.ContainsFunc(states, func(s *State) bool { return s != nil && s.Apart > 0 }) {
		add("  in different planes", func(s *State) string { return fmt.Sprint(s.Apart) })
	}
	add("  lost", func(s *State) string { return fmt.Sprint(s.lost()) })
	add("  of these without a way", func(s *State) string { return fmt.Sprint(s.cutOff()) })
	figure("bisection bandwidth", func(k *flow.KeyFigures) string { return fmt.Sprintf("%.4f", k.EBB.Mean) })
	figure("all-to-all by shifts", unlessLost(func(k *flow.KeyFigures) string { return fmt.Sprintf("%.0f", k.Shift.Sum) }))
	figure("most pairs on a channel", unlessLost(func(k *flow.KeyFigures) string { return fmt.Sprint(k.PairLoad) }))
	add("deadlock-free", func(s *State) string { return s.DeadlockFree.String() })
	add("lanes", func(s *State) string {
		if s.VLs == 0 {
			return "unknown"
		}
		return fmt.Sprint(s.VLs)
	})
	add("routed by", func(s *State) string { return s.Engine })
	written("LIDs moved", func(w *Writes) string { return fmt.Sprint(w.MovedLIDs) })
	written("LIDs new", func(w *Writes) string { return fmt.Sprint(w.NewLIDs) })
	written("entries that change", func(w *Writes) string { return fmt.Sprint(w.Entries) })
	written("blocks to write", func(w *Writes) string { return fmt.Sprint(w.Blocks) })
	written("switches to write to", func(w *Writes) string { return fmt.Sprint(w.Switches) })
	written("time to write", func(w *Writes) string { return study.Duration(w.Seconds) })
	return rows
}

// unlessLost hides a figure where pairs are lost: lost pairs load no channel, so the figure would
// look too good.
func unlessLost(of func(k *flow.KeyFigures) string) func(k *flow.KeyFigures) string {
	return func(k *flow.KeyFigures) string {
		if k.Undelivered > 0 {
			return "-"
		}
		return of(k)
	}
}
