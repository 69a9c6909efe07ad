package lab

import (
	"fmt"
	"strconv"
	"strings"
)

// Printed is a row of a table printed in a paper: cells by column.
type Printed map[string]string

// ReadPrinted reads a printed table: tab-separated, the first line names the columns, and lines
// that start with # state the source.
func ReadPrinted(tsv string) []Printed {
	var header []string
	var out []Printed
	for line := range strings.Lines(tsv) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if header == nil {
			header = cells
			continue
		}
		row := Printed{}
		for i, name := range header {
			row[name] = cells[i]
		}
		out = append(out, row)
	}
	return out
}

// IsHeadline reports whether a place in a paper is its abstract or its conclusion.
func IsHeadline(place string) bool {
	return strings.HasPrefix(place, "abstract") || strings.HasPrefix(place, "conclusion")
}

// headlines returns the claims, by ClaimName, that judge the paper's abstract and conclusion.
func (r *Reproduction) headlines() map[string]bool {
	names := map[string]bool{}
	for _, row := range ReadPrinted(r.Sentences) {
		if row["claim"] != "-" && IsHeadline(row["place"]) {
			names[ClaimName(row["artefact"], row["claim"])] = true
		}
	}
	return names
}

// Number returns the number in a column, 0 if the cell has none ("-").
func (p Printed) Number(column string) float64 {
	cell, ok := p[column]
	if !ok {
		Check(fmt.Errorf("lab: a printed table has no column %q", column))
	}
	if cell == "" || cell == "-" {
		return 0
	}
	return Must(strconv.ParseFloat(cell, 64))
}

// Int returns the whole number in a column.
func (p Printed) Int(column string) int { return int(p.Number(column)) }
