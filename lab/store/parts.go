package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"
)

// partRows is the most rows of a part. The patience of Parts begins with leastPatience and doubles
// with each part, up to mostPatience, so that a long run has few parts. A killed worker loses the
// waiting rows.
const (
	partRows      = 5000
	leastPatience = time.Second / 2
	mostPatience  = 20 * time.Second
)

// partEnd ends the names of parts.
const partEnd = ".parquet"

// Parts is a folder to which a worker adds Parquet files. Each appears under its name only when it
// is whole, so any file system will do, and any number of workers. It is safe for concurrent use.
type Parts[R any] struct {
	dir, worker string

	mu       sync.Mutex
	queue    queue[R]
	patience time.Duration
}

// OpenParts opens a folder for a worker, or creates it, and returns the rows that any worker has
// written. The name of the worker begins the names of its files.
func OpenParts[R any](dir, worker string, now func() time.Duration) (*Parts[R], []R, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	rows, err := ReadParts[R](dir)
	return &Parts[R]{dir: dir, worker: worker, queue: queue[R]{now: now}, patience: leastPatience}, rows, err
}

// Put adds a row. It is on disk after Flush, or after a later Put.
func (p *Parts[R]) Put(row *R) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.queue.add(row, partRows, p.patience) {
		return nil
	}
	p.patience = min(2*p.patience, mostPatience)
	return p.flush()
}

// Flush writes the waiting rows to a file of their own.
func (p *Parts[R]) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flush()
}

func (p *Parts[R]) flush() error {
	if len(p.queue.rows) == 0 {
		return nil
	}
	file, err := os.CreateTemp(p.dir, "."+p.worker+".*")
	if err != nil {
		return err
	}
	err = WriteParquet(file, p.queue.rows, nil, nil)
	if err == nil {
		err = file.Chmod(0o644)
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil { // the random part of the name makes it unlike that of any other file
		random := file.Name()[strings.LastIndexByte(file.Name(), '.')+1:]
		err = os.Rename(file.Name(), filepath.Join(p.dir, p.worker+"-"+random+partEnd))
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	p.queue.rows = p.queue.rows[:0]
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

// WriteParquet writes rows as a Parquet file, with further columns of numbers behind those of the
// rows; extra returns them, nil for no value.
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
// Different rows of one name are an error: the result depends on more than its name says.
func ReadParts[R any](dir string) (rows []R, err error) {
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
			if !twice {
				at[key] = len(rows)
				rows, from = append(rows, more[i]), append(from, path)
				continue
			}
			if d := Differences(&rows[k], &more[i]); len(d) > 0 {
				return nil, fmt.Errorf("%s and %s: row %s differs in column %s: %s and %s", from[k], path, key, d[0].Column, d[0].A, d[0].B)
			}
		}
	}
	slices.SortFunc(rows, func(a, b R) int { return strings.Compare(nameOf(&a, columns), nameOf(&b, columns)) })
	return rows, nil
}
