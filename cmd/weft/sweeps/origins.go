package sweeps

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/lab/sweep"
)

// originsHead names the columns of sources.csv, which says which sources computed the rows of a
// frozen folder, oldest first.
var originsHead = []string{"sources", "older", "cases", "versions", "commits"}

// writeOrigins writes sources.csv.
func writeOrigins(w io.Writer, list []sweep.Origin) error {
	out := csv.NewWriter(w)
	lines := [][]string{originsHead}
	for _, o := range list {
		lines = append(lines, []string{o.Sources, strconv.FormatBool(o.Older), strconv.Itoa(o.Cases), strings.Join(o.Versions, " "), strings.Join(o.Commits, " ")})
	}
	return out.WriteAll(lines)
}

// readOrigins reads sources.csv of a folder; none if there is no such file.
func readOrigins(dir string) (list []sweep.Origin, err error) {
	name := filepath.Join(dir, frozenOrigins)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err == nil && (len(lines) == 0 || !slices.Equal(lines[0], originsHead)) {
		err = fmt.Errorf("want the columns %s", strings.Join(originsHead, ", "))
	}
	for i := 1; i < len(lines) && err == nil; i++ {
		cells := lines[i]
		o := sweep.Origin{Sources: cells[0], Versions: someOf(cells[3]), Commits: someOf(cells[4])}
		if o.Older, err = strconv.ParseBool(cells[1]); err == nil {
			o.Cases, err = strconv.Atoi(cells[2])
		}
		list = append(list, o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// someOf returns a list of one text, or of none if it is empty.
func someOf(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
