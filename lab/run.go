package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Store holds the result files of one paper.
type Store interface {
	// Read returns a file, or an error if there is none.
	Read(name string) ([]byte, error)
	Write(name string, data []byte) error
	// Remove deletes a file. It returns no error if there is none.
	Remove(name string) error
}

// Run selects the artefacts and rows of a paper to run, and the store for the results.
type Run struct {
	Paper     *Reproduction
	Artefacts []*Artefact // in the paper's order
	Setup     Setup       // Rows is set by Do
	Rows      []string    // selects rows whose name contains one of these; all rows if empty
	Store     Store       // nil keeps nothing
	Redo      bool        // run again even if the Store has a result
	// Note holds results that get the verdicts of this run, which has other seed blocks; nil if
	// none do. Artefacts that have them already are left out.
	Note Store
	Done func() // called after each artefact; may be nil
}

// Document is the document of `weft lab reproduce --json`.
type Document struct {
	Reproduction string    `json:"reproduction"`
	Mode         Mode      `json:"mode"`
	Seed         uint64    `json:"seed"`
	Artefacts    []*Record `json:"artefacts"`
}

// Document returns the JSON document of a run's outcome.
func (r *Run) Document(out *Outcome) *Document {
	return &Document{r.Paper.Name, r.Setup.Mode, r.Setup.Seed, out.Records}
}

// Outcome holds the records of a run.
type Outcome struct {
	Records []*Record // in the paper's order
	Reused  int       // records taken from the Store instead of run
	Noted   int       // artefacts left out: Run.Note has their verdicts
}

// Claims returns a row for each claim: the artefact, the verdict, the claim, the paper's result and
// ours.
func (o *Outcome) Claims() (rows [][]string) {
	for _, rec := range settled(o.Records) {
		for _, c := range rec.Claims {
			rows = append(rows, []string{rec.Artefact, c.verdict(), c.Text, c.Paper, c.Ours})
		}
	}
	return rows
}

// Summary returns a line with the extent of the run and the number of claims per verdict.
func (r *Run) Summary(o *Outcome) string {
	return fmt.Sprintf("%s, %s mode, seed %d: %s", r.Paper.Name, r.Setup.Mode, r.Setup.Seed, countVerdicts(settled(o.Records), "%d %s"))
}

// HasMore is the error for a run that would replace a larger result in the Store.
type HasMore struct{ Stored *Record }

func (e *HasMore) Error() string {
	rows := "all rows"
	if e.Stored.Rows != "" {
		rows = e.Stored.Rows
	}
	return fmt.Sprintf("%s in %s mode with %s", e.Stored.Artefact, e.Stored.Mode, rows)
}

// ErrNoRow says that no artefact has a requested row.
var ErrNoRow = errors.New("lab: no artefact has a row of this name")

// SeedDependent returns the artefacts that depend on the seed.
func SeedDependent(all []*Artefact) []*Artefact {
	return slices.DeleteFunc(slices.Clone(all), func(a *Artefact) bool { return a.Seedless })
}

