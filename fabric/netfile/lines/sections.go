package lines

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// Section is a section of ibdiagnet2.db_csv: comma-separated values between START_NAME and
// END_NAME, with the names of the columns in the first line.
type Section struct {
	Name string
	Line int    // of START_NAME
	Data []byte // with the line of column names
}

// Sections finds the sections of a file. Errors are of type *lines.Error.
func Sections(name string, data []byte) (list []Section, err error) {
	open, from, at, offset := "", 0, 0, 0
	for raw := range bytes.Lines(data) {
		at++
		line := strings.TrimSpace(string(raw))
		switch {
		case open == "" && strings.HasPrefix(line, "START_"):
			open, from = strings.TrimPrefix(line, "START_"), offset+len(raw)
			list = append(list, Section{Name: open, Line: at})
		case open != "" && line == "END_"+open:
			list[len(list)-1].Data, open = data[from:offset], ""
		}
		offset += len(raw)
	}
	if open != "" {
		return nil, Errorf(name, list[len(list)-1].Line, "no END_%s: the file ends early", open)
	}
	return list, nil
}

// Row is a row of a section.
type Row struct {
	Line    int // of the file
	file    string
	names   []string
	columns map[string]int // by name, in lower case
	values  []string
}

// Rows calls each for every row, which is valid during the call. Errors name the line of the file.
func (s *Section) Rows(file string, each func(*Row) error) error {
	r := csv.NewReader(bytes.NewReader(s.Data))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true, true
	row := Row{file: file}
	for {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return Errorf(file, s.Line, "section %s: %v", s.Name, err)
		}
		at, _ := r.FieldPos(0)
		row.Line, row.values = s.Line+at, values
		if row.columns == nil {
			row.columns, row.names = map[string]int{}, slices.Clone(values)
			for i, name := range values {
				row.columns[strings.ToLower(name)] = i
			}
			continue
		}
		if len(values) != len(row.names) {
			return row.Errorf("%d values in section %s (want %d)", len(values), s.Name, len(row.names))
		}
		if err := each(&row); err != nil {
			return err
		}
	}
}

// Errorf returns an error with the row's line.
func (r *Row) Errorf(format string, args ...any) error {
	return Errorf(r.file, r.Line, format, args...)
}

// Columns returns the names of all columns, as the file has them, in their order.
func (r *Row) Columns() []string { return r.names }

// Text returns the value of a column; ok is false if the section lacks it, or it is empty or N/A.
func (r *Row) Text(column string) (text string, ok bool) {
	i, known := r.columns[strings.ToLower(column)]
	if !known || r.values[i] == "N/A" || r.values[i] == "" {
		return "", false
	}
	return r.values[i], true
}

// Number returns the value of a column, decimal or after 0x hexadecimal.
func (r *Row) Number(column string, most uint64) (uint64, error) {
	text, ok := r.Text(column)
	if !ok {
		return 0, r.Errorf("no %s", column)
	}
	v, err := strconv.ParseUint(text, 0, 64)
	if err != nil || v > most {
		return 0, r.Errorf("%s %q: want a number up to %d", column, text, most)
	}
	return v, nil
}

// GUID returns the value of a column of GUIDs.
func (r *Row) GUID(column string) (fabric.GUID, error) {
	v, err := r.Number(column, 1<<64-1)
	if err == nil && v == 0 {
		err = r.Errorf("%s is 0", column)
	}
	return fabric.GUID(v), err
}
