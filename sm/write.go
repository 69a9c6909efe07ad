package sm

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Write prints the report for people: how it ended, the figures, the SMPs by
// attribute, the time by phase and the incidents.
func (r *Report) Write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d switches, %d CAs, %d routers, %d links\n", r.State, r.Switches, r.CAs, r.Routers, r.Links)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	if len(r.Asked) > 0 {
		row("engine asked", "%s", strings.Join(r.Asked, ","))
		row("engine run", "%s", orNone(r.Engine))
		for _, s := range r.Skipped {
			row("", "refused: %s", s)
		}
	}
	if r.LIDs > 0 {
		row("LIDs", "%d (LMC %d), %d ports keep theirs, the subnet manager's is %d", r.LIDs, r.MaxLMC, r.LIDsKept, r.SMLID)
		row("lanes", "%d", r.VLs)
		row("tables", "%d of %d switches hold the new one", r.Tables, r.Switches)
		row("active", "%d of %d ends of links", r.Active, 2*r.Links)
	}
	row("proven", "%s", r.proof())
	row("SMPs", "%d sent, %d of them again", r.Sent, r.Retried)
	for _, n := range r.SMPs {
		row(fmt.Sprintf("  %s %s", n.Method, n.Attribute), "%d%s", n.Sent, failedText(n.Failed))
	}
	row("seconds", "%.3f", r.Seconds)
	for _, p := range r.Phases {
		row("  "+p.Name, "%.3f", p.Seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, i := range r.Incidents {
		fmt.Fprintf(&b, "%s: %s\n", i.Kind, i.Text)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *Report) proof() string {
	switch {
	case r.Check == nil:
		return "not judged"
	case r.Check.OK:
		return "yes, deadlock-free: " + r.Check.DeadlockFree.String()
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
