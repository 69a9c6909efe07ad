package lab

import (
	"fmt"
	"strconv"
	"strings"
)

// Printed is a row of a table that a paper prints: cell by column.
type Printed map[string]string

// ReadPrinted reads such a table: tab-separated, the first line names the columns, and
// a line with # in front says where it is from.
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

// Number is the number in a column, 0 where a cell has none ("-").
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

// Int is the whole number in a column.
func (p Printed) Int(column string) int { return int(p.Number(column)) }
