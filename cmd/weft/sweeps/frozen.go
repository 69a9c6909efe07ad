package sweeps

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/lab/report"
	"weft/lab/store"
	"weft/lab/sweep"
)

// The files of weft lab freeze that readFrozen reads.
const (
	frozenRows  = "rows.csv"
	frozenSweep = "sweep.yaml"
)

// indent begins the lines of the README that hold commands.
const indent = "    "

// readFrozen reads a folder of weft lab freeze.
func readFrozen(dir string) (*results, error) {
	name := filepath.Join(dir, frozenSweep)
	text, err := os.ReadFile(name)
	if sheets, _ := filepath.Glob(filepath.Join(dir, sheetNames)); err != nil && len(sheets) > 0 { // the pattern is good
		return nil, fmt.Errorf("%s holds the parts of workers: merge them first: weft lab merge %s -o results.db", dir, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: no folder of weft lab freeze: %w", dir, err)
	}
	d, err := sweep.Parse(name, text)
	if err != nil {
		return nil, err
	}
	name = filepath.Join(dir, frozenRows)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rows, err := store.ReadBrief[sweep.Row](name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	sheet := &sweep.Sheet{Description: string(text), Command: frozenCommand(dir)}
	var list []*sweep.Row
	for i := range rows {
		list = append(list, &rows[i])
		if !slices.Contains(sheet.Sources, rows[i].Sources) {
			sheet.Sources = append(sheet.Sources, rows[i].Sources)
		}
	}
	slices.Sort(sheet.Sources)
	return &results{report.Results{Description: d, Sheet: sheet.With(list), Rows: byCase(rows)}}, nil
}

// frozenCommand returns the commands in the README of a frozen folder, one a line; "" if it has
// none.
func frozenCommand(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return ""
	}
	var commands []string
	for line := range strings.Lines(string(text)) {
		if command, is := strings.CutPrefix(line, indent); is {
			commands = append(commands, strings.TrimSuffix(command, "\n"))
		}
	}
	return strings.Join(commands, "\n")
}
