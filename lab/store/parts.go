package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// partRows is the most rows of a part. A part grows: each write replaces its file by a longer one.
// Rows wait a second, and longer the longer the part is, so that writing takes little of a worker's
// time.
const (
	partRows       = 5000
	patienceForRow = time.Millisecond
)

// partEnd ends the names of parts. temporaryMark is in the names of files that a killed process may
// leave.
const (
	partEnd       = ".parquet"
	temporaryMark = ".tmp-"
)

// Parts is a folder that collects the Parquet files of workers, opened by one of them. A file
// appears under its name only when it is whole, so any file system will do, and any number of
// workers. It is safe for concurrent use.
type Parts[R any] struct {
	queue[R]
	dir, worker string
	rows        []R    // of the part that grows
	name        string // its file, "" before its first write
}

// OpenParts opens a folder for a worker, or creates it, and returns the rows that any worker has
// written, as ReadParts does. The name of the worker begins the names of its files. It removes
// half-written files of a killed process of this worker.
func OpenParts[R any](dir, worker string, weak func(*R) bool) (*Parts[R], []R, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	if err := CleanParts(dir, worker); err != nil {
		return nil, nil, err
	}
	rows, err := ReadParts(dir, weak)
	p := &Parts[R]{dir: dir, worker: worker}
	p.most, p.patience, p.write = partRows, patience, p.grow
	return p, rows, err
}

// CleanParts removes the half-written files of a worker, or of all with the name "*". If the worker
// is not dead after all, it writes such a file again.
func CleanParts(dir, worker string) error {
	left, err := filepath.Glob(filepath.Join(dir, "."+worker+temporaryMark+"*"))
	for _, path := range left {
		if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// grow adds rows to the part.
func (p *Parts[R]) grow(rows []R) error {
	all := slices.Concat(p.rows, rows)
	err := p.replace(all)
	if errors.Is(err, fs.ErrNotExist) { // removed by CleanParts
		err = p.replace(all)
	}
	if err != nil {
		return err
	}
	if p.rows = all; len(all) >= partRows {
		p.rows, p.name = nil, ""
	}
	p.patience = patience + time.Duration(len(p.rows))*patienceForRow
	return nil
}

// replace writes the part with these rows.
func (p *Parts[R]) replace(rows []R) error {
	file, err := os.CreateTemp(p.dir, "."+p.worker+temporaryMark+"*")
	if err != nil {
		return err
	}
	err = WriteParquet(file, rows, nil, nil)
	if err == nil {
		err = file.Chmod(0o644)
	}
	err = errors.Join(err, file.Sync(), file.Close())
	name := p.name
	if name == "" { // the random part makes it unlike the name of any other file
		_, random, _ := strings.Cut(filepath.Base(file.Name()), temporaryMark)
		name = p.worker + "-" + random + partEnd
	}
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(p.dir, name))
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	p.name = name
	return nil
}

// Close writes the waiting rows.
func (p *Parts[R]) Close() error { return p.Flush() }

// flat returns a struct type with a field for each column, and fields for more columns of numbers.
// With embedded structs parquet-go would lose nil.
func flat(columns []Column, more []string) reflect.Type {
	var fields []reflect.StructField
	add := func(name string, typ reflect.Type) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", len(fields)), Type: typ, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", name))})
	}
	for i := range columns {
		add(columns[i].Name, columns[i].typ)
	}
	for _, name := range more {
		add(name, reflect.TypeFor[*float64]())
	}
	return reflect.StructOf(fields)
}

// WriteParquet writes rows as a Parquet file. The columns of numbers named in more follow, and
// extra returns their cells for row i, nil for no value.
func WriteParquet[R any](w io.Writer, rows []R, more []string, extra func(i int) ([]*float64, error)) error {
	columns := Columns[R]()
	line := reflect.New(flat(columns, more))
	out := parquet.NewWriter(w, parquet.SchemaOf(line.Interface()), parquet.Compression(&parquet.Zstd))
	for i := range rows {
		for k := range columns {
			line.Elem().Field(k).Set(reflect.ValueOf(&rows[i]).Elem().FieldByIndex(columns[k].at))
		}
		if len(more) > 0 {
			further, err := extra(i)
			if err != nil {
				return err
			}
			for k, x := range further {
				line.Elem().Field(len(columns) + k).Set(reflect.ValueOf(x))
			}
		}
		if err := out.Write(line.Interface()); err != nil {
			return err
		}
	}
	return out.Close()
}

// readParquet reads a Parquet file of rows.
func readParquet[R any](path string) ([]R, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var have []string
	for _, c := range f.Schema().Columns() {
		have = append(have, strings.Join(c, "."))
	}
	columns := Columns[R]()
	if !sameNames(have, Head(columns)) {
		return nil, fmt.Errorf("%s: no rows of weft lab sweep, or of another version with other columns", path)
	}
	rows := make([]R, f.NumRows())
	in := parquet.NewReader(f)
	defer func() { _ = in.Close() }() // all rows were read by then
	typ := flat(columns, nil)
	for i := range rows {
		line := reflect.New(typ)
		if err := in.Read(line.Interface()); err != nil {
			return nil, fmt.Errorf("%s: row %d of %d: %w", path, i+1, len(rows), err)
		}
		for k := range columns {
			reflect.ValueOf(&rows[i]).Elem().FieldByIndex(columns[k].at).Set(line.Elem().Field(k))
		}
	}
	return rows, nil
}

// sameNames reports whether two lists have the same names, in any order.
func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// ReadParts reads all files of a folder. It returns each row once, in the order of the rows' names.
// Workers may give a row different labels: the list of rows decides. A weak row gives way to
// another one. Any other difference of rows of one name is an error: the result depends on more
// than its name says.
func ReadParts[R any](dir string, weak func(*R) bool) (rows []R, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+partEnd))
	if err != nil {
		return nil, err
	}
	columns, at, from := Columns[R](), map[string]int{}, []string{}
	for _, path := range files {
		more, err := readParquet[R](path)
		if err != nil {
			return nil, err
		}
		for i := range more {
			key := nameOf(&more[i], columns)
			k, twice := at[key]
			switch {
			case !twice:
				at[key] = len(rows)
				rows, from = append(rows, more[i]), append(from, path)
			case weak(&more[i]):
			case weak(&rows[k]):
				rows[k], from[k] = more[i], path
			default:
				if d := Disagreements(&rows[k], &more[i]); len(d) > 0 {
					return nil, fmt.Errorf("%s and %s: row %s differs in column %s: %s and %s", from[k], path, key, d[0].Column, d[0].A, d[0].B)
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b R) int { return strings.Compare(nameOf(&a, columns), nameOf(&b, columns)) })
	return rows, nil
}
