package opensm

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/internal/fold"
)

// Report is the JSON document of an import or export.
type Report struct {
	LIDs     int       `json:"lids"`     // ports with LIDs
	Settings []Setting `json:"settings"` // of weft sm
	Notes    []Note    `json:"notes"`
	Written  []string  `json:"written"` // written files; none if nothing was to be written

	Errors []string `json:"errors,omitempty"` // nothing was written because of these

	All bool `json:"-"` // Write prints every unknown option, and does not only count them by family
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
	unknown := 0
	for i := range r.Notes {
		if r.Notes[i].Fate == Unknown && r.Notes[i].Line > 0 {
			unknown++
		}
	}
	all := r.All || unknown <= mostInFull
	for _, c := range counted {
		n := 0
		for i := range r.Notes {
			if note := &r.Notes[i]; note.Fate == c.fate {
				if n++; n == 1 {
					fmt.Fprintf(&b, "%s:\n", c.words)
				}
				if c.fate != Unknown || all || note.Line == 0 {
					note.write(&b)
				}
			}
		}
		if c.fate == Unknown && !all {
			r.writeFamilies(&b)
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

// writeFamilies prints the unknown options of each file by family: options with the same first word
// are one. A vendor's file has many.
func (r *Report) writeFamilies(b *bytes.Buffer) {
	var files []string
	of := map[string][]string{}
	for i := range r.Notes {
		if n := &r.Notes[i]; n.Fate == Unknown && n.Line > 0 {
			if of[n.File] == nil {
				files = append(files, n.File)
			}
			of[n.File] = append(of[n.File], visible(n.Option))
		}
	}
	for _, file := range files {
		options := "option"
		if len(of[file]) > 1 {
			options = "options"
		}
		text := fmt.Sprintf("%d %s that neither OpenSM 3.3.23 nor weft knows, perhaps a vendor's (-v lists them with their lines): %s", len(of[file]), options, families(of[file]))
		fmt.Fprintf(b, "  %s\n    %s\n", file, fold.Text(4, text))
	}
}

// mostInFull is the number of unknown options that a report always lists one by one.
const mostInFull = 10

// mostFamilies is the number of families that families names.
const mostFamilies = 40

// families counts options by their first word, the most frequent first. An option that stands alone
// is named in full.
func families(options []string) string {
	of := map[string][]string{}
	for _, o := range options {
		word, _, _ := strings.Cut(o, "_")
		of[word] = append(of[word], o)
	}
	words := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(of[b]), len(of[a])), cmp.Compare(a, b))
	})
	var list []string
	rest := 0
	for i, word := range words {
		switch n := len(of[word]); {
		case i >= mostFamilies:
			rest += n
		case n == 1:
			list = append(list, of[word][0])
		default:
			list = append(list, fmt.Sprintf("%s_* (%d)", word, n))
		}
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(list, ", ")
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
	fmt.Fprintf(b, "  %s\n    %s\n", at, fold.Text(4, visible(text)))
}

// visible escapes characters that a terminal hides or obeys, such as a byte order mark.
func visible(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) {
		return text
	}
	return strings.Trim(strconv.QuoteToGraphic(strings.ReplaceAll(text, `"`, "'")), `"`)
}