// Select returns the named artefacts, or all if no name is given.
func (r *Reproduction) Select(names []string) ([]*Artefact, error) {
	for _, name := range names {
		if _, ok := r.Find(name); !ok {
			return nil, fmt.Errorf("%s has no artefact %q (weft lab list shows all)", r.Name, name)
		}
	}
	var chosen []*Artefact
	for i := range r.Artefacts {
		if a := &r.Artefacts[i]; len(names) == 0 || slices.Contains(names, a.Name) {
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

// Do runs the artefacts that the Store lacks, and stores each when it is finished: an interrupted
// run continues where it stopped. On an error it returns the finished records.
func (r *Run) Do(ctx context.Context) (*Outcome, error) {
	if err := r.checkStored(); err != nil {
		return &Outcome{}, err
	}
	var matched atomic.Bool // an artefact has a selected row
	if len(r.Rows) > 0 {
		r.Setup.Rows = func(row string) bool {
			keep := slices.ContainsFunc(r.Rows, func(part string) bool { return strings.Contains(row, part) })
			if keep {
				matched.Store(true)
			}
			return keep
		}
	}
	out := &Outcome{}
	for _, a := range r.Artefacts {
		matched.Store(false)
		if noted, err := r.noted(a); err != nil {
			return out, err
		} else if noted {
			out.Noted++
		} else if err := r.one(ctx, a, out, matched.Load); err != nil {
			return out, err
		}
		if r.Done != nil {
			r.Done()
		}
	}
	if len(out.Records)+out.Noted == 0 {
		return out, ErrNoRow
	}
	return out, nil
}

// one runs an artefact that the Store lacks, and stores and notes it. matched reports whether the
// artefact has a selected row.
func (r *Run) one(ctx context.Context, a *Artefact, out *Outcome, matched func() bool) error {
	setup := r.Setup
	if setup.Step != nil {
		setup.Step = func(row string) { r.Setup.Step(a.Name + ": " + row) }
	}
	rec := r.reusable(a)
	if rec != nil {
		out.Reused++
		if err := rec.retry(ctx, r.Paper, a, &setup); err != nil {
			return err
		}
	} else {
		var err error
		if rec, err = RunArtefact(ctx, r.Paper, a, &setup, r.rowsText()); err != nil {
			return err
		}
		if len(r.Rows) > 0 && !matched() {
			return nil
		}
	}
	r.Paper.finish(rec)
	out.Records = append(out.Records, rec)
	if err := r.Paper.store(r.Store, rec); err != nil || r.Note == nil { // also a reused record, to redraw its charts
		return err
	}
	page := stored(r.Note, a.Name)
	if err := page.note(r.Paper, a, &r.Setup, rec.Claims); err != nil {
		return err
	}
	return r.Paper.store(r.Note, page)
}

// noted reports whether an artefact's verdicts are noted already. It returns an error if they
// cannot be.
func (r *Run) noted(a *Artefact) (bool, error) {
	if r.Note == nil {
		return false, nil
	}
	page := stored(r.Note, a.Name)
	if page == nil {
		return false, fmt.Errorf("%s has no result for the verdicts to be noted in", a.Name)
	}
	_, found, err := page.findRepeat(r.Paper, a, &r.Setup)
	return found && !r.Redo, err
}

func (r *Run) rowsText() string { return strings.Join(r.Rows, "; ") }

// checkStored returns a *HasMore if a quick record would replace a full one, or a record of some
// rows one of all rows.
func (r *Run) checkStored() error {
	for _, a := range r.Artefacts {
		rec := r.stored(a.Name)
		if rec != nil && !r.Redo && (rec.Mode == Full && r.Setup.Mode != Full || rec.Rows == "" && len(r.Rows) > 0) {
			return &HasMore{rec}
		}
	}
	return nil
}

// reusable returns an artefact's stored record if this run would give the same.
func (r *Run) reusable(a *Artefact) *Record {
	if rec := r.stored(a.Name); rec != nil && !r.Redo && rec.Fits(r.Paper, a, &r.Setup, r.rowsText()) {
		return rec
	}
	return nil
}

// stored returns an artefact's record from the Store, nil if none can be read.
func (r *Run) stored(artefact string) *Record { return stored(r.Store, artefact) }

func stored(s Store, artefact string) *Record {
	if s == nil {
		return nil
	}
	data, err := s.Read(artefact + ".json")
	if err != nil {
		return nil
	}
	rec, err := Load(data)
	if err != nil {
		return nil
	}
	return rec
}

// store writes a record's files, removes tables and charts that it no longer has, and writes the
// page of all stored records. No Store keeps nothing.
func (r *Reproduction) store(in Store, rec *Record) error {
	if in == nil {
		return nil
	}
	files, err := rec.Files()
	if err != nil {
		return err
	}
	if before := stored(in, rec.Artefact); before != nil {
		for _, name := range before.fileNames() {
			if slices.ContainsFunc(files, func(f File) bool { return f.Name == name }) {
				continue
			}
			if err := in.Remove(name); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		if err := in.Write(f.Name, f.Data); err != nil {
			return err
		}
	}
	pages := r.Pages(r.Stored(in))
	for _, f := range pages {
		if err := in.Write(f.Name, f.Data); err != nil {
			return err
		}
	}
	if len(pages) == 1 {
		return in.Remove(repeatsFile)
	}
	return nil
}

// Pages returns the page of a paper's records, and after it the table of the claims that were
// judged again with other seed blocks, if any were. Records are in the paper's order.
func (r *Reproduction) Pages(records []*Record) []File {
	files := []File{{"README.md", r.page(records)}}
	if t := repeatTable(records); len(t.Rows) > 0 {
		files = append(files, File{repeatsFile, t.tsv()})
	}
	return files
}
