package job

import (
	"fmt"
	"strings"
	"time"

	"weft/mapping"
)

// Rows returns the report for people, as rows of a subject and text.
func (r *Report) Rows() [][]string {
	rows := [][]string{
		{"algorithm", r.Algorithm + ", " + r.Collision + " routing, from " + r.Mapper},
		{"map", fmt.Sprintf("%d hosts, %d switches, %d wires", r.Hosts, r.Switches, r.Wires)},
		{"network", fmt.Sprintf("Q %d, D %d, F %d nodes", r.Q, r.D, r.F)},
	}
	rows = append(rows, r.probeRows()...)
	if r.Explorations > 0 {
		rows = append(rows, []string{"explorations", fmt.Sprintf("%d, model graph up to %d nodes", r.Explorations, r.ModelPeak)})
	}
	if e := r.Election; e != nil {
		rows = append(rows, []string{"election", fmt.Sprintf("%.1f ms until one was left, %d probes of all hosts, %d messages", e.ElectedMS, e.Probes, e.Messages)})
	}
	if p := r.Parallel; p != nil {
		text := fmt.Sprintf("%d hosts, %d rounds, %d messages between them", p.Hosts, p.Rounds, p.Messages)
		if p.Resent > 0 {
			text += fmt.Sprintf(", %d of them sent again, %d lost", p.Resent, p.Unheard)
		}
		rows = append(rows, []string{"parallel", text})
	}
	rows = append(rows, r.surveyRows()...)
	verdict := "yes"
	if !r.Isomorphic {
		verdict = "NO: " + r.Difference
	}
	rows = append(rows, []string{"time", fmt.Sprintf("%.1f ms (modelled)", r.ModelledMS)}, []string{"isomorphic", verdict})
	return append(rows, r.Routes.rows()...)
}

// probeRows returns the probes by kind, and the outcomes of undelivered ones.
func (r *Report) probeRows() [][]string {
	rows := [][]string{{"probes", fmt.Sprintf("%d sent, %d answered", r.Probes.Total, r.Answered.Total)}}
	for _, k := range []struct {
		name           string
		sent, answered int
	}{
		{"host", r.Probes.Host, r.Answered.Host},
		{"switch", r.Probes.Switch, r.Answered.Switch},
		{"loop", r.Probes.Loop, r.Answered.Loop},
		{"compare", r.Probes.Compare, r.Answered.Compare},
	} {
		if k.sent > 0 {
			rows = append(rows, []string{"  " + k.name, fmt.Sprintf("%d sent, %d answered (%d %%)", k.sent, k.answered, 100*k.answered/k.sent)})
		}
	}
	for o := range mapping.Outcome(mapping.Outcomes) {
		if n := r.Outcomes[o.String()]; n > 0 && o != mapping.Delivered {
			rows = append(rows, []string{"  " + o.String(), fmt.Sprint(n)})
		}
	}
	return rows
}

// doubtsShown is the maximum number of printed places in doubt.
const doubtsShown = 10

// surveyRows returns the cost of a survey and the places in doubt.
func (r *Report) surveyRows() (rows [][]string) {
	if s := r.Survey; s != nil {
		text := fmt.Sprintf("%d probes in %d passes, %.1f ms", s.Probes, s.Passes, s.ModelledMS)
		if s.GaveUp > 0 {
			text += fmt.Sprintf(" (the algorithm gave up after %d: the survey started without a hint)", s.GaveUp)
		}
		rows = append(rows, []string{"survey", text})
	}
	rows = append(rows, []string{"certain", r.certainty()})
	for i, d := range r.InDoubt {
		if i == doubtsShown {
			return append(rows, []string{"  in doubt", fmt.Sprintf("and %d more (--json prints all)", len(r.InDoubt)-i)})
		}
		rows = append(rows, []string{"  in doubt", fmt.Sprintf("%s: %d probes silent, lost with a chance of %.2g", d.Where, d.Tries, d.Chance)})
	}
	return rows
}

// certainty says whether the mapper knows that its map is right, and why not.
func (r *Report) certainty() string {
	switch {
	case r.Certain:
		return "yes"
	case len(r.InDoubt) > 0:
		return fmt.Sprintf("NO: %d places in doubt", len(r.InDoubt))
	case r.Unexplored > 0:
		return fmt.Sprintf("NO: %d switches found and not explored", r.Unexplored)
	}
	return "NO: silence was believed in traffic"
}

// rows returns the results for the routes.
func (r *RoutesReport) rows() [][]string {
	if r == nil {
		return nil
	}
	root := r.Root
	if k := len(r.Relabelled); k > 0 {
		root += fmt.Sprintf("; locally dominant and relabelled: %d", k)
	}
	return [][]string{
		{"routes", fmt.Sprintf("%d pairs of hosts, %d tried with success", r.Pairs, r.Delivered)},
		{"  root", root},
		{"  deadlock-free", r.DeadlockFree},
		{"  distribution", fmt.Sprintf("%d messages, %d not answered, %d bytes, %.1f ms (modelled)", r.Messages, r.Unheard, r.Bytes, r.ModelledMS)},
	}
}

func duration(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond / 10)
}

// String returns the map of a changing network as lines for people.
func (r *RoundReport) String() string {
	verdict := "right"
	switch {
	case !r.Certain && len(r.InDoubt) > 0:
		verdict = fmt.Sprintf("UNCERTAIN at %d places", len(r.InDoubt))
	case !r.Certain:
		verdict = "UNCERTAIN: no two maps in a row were the same"
	case r.Isomorphic && r.During:
		verdict = fmt.Sprintf("right as of %v", duration(r.AsOfMS))
	case !r.Isomorphic:
		verdict = "WRONG: " + r.Difference
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v  by %s: %d probes, %.1f ms: %d hosts, %d switches, %d wires: %s\n", duration(r.BeginMS), r.Mapper, r.Probes, r.EndMS-r.BeginMS, r.Hosts, r.Switches, r.Wires, verdict)
	for _, c := range r.Changes {
		b.WriteString("    " + c + "\n")
	}
	for i, d := range r.InDoubt {
		if i == doubtsShown {
			fmt.Fprintf(&b, "    and %d more places in doubt (--json prints all)\n", len(r.InDoubt)-i)
			break
		}
		b.WriteString("    in doubt: " + d.Where + "\n")
	}
	return b.String()
}
