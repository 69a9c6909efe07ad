package naming

import (
	"embed"
	"fmt"
	"strconv"

	"weft/lab"
)

// The printed tables, and the network of Fig. 1 of paper 002.
//
//go:embed published/*.tsv
var published embed.FS

// printed is a row of a published table: cell by column.
type printed lab.Printed

// readTable reads a published table. The files are part of the program, so a fault in
// one is a fault of ours.
func readTable(name string) []printed {
	data, err := published.ReadFile("published/" + name + ".tsv")
	if err != nil {
		panic(err)
	}
	var out []printed
	for _, row := range lab.ReadPrinted(string(data)) {
		out = append(out, printed(row))
	}
	return out
}

// value is the number in a column.
func (p printed) value(column string) float64 {
	v, err := strconv.ParseFloat(p[column], 64)
	if err != nil {
		panic(fmt.Sprintf("naming: column %s of a published table: %v", column, err))
	}
	return v
}

// whole is the whole number in a column.
func (p printed) whole(column string) int { return int(p.value(column)) }
