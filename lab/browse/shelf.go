package browse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"weft/internal/endpoints"
	"weft/lab/report"
	"weft/lab/store"
	"weft/lab/sweep"
)

// limits limit the sweeps that users open.
type limits struct {
	Sweeps  int `json:"sweeps"`  // open at a time
	Bytes   int `json:"bytes"`   // of the text of a table
	Rows    int `json:"rows"`    // of a table
	Columns int `json:"columns"` // of a table
}

// usualLimits are the limits of weft ui. Stores of the command line have none.
var usualLimits = limits{Sweeps: 8, Bytes: 32 << 20, Rows: 100_000, Columns: 256}

// mostCells is the maximum number of cells of a table in columns that no sweep has: 64 MB.
const mostCells = 1 << 22

// exampleID is the id of the example.
const exampleID = "example"

// held is an open sweep.
type held struct {
	id, name string
	store    string // as weft lab show takes it; "" for rows that no command finds
	title    string
	rows     []sweep.Row
	columns  []column
	about    description
}

// Add opens a store that the command line names.
func (b *Browser) Add(path string, r *report.Results) error {
	h, err := newHeld(endpoints.IDOf(path, ""), path, path, r)
	if err != nil {
		return err
	}
	return b.shelf.Add(h.id, h)
}

// newHeld returns the rows of results with their derived columns.
func newHeld(id, name, path string, r *report.Results) (*held, error) {
	t := &store.Table[sweep.Row]{Columns: store.Head(store.Columns[sweep.Row]()), More: r.FurtherNames()}
	for _, row := range r.Sheet.Rows(r.Rows) {
		list, err := r.Further(row)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var cells []string
		for _, x := range list {
			text := ""
			if x != nil {
				text = store.Text(*x)
			}
			cells = append(cells, text)
		}
		t.Rows, t.Further = append(t.Rows, *row), append(t.Further, cells)
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: no rows yet", name)
	}
	h := &held{id: id, name: name, store: path, title: r.Title}
	h.take(t)
	return h, nil
}

// source names a sweep to open: the example, or a table by its name and its text.
type source struct {
	Example bool   `json:"example,omitempty"` // run the sweep of weft lab init
	Name    string `json:"name,omitempty"`    // of the file, for people: it is not opened
	Text    string `json:"text,omitempty"`    // of the file: CSV or TSV of weft lab export
}

// Check returns errors that hold whatever is open.
func (o *source) Check() error {
	switch {
	case o.Example == (o.Text != ""):
		return errors.New("want the example, or the text of a table")
	case len(o.Text) > usualLimits.Bytes:
		return fmt.Errorf("text: more than %d bytes", usualLimits.Bytes)
	case o.Name != "" && !endpoints.IsName(o.Name):
		return errors.New("name: want a text without control characters")
	}
	return nil
}

// needed are the columns that a table must have.
var needed = []string{"case", "fabric", "engine", "status"}

// errNoTable ends the error about a file that is no table.
var errNoTable = errors.New("want the CSV or TSV of weft lab export, or rows.csv of weft lab freeze; a store is given to weft ui by --store")

// read reads the rows of a table.
func (o *source) read() (*held, error) {
	name := o.Name
	if name == "" {
		name = "rows.csv"
	}
	if strings.HasPrefix(o.Text, "PAR1") || strings.HasPrefix(o.Text, "SQLite format 3") {
		return nil, fmt.Errorf("%s: %w", name, errNoTable)
	}
	read := name // its ending decides what is between the cells
	if head, _, _ := strings.Cut(o.Text, "\n"); !strings.HasSuffix(name, ".tsv") && strings.Contains(head, "\t") {
		read += ".tsv"
	}
	t, err := store.ReadTable[sweep.Row](read, strings.NewReader(strings.TrimPrefix(o.Text, "\ufeff")), &store.Limits{Rows: usualLimits.Rows, Columns: usualLimits.Columns, Cells: mostCells})
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", err, errNoTable)
	}
	for _, column := range needed {
		if !slices.Contains(t.Columns, column) {
			return nil, fmt.Errorf("%s:1: no column %s: %w", name, column, errNoTable)
		}
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	h := &held{id: endpoints.IDOf(name, o.Text), name: name}
	h.take(t)
	return h, nil
}

