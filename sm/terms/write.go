package terms

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/fold"
	"weft/judge/quality"
)

// Write prints the report as text: state, figures, SMPs by attribute, time by phase, and incidents.
func (r *Report) Write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d switches, %d CAs, %d routers, %d links\n", r.State, r.Found.Switches, r.Found.CAs, r.Found.Routers, r.Found.Links)
	var rows [][]string
	row := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if len(r.Routing.Asked) > 0 {
		row("engine asked", "%s", strings.Join(r.Routing.Asked, ","))
		row("engine run", "%s", orNone(r.Routing.Engine))
		for _, s := range r.Routing.Refused {
			row("", "refused: %s", s)
		}
		if r.Routing.Choice != "" {
			row("", "auto: %s", r.Routing.Choice)
		}
		if r.Routing.Kept != "" {
			row("old Plan", "%s", r.Routing.Kept)
		}
	}
	if l := r.LIDs; l.Total > 0 {
		row("LIDs", "%d (LMC %d); %d ports keep their LID; the subnet manager has LID %d", l.Total, l.MaxLMC, l.Kept, l.SM)
		row("lanes", "%d", r.Routing.VLs)
		row("tables", "%d of %d switches hold their new table", r.Written.Tables, r.Found.Switches)
		row("active", "%d of %d ends of links", r.Written.Active, 2*r.Found.Links)
	}
	for _, name := range r.Drained {
		row("drained", "%s", name)
	}
	row("proven", "%s", Proof(r.Routing.Check))
	for _, line := range r.Routing.NotTold {
		row("hosts not told", "%s", line)
	}
	row("SMPs", "%d sent, %d of them repetitions", r.SMPs.Sent, r.SMPs.Retried)
	for _, n := range r.SMPs.By {
		row(fmt.Sprintf("  %s %s", n.Method, n.Attribute), "%d%s", n.Sent, failedText(n.Failed))
	}
	row("seconds", "%.3f", r.Time.Seconds)
	for _, p := range r.Time.Phases {
		row("  "+p.Name, "%.3f", p.Seconds)
	}
	b.WriteString(fold.Rows(rows))
	for _, i := range r.Incidents {
		fmt.Fprintf(&b, "%s: %s\n", i.Kind, i.Text) // one line each, of any width: people search them
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// Proof returns the judge's verdict in words.
func Proof(r *quality.Report) string {
	switch {
	case r == nil:
		return "not judged"
	case r.OK:
		return "yes, deadlock-free: " + r.DeadlockFree.String()
	}
	return "no"
}

func failedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d failed", n)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
