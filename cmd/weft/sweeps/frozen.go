package sweeps

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
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
	frozenRows    = "rows.csv"
	frozenSweep   = "sweep.yaml"
	frozenOrigins = "sources.csv"
	frozenSums    = "SHA256SUMS"
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
	if err == nil {
		err = checkSum(dir, frozenRows, data)
	}
	if err != nil {
		return nil, err
	}
	rows, err := store.ReadBrief[sweep.Row](name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	sheet := &sweep.Sheet{Description: string(text), Command: frozenCommand(dir)}
	origins, err := readOrigins(dir)
	if err != nil {
		return nil, err
	}
	of := map[string]*sweep.Origin{}
	for i := range origins {
		o := &origins[i]
		of[o.Sources] = o
		if o.Older {
			sheet.Older = append(sheet.Older, o.Sources)
		} else {
			sheet.Sources = append(sheet.Sources, o.Sources)
		}
	}
	var list []*sweep.Row
	for i := range rows {
		row := &rows[i]
		list = append(list, row)
		switch o := of[row.Sources]; {
		case o != nil: // a brief row lacks these columns
			row.Version, row.Commit = cmp.Or(row.Version, strings.Join(o.Versions, " ")), cmp.Or(row.Commit, strings.Join(o.Commits, " "))
		case !slices.Contains(sheet.Sources, row.Sources):
			sheet.Sources = append(sheet.Sources, row.Sources)
		}
	}
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

// checkSum returns an error if SHA256SUMS of a folder has another checksum for a file.
func checkSum(dir, name string, data []byte) error {
	sums, err := readSums(dir)
	if sum := sums[name]; err == nil && sum != "" && sum != fmt.Sprintf("%x", sha256.Sum256(data)) {
		return fmt.Errorf("%s is not the file whose checksum is in %s: freeze the store again", filepath.Join(dir, name), filepath.Join(dir, frozenSums))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readSums reads the checksums of a frozen folder, by the names of the files.
func readSums(dir string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, frozenSums))
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if sum, name, is := strings.Cut(strings.TrimSpace(line), "  "); is {
			sums[name] = sum
		}
	}
	return sums, err
}
