package opensm

import (
	"bytes"
	"fmt"
	"io"

	"weft/internal/fold"
)

// Report is the JSON document of an import or export.
type Report struct {
	LIDs     int       `json:"lids"`     // ports with LIDs
	Settings []Setting `json:"settings"` // of weft sm
	Notes    []Note    `json:"notes"`
	Written  []string  `json:"written"` // written files; none if nothing was to be written

	Errors []string `json:"errors,omitempty"` // nothing was written because of these
}

// counted lists the headings of the notes, the worst first.
var counted = []struct {
	fate  Fate
	words string
}{
	{Unknown, "unknown, left out"},
	{Wrong, "wrong there too: OpenSM does not take it either"},
	{Left, "without counterpart, or different"},
	{TakenAs, "taken as something near it"},
	{Taken, "taken over"},
	{Idle, "not needed"},
}

// Write prints the report as text.
func (r *Report) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, c := range counted {
		n := 0
		for i := range r.Notes {
			if note := &r.Notes[i]; note.Fate == c.fate {
				if n++; n == 1 {
					fmt.Fprintf(&b, "%s:\n", c.words)
				}
				note.write(&b)
			}
		}
	}
	fmt.Fprintf(&b, "LIDs of %d ports", r.LIDs)
	if len(r.Settings) > 0 {
		fmt.Fprintf(&b, ", %d options of weft sm", len(r.Settings))
	}
	if len(r.Written) == 0 {
		b.WriteString("; nothing written")
	}
	b.WriteString("\n")
	_, err := b.WriteTo(w)
	return err
}

// write prints a note.
func (n *Note) write(b *bytes.Buffer) {
	at := n.File
	if n.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, n.Line)
	}
	text := n.Text
	if what := n.Option; what != "" {
		if n.Value != "" {
			what += " " + n.Value
		}
		text = what + ": " + text
	}
	fmt.Fprintf(b, "  %s\n    %s\n", at, fold.Text(4, text))
}
