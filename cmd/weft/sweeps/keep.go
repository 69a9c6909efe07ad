package sweeps

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/store"
	"weft/lab/sweep"
)

// keeper keeps the rows of a sweep, and its sheet.
type keeper interface {
	sweep.Keeper
	PutSheet(sheet *sweep.Sheet) error
	Close() error
}

// openKeeper opens the store, text file or folder of an output, and reads its rows.
func openKeeper(cmd *cobra.Command, path string, shard sweep.Shard) (keeper, map[string]*sweep.Row, error) {
	switch ext := filepath.Ext(path); {
	case path == "":
		return nothing{}, map[string]*sweep.Row{}, nil
	case shard.N > 0:
		name := fmt.Sprintf("%d-of-%d", shard.I, shard.N)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return nil, nil, fmt.Errorf("-o %s: with --shard want a folder", path)
		}
		parts, rows, err := store.OpenParts(path, name, sweep.Weak)
		return &partsKeeper{parts, cmd, filepath.Join(path, name+sheetEnd)}, byCase(rows), err
	case ext == ".csv" || ext == ".tsv":
		file, rows, err := store.OpenText[sweep.Row](path)
		if err != nil {
			return nil, nil, err
		}
		return &textKeeper{file, cmd, path}, byCase(rows), nil
	case ext == ".parquet":
		return nil, nil, fmt.Errorf("-o %s: a Parquet file cannot be continued: keep the rows in a store (-o results.db), and export it (weft lab export)", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("-o %s is a folder: want a file, or --shard I/N", path)
	}
	db, err := store.Open[sweep.Row](path)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.Rows()
	if err != nil {
		db.Close() //nolint:errcheck // the error before it counts
		return nil, nil, err
	}
	return storeKeeper{db}, byCase(rows), nil
}

func byCase(rows []sweep.Row) map[string]*sweep.Row {
	out := make(map[string]*sweep.Row, len(rows))
	for i := range rows {
		out[rows[i].Case] = &rows[i]
	}
	return out
}

// ordered returns the rows of a sheet in its order, with its labels. A case that stands in several
// cells has a row for each.
func ordered(rows map[string]*sweep.Row, sheet *sweep.Sheet) []sweep.Row {
	return values(sheet.Rows(rows))
}

// distinct returns the row of each case of a sheet.
func distinct(rows map[string]*sweep.Row, sheet *sweep.Sheet) []sweep.Row {
	return values(sheet.Distinct(rows))
}

func values(rows []*sweep.Row) []sweep.Row {
	list := make([]sweep.Row, len(rows))
	for i, r := range rows {
		list[i] = *r
	}
	return list
}

// nothing keeps no rows.
type nothing struct{}

func (nothing) Put(*sweep.Row) error        { return nil }
func (nothing) Flush() error                { return nil }
func (nothing) PutSheet(*sweep.Sheet) error { return nil }
func (nothing) Close() error                { return nil }

// textKeeper keeps rows in a file of lines.
type textKeeper struct {
	*store.TextFile[sweep.Row]
	cmd  *cobra.Command
	path string
}

// PutSheet does nothing: a file of lines has no place for a sheet.
func (*textKeeper) PutSheet(*sweep.Sheet) error { return nil }

// sort writes the file again: the rows in the order of the sweep, then the rows of other sweeps. No
// row can be put after that.
func (k *textKeeper) sort(rows map[string]*sweep.Row, sheet *sweep.Sheet) error {
	list := distinct(rows, sheet)
	of := map[string]bool{}
	for i := range list {
		of[list[i].Case] = true
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if !of[name] {
			list = append(list, *rows[name])
		}
	}
	return cli.WriteQuietly(k.cmd, k.path, func(w io.Writer) error { return store.WriteText(k.path, w, list, nil, nil) })
}

// storeKeeper keeps rows in a store.
type storeKeeper struct{ *store.Store[sweep.Row] }

// PutSheet stores the sheet.
func (k storeKeeper) PutSheet(sheet *sweep.Sheet) error {
	text, err := json.Marshal(sheet)
	if err != nil {
		return err
	}
	return k.Store.SetAbout("sheet", string(text))
}

// sheetEnd ends the names of the sheets of workers, and sheetNames matches these names.
const (
	sheetEnd   = ".json"
	sheetNames = "*-of-*" + sheetEnd
)

// partsKeeper keeps the rows of a worker in parts.
type partsKeeper struct {
	*store.Parts[sweep.Row]
	cmd   *cobra.Command
	sheet string // the file of the sheet
}

// PutSheet writes the sheet beside the parts.
func (k *partsKeeper) PutSheet(sheet *sweep.Sheet) error {
	return cli.WriteQuietly(k.cmd, k.sheet, func(w io.Writer) error { return json.NewEncoder(w).Encode(sheet) })
}