// idParameter names the sweep of a question.
var idParameter = endpoints.Parameter{Name: "id", Kind: endpoints.Name, About: "a sweep of /v1/sweeps", Needed: true}

// sweepPath begins the paths of questions about a sweep.
const sweepPath = "/v1/sweeps/{id}"

// held returns the sweep of a request. If it is not open it answers and returns nil.
func (b *Browser) held(w http.ResponseWriter, r *http.Request) *held {
	h := b.shelf.Find(r.PathValue("id"))
	if h == nil {
		endpoints.Refuse(w, http.StatusNotFound, "this sweep is not open: open it again")
	}
	return h
}

// sweepList lists the open sweeps.
type sweepList struct {
	Sweeps []named `json:"sweeps"`
	Limits limits  `json:"limits"`
}

// named is an open sweep in a list.
type named struct {
	ID    string `json:"id"`
	Name  string `json:"name"`            // of its store or file
	Title string `json:"title,omitempty"` // the question that it answers
	Rows  int    `json:"rows"`
}

// list returns the endpoint that lists sweeps.
func (b *Browser) list() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: "/v1/sweeps", About: "The sweeps that are open.", Answer: reflect.TypeFor[sweepList](), Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, _ *http.Request) {
			out := sweepList{Sweeps: []named{}, Limits: usualLimits}
			for _, h := range b.shelf.List() {
				out.Sweeps = append(out.Sweeps, h.about.named)
			}
			endpoints.Answer(w, http.StatusOK, &out)
		},
	}
}

// open returns the endpoint that opens a sweep.
func (b *Browser) open() endpoints.Endpoint {
	e := endpoints.Endpoint{
		Path: "/v1/sweeps", About: "Open a sweep: the text of a table, or an example, which is run. Opened again, it has the same id.", Needs: endpoints.MayCompute,
		MostBody: int64(2 * usualLimits.Bytes), // a text in JSON has escapes
	}
	e = endpoints.Asking(b.opt.Questions, e, "run weft lab sweep, which has no limit", func(_ http.ResponseWriter, _ *http.Request, o *source) func(context.Context) (*description, error) {
		return func(ctx context.Context) (*description, error) { return b.openNow(ctx, o) }
	})
	return endpoints.Within(e, b.opening, "another sweep is being opened")
}

// openNow opens a sweep and returns its description.
func (b *Browser) openNow(ctx context.Context, o *source) (*description, error) {
	var h *held
	var err error
	switch {
	case !o.Example:
		h, err = o.read()
	case b.shelf.Find(exampleID) != nil:
		h = b.shelf.Find(exampleID)
	default:
		var r *report.Results
		if r, err = b.opt.Example(ctx); err == nil {
			h, err = newHeld(exampleID, "example: the sweep of weft lab init", "", r)
		}
	}
	if err == nil {
		err = b.shelf.Add(h.id, h)
	}
	if err != nil {
		return nil, err
	}
	return &h.about, nil
}

// about returns the endpoint that describes a sweep.
func (b *Browser) about() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: sweepPath, About: "The columns of a sweep, with their values, and the chart that comes first.", Parameters: []endpoints.Parameter{idParameter},
		Answer: reflect.TypeFor[description](), Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, r *http.Request) {
			if h := b.held(w, r); h != nil {
				endpoints.Answer(w, http.StatusOK, &h.about)
			}
		},
	}
}

// close returns the endpoint that closes a sweep.
func (b *Browser) close() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodDelete, Path: sweepPath, About: "Close a sweep.", Parameters: []endpoints.Parameter{idParameter}, Status: http.StatusNoContent, Needs: endpoints.MayCompute,
		Serve: func(w http.ResponseWriter, r *http.Request) {
			if b.shelf.Remove(r.PathValue("id")) == nil {
				endpoints.Refuse(w, http.StatusNotFound, "this sweep is not open")
				return
			}
			w.WriteHeader(http.StatusNoContent)
		},
	}
}
