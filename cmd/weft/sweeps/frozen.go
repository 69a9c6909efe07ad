package sweeps

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/lab/store"
	"weft/lab/sweep"
)

// The files of weft lab freeze that readFrozen reads.
const (
	frozenRows  = "rows.csv"
	frozenSweep = "sweep.yaml"
)

// readFrozen reads a folder of weft lab freeze.
func readFrozen(dir string) (*results, error) {
	name := filepath.Join(dir, frozenSweep)
	text, err := os.ReadFile(name)
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
	rows, err := store.ReadSome[sweep.Row](name, bytes.NewReader(data))
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
	return &results{d, sheet.With(list), byCase(rows)}, nil
}

// frozenCommand returns the command in the README of a frozen folder, "" if it has none.
func frozenCommand(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), "\n    ")
	command, _, _ := strings.Cut(after, "\n")
	return command
}
