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
