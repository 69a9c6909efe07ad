package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Record is the stored result of one artefact.
type Record struct {
	Reproduction string   `json:"reproduction"`
	Artefact     string   `json:"artefact"`
	Title        string   `json:"title"`
	Place        string   `json:"place"`
	Mode         Mode     `json:"mode"`
	Seed         uint64   `json:"seed"`
	Rows         string   `json:"rows,omitempty"` // the requested rows; "" for all
	Measured     bool     `json:"measured,omitempty"`
	Blocks       int      `json:"seed_blocks"`                   // drawn for the literal text
	BlocksAsRead int      `json:"seed_blocks_as_read,omitempty"` // blocks drawn under the set of readings; 0 if it judges nothing
	Most         int      `json:"most_seed_blocks"`              // the allowed maximum
	Few          bool     `json:"few_seed_blocks,omitempty"`     // because more would take too long
	Set          []string `json:"set,omitempty"`                 // set of readings that judged differing claims again
	Tried        []Tried  `json:"tried,omitempty"`               // by reading
	Repeats      []Repeat `json:"repeats,omitempty"`             // with other seed blocks, by their numbers
	*Result
}

// RunArtefact runs one artefact. rows is the user's selection of rows.
func RunArtefact(ctx context.Context, r *Reproduction, a *Artefact, s *Setup, rows string) (*Record, error) {
	rec := &Record{
		Reproduction: r.Name, Artefact: a.Name, Title: a.Title, Place: a.Place,
		Mode: s.Mode, Seed: s.Seed, Rows: rows, Measured: a.Measured, Most: a.mostBlocks(s), Few: a.Blocks > 0 && a.Blocks < Enough,
	}
	if err := rec.do(func() { rec.judge(ctx, r, a, s) }); err != nil {
		return nil, err
	}
	return rec, nil
}

// do carries out work for a record. Its error names the artefact.
func (r *Record) do(work func()) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("lab: %s %s: %w", r.Reproduction, r.Artefact, err)
		}
	}()
	defer caught(&err)
	work()
	return nil
}

// retry tries the readings that a kept record lacks, which may be new in the paper. It skips
// records with measured times: new times are not comparable.
func (r *Record) retry(ctx context.Context, p *Reproduction, a *Artefact, s *Setup) error {
	return r.do(func() {
		if !r.Measured {
			r.tryReadings(ctx, p, a, s, nil)
		}
	})
}

// Fits reports whether a run with this setup would give the same record, apart from readings
// outside the paper's set, so that the run can be skipped.
func (r *Record) Fits(p *Reproduction, a *Artefact, s *Setup, rows string) bool {
	set, _ := p.chosen(a)
	return r.Reproduction == p.Name && r.Artefact == a.Name && r.Mode == s.Mode && r.Seed == s.Seed && r.Rows == rows &&
		r.Most == a.mostBlocks(s) && slices.Equal(r.Set, set) && (s.Verdicts || len(set) < 2 || r.tried(theSet) != nil)
}

// Load reads a record written by Files.
func Load(data []byte) (*Record, error) {
	r := &Record{Result: &Result{}}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("lab: not a record: %w", err)
	}
	return r, nil
}

// File is a file to write.
type File struct {
	Name string
	Data []byte
}

// Files returns the record's files: tables as TSV, charts and pictures as SVG, and last the record
// itself as JSON, so that a stored record always has its other files. The pictures of a loaded
// record are left out, since it has only their names.
func (r *Record) Files() ([]File, error) {
	var files []File
	for i := range r.Tables {
		t := &r.Tables[i]
		files = append(files, File{t.Name + ".tsv", t.tsv()})
	}
	for i := range r.Charts {
		var svg bytes.Buffer
		if err := r.Charts[i].WriteSVG(&svg); err != nil {
			return nil, err
		}
		files = append(files, File{r.Charts[i].Name + ".svg", svg.Bytes()})
	}
	for _, p := range r.Pictures {
		if p.SVG == nil {
			continue
		}
		files = append(files, File{p.Name + ".svg", p.SVG})
	}
	data, err := json.MarshalIndent(r, "", " ")
	return append(files, File{r.Artefact + ".json", append(data, '\n')}), err
}

// fileNames returns the file names of the record's tables and charts.
func (r *Record) fileNames() (names []string) {
	for i := range r.Tables {
		names = append(names, r.Tables[i].Name+".tsv")
	}
	for i := range r.Charts {
		names = append(names, r.Charts[i].Name+".svg")
	}
	return names
}

// tsv returns the table as tab-separated values with a header.
func (t *Table) tsv() []byte {
	var b bytes.Buffer
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.Bytes()
}
