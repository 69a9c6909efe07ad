package store

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// TextFile is an open text file with a line for each row: with commas, or with tabs if its name
// ends in .tsv. It is safe for concurrent use.
type TextFile[R any] struct {
	columns []Column
	mu      sync.Mutex
	file    *os.File
	lock    *os.File
	comma   rune
	end     int64 // of the last whole row
}

// comma returns the character between the cells of a file.
func comma(path string) rune {
	if filepath.Ext(path) == ".tsv" {
		return '\t'
	}
	return ','
}

// OpenText opens a file of rows to be continued, or creates it, and returns its rows. It drops a
// half-written last line, which a killed process left. It does not change a file that is no table
// of these rows.
func OpenText[R any](path string) (*TextFile[R], []R, error) {
	lock, err := takeLock(path)
	if err != nil {
		return nil, nil, err
	}
	t := &TextFile[R]{columns: Columns[R](), comma: comma(path), lock: lock}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var rows []R
	end := bytes.LastIndexByte(data, '\n') + 1
	if err == nil && len(data) > 0 {
		rows, err = readText[R](path, bytes.NewReader(data[:max(end, 1)]))
	}
	if err == nil {
		t.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if err == nil {
		t.end = int64(end)
		err = t.file.Truncate(t.end)
	}
	if err == nil && end == 0 {
		err = t.add(Head(t.columns))
	}
	if err != nil {
		return nil, nil, errors.Join(err, t.Close())
	}
	return t, rows, nil
}

// Head returns the names of columns.
func Head(columns []Column) (cells []string) {
	for i := range columns {
		cells = append(cells, columns[i].Name)
	}
	return cells
}

// add writes a line at the end.
func (t *TextFile[R]) add(cells []string) error {
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	w.Comma = t.comma
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	n, err := t.file.WriteAt(line.Bytes(), t.end)
	if err == nil {
		t.end += int64(n)
	}
	return err
}

// Put adds a row.
func (t *TextFile[R]) Put(row *R) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.add(cellsOf(row, t.columns))
}

// Flush does nothing: Put has written each row.
func (t *TextFile[R]) Flush() error { return nil }

// Close closes the file.
func (t *TextFile[R]) Close() error {
	var err error
	if t.file != nil {
		err = t.file.Close()
	}
	return errors.Join(err, dropLock(t.lock))
}

func cellsOf[R any](row *R, columns []Column) []string {
	cells := make([]string, len(columns))
	for i := range columns {
		cells[i] = Text(Value(row, &columns[i]))
	}
	return cells
}

// readText reads a file of rows; errors name the file and the line. A later row replaces an earlier
// one of the same name.
func readText[R any](name string, in io.Reader) (rows []R, err error) {
	columns, at := Columns[R](), map[string]int{}
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord = comma(name), -1
	for first := true; ; first = false {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		if first {
			if !slices.Equal(cells, Head(columns)) {
				return nil, fmt.Errorf("%s:1: no table of weft lab sweep, or of another version with other columns: give another -o", name)
			}
			continue
		}
		if len(cells) != len(columns) {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", name, line, len(cells), len(columns))
		}
		var row R
		for i := range columns {
			if err := set(&row, &columns[i], cells[i]); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
		key := nameOf(&row, columns)
		if i, twice := at[key]; twice {
			rows[i] = row
			continue
		}
		at[key] = len(rows)
		rows = append(rows, row)
	}
}

// WriteText writes rows as lines. The columns named in more follow, and extra returns their cells
// for row i.
func WriteText[R any](name string, w io.Writer, rows []R, more []string, extra func(i int) ([]string, error)) error {
	return writeText(name, w, rows, Columns[R](), more, extra)
}

// writeText writes some columns of rows, and more columns as WriteText does.
func writeText[R any](name string, w io.Writer, rows []R, columns []Column, more []string, extra func(i int) ([]string, error)) error {
	out := csv.NewWriter(w)
	out.Comma = comma(name)
	if err := out.Write(append(Head(columns), more...)); err != nil {
		return err
	}
	for i := range rows {
		cells := cellsOf(&rows[i], columns)
		if len(more) > 0 {
			further, err := extra(i)
			if err != nil {
				return err
			}
			cells = append(cells, further...)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
