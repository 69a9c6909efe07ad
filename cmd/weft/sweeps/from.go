package sweeps

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"weft/lab/sweep"
)

// fromFlags select the rows that a sweep reuses besides the rows of its -o.
type fromFlags struct {
	from  string // a store, or a folder of weft lab freeze
	older bool
}

// begin gives a run the rows to begin with: the rows of --from, and with --older also rows of older
// sources.
func (o *fromFlags) begin(r *sweep.Run, keep keeper) error {
	var sources [][]string // of sheets, oldest first
	r.Older = sweep.Older{Take: o.older, Rows: maps.Clone(r.Rows)}
	if o.from != "" {
		from, err := readResults(o.from)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		r.From = from.Rows
		for name, row := range from.Rows {
			if have := r.Older.Rows[name]; have == nil || sweep.Weak(have) {
				r.Older.Rows[name] = row
			}
		}
		sources = append(sources, from.Sheet.Older, from.Sheet.Sources)
	}
	if db, is := keep.(storeKeeper); is {
		text, err := db.About("sheet")
		if err == nil && text != "" {
			var before *sweep.Sheet
			if before, err = sweep.ReadSheet("sheet", []byte(text)); err == nil {
				sources = append(sources, before.Older, before.Sources)
			}
		}
		if err != nil {
			return err
		}
	}
	r.Older.Sources = inOrder(r.Older.Rows, slices.Concat(sources...))
	return nil
}

// inOrder lists the sources of rows. Sources that are in no list come first. A digest that is in
// several lists stands at its last place.
func inOrder(rows map[string]*sweep.Row, lists []string) []string {
	has := map[string]bool{}
	for _, row := range rows {
		has[row.Sources] = true
	}
	var out []string
	for _, sources := range slices.Backward(lists) {
		if has[sources] {
			out = append(out, sources)
			delete(has, sources)
		}
	}
	out = append(out, slices.Sorted(maps.Keys(has))...)
	slices.Reverse(out)
	return out
}

// tellOlder says how many cases of a sweep have a row of older sources.
func (o *fromFlags) tellOlder(w io.Writer, p *sweep.Plan) {
	if n := len(p.OlderRows); n > 0 {
		what := "are computed again; --older takes them as they are"
		if o.older {
			what = "are taken as they are"
		}
		fmt.Fprintf(w, "weft: %d of %d cases have rows of older sources of weft (%s), which %s\n", n, p.Cases,
			strings.Join(slices.Compact(slices.Sorted(maps.Values(p.OlderRows))), ", "), what)
	}
}

// check returns an error if the options do not fit -o.
func (o *fromFlags) check(output string) error {
	if (o.from != "" || o.older) && output == "" {
		return errors.New("--from and --older need -o, where the rows are kept")
	}
	return nil
}
