package dfsssp

import (
	_ "embed"
	"strings"
)

// The printed tables, and the numbers of the text. Counts of Table I are derived
// from its parameters.
var (
	//go:embed published/table1_topologies.tsv
	publishedTable1 string
	//go:embed published/table2_nas_deimos.tsv
	publishedTable2 string
)

// rows reads a table: a map from column to cell for each row.
func rows(tsv string) []map[string]string {
	var header []string
	var out []map[string]string
	for line := range strings.Lines(tsv) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if header == nil {
			header = cells
			continue
		}
		row := map[string]string{}
		for i, name := range header {
			row[name] = cells[i]
		}
		out = append(out, row)
	}
	return out
}
