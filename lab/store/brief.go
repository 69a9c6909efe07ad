package store

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Table holds rows that were read from a text, with the columns that rows of their type lack.
type Table[R any] struct {
	Rows    []R
	Columns []string   // of rows that the text has
	More    []string   // further columns of the text
	Further [][]string // their cells, by row
}

// ReadBrief reads rows that WriteBrief wrote. A column that the text lacks is zero; unknown columns
// are ignored. Errors name the file and the line.
func ReadBrief[R any](name string, in io.Reader) ([]R, error) {
	t, err := ReadTable[R](name, in, &Limits{math.MaxInt, math.MaxInt, math.MaxInt})
	if err != nil {
		return nil, err
	}
	return t.Rows, nil
}

// Limits bound a table that is read.
type Limits struct {
	Rows    int
	Columns int
	Cells   int // of further columns: each takes memory, also an empty one
}

// ReadTable reads a text that WriteText or WriteBrief wrote, within limits. A column that the text
// lacks is zero. Errors name the file and the line.
func ReadTable[R any](name string, in io.Reader, most *Limits) (*Table[R], error) {
	t, all := &Table[R]{}, Columns[R]()
	r := csv.NewReader(in)
	r.Comma = comma(name)
	head, err := r.Read()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !slices.Contains(head, keyColumn):
		return nil, fmt.Errorf("%s:1: no column %s", name, keyColumn)
	case len(head) > most.Columns:
		return nil, fmt.Errorf("%s:1: more than %d columns", name, most.Columns)
	}
	of := make([]int, len(head)) // index into all, by column of the text; -1: a further one
	for at, text := range head {
		of[at] = slices.IndexFunc(all, func(c Column) bool { return c.Name == text })
		switch {
		case slices.Contains(head[:at], text):
			return nil, fmt.Errorf("%s:1: column %.40q is there twice", name, text)
		case of[at] < 0:
			t.More = append(t.More, text)
		default:
			t.Columns = append(t.Columns, text)
		}
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case len(t.Rows) == most.Rows:
			return nil, fmt.Errorf("%s: more than %d rows", name, most.Rows)
		case (len(t.Rows)+1)*len(t.More) > most.Cells:
			return nil, fmt.Errorf("%s: more than %d rows with %d columns that weft lab does not know: leave some out", name, len(t.Rows), len(t.More))
		}
		var row R
		further := make([]string, 0, len(t.More))
		for at, text := range cells {
			if of[at] < 0 {
				further = append(further, text)
				continue
			}
			if err := set(&row, &all[of[at]], text); err != nil {
				line, _ := r.FieldPos(at)
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
		t.Rows, t.Further = append(t.Rows, row), append(t.Further, further)
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
