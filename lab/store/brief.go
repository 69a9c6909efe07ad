package store

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadBrief reads rows that WriteBrief wrote. A column that the text lacks is zero; unknown columns
// are ignored. Errors name the file and the line.
func ReadBrief[R any](name string, in io.Reader) (rows []R, err error) {
	columns := Columns[R]()
	r := csv.NewReader(in)
	r.Comma = comma(name)
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !slices.Contains(head, keyColumn) {
		return nil, fmt.Errorf("%s:1: no column %s", name, keyColumn)
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var row R
		for i := range columns {
			at := slices.Index(head, columns[i].Name)
			if at < 0 || at >= len(cells) {
				continue
			}
			if err := set(&row, &columns[i], cells[at]); err != nil {
				line, _ := r.FieldPos(at)
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
		rows = append(rows, row)
	}
}

// WriteBrief writes rows as text without some columns.
func WriteBrief[R any](name string, w io.Writer, rows []R, without []string) error {
	columns := slices.DeleteFunc(Columns[R](), func(c Column) bool { return slices.Contains(without, c.Name) })
	return writeText(name, w, rows, columns, nil, nil)
}

// Empty lists the columns that have no value in any row.
func Empty[R any](rows []R) (names []string) {
	for _, c := range Columns[R]() {
		if !slices.ContainsFunc(rows, func(row R) bool { return Text(Value(&row, &c)) != "" }) {
			names = append(names, c.Name)
		}
	}
	return names
}
