package show

import (
	"fmt"
	"io"
	"strings"

	"weft/fabric/cables"
	"weft/study"
)

// oddCables counts the cables to look at.
func oddCables(r *cables.Report) string {
	pattern := "no pattern to hold them against"
	if r.Pattern != cables.NoPattern {
		pattern = "held against the pattern of a " + r.Pattern
	}
	if r.Rails > 0 {
		pattern += fmt.Sprintf(", servers against %d rails", r.Rails)
	}
	if len(r.Cables) == 0 {
		return "none (" + pattern + ")"
	}
	parts := make([]string, 0, len(r.Counts))
	for _, k := range r.Kinds() {
		word := string(k)
		if k == cables.Errors {
			word = "with errors"
		}
		parts = append(parts, fmt.Sprintf("%d %s", r.Counts[k], word))
	}
	return strings.Join(parts, ", ") + " (" + pattern + ")"
}

// writeCables lists the cables to look at, the worst first.
func writeCables(w io.Writer, r *cables.Report, shown int) error {
	study.WriteSome(w, "notes", r.Notes, shown)
	if len(r.Cables) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nodd cables:")
	var rows [][]string
	for i := range r.Cables[:min(len(r.Cables), shown)] {
		o := &r.Cables[i]
		rows = append(rows, []string{"  " + string(o.Kind), r.Name(o) + ": " + o.Text})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if more := len(r.Cables) - shown; more > 0 {
		fmt.Fprintf(w, "  and %d more (-v lists all)\n", more)
	}
	return nil
}
