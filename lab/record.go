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
	Rows         string   `json:"rows,omitempty"` // the rows kept, as asked for; "" for all
	Measured     bool     `json:"measured,omitempty"`
	Blocks       int      `json:"seed_blocks"`                   // drawn, by the letter
	BlocksAsRead int      `json:"seed_blocks_as_read,omitempty"` // blocks drawn under the set of readings; 0 if it judges nothing
	Most         int      `json:"most_seed_blocks"`              // the allowed maximum
	Few          bool     `json:"few_seed_blocks,omitempty"`     // because more would take too long
	Set          []string `json:"set,omitempty"`                 // set of readings that judged differing claims again
	Tried        []Tried  `json:"tried,omitempty"`               // by reading
	*Result
}

// RunArtefact runs one artefact. rows is how the Setup's Rows were asked for.
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

// do carries out work for a record. The error that ends it names the artefact.
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

// retry tries the readings that a kept record does not have yet: the paper may have got them since. Times measured now would not go with
// those of the record.
func (r *Record) retry(ctx context.Context, p *Reproduction, a *Artefact, s *Setup) error {
	return r.do(func() {
		if !r.Measured {
			r.tryReadings(ctx, p, a, s, nil)
		}
	})
}

// Fits says whether the record is what a run with this setup would give, but for readings outside the paper's set, so that the
// run may be left out.
func (r *Record) Fits(p *Reproduction, a *Artefact, s *Setup, rows string) bool {
	set, _ := p.chosen(a)
	return r.Reproduction == p.Name && r.Artefact == a.Name && r.Mode == s.Mode && r.Seed == s.Seed && r.Rows == rows &&
		r.Most == a.mostBlocks(s) && slices.Equal(r.Set, set) && (s.Verdicts || len(set) < 2 || r.tried(theSet) != nil)
}

// Load reads a record that Files wrote.
func Load(data []byte) (*Record, error) {
	r := &Record{Result: &Result{}}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("lab: not a record: %w", err)
	}
	return r, nil
}

// File is a file to be written.
type File struct {
	Name string
	Data []byte
}

// Files are the record's files: tables as TSV, charts and pictures as SVG, and last the record
// itself as JSON, so that a record that is there has its files. The pictures of a record
// that was read are not among them: it names them only.
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

// fileNames returns the names of the files of its tables and charts.
func (r *Record) fileNames() (names []string) {
	for i := range r.Tables {
		names = append(names, r.Tables[i].Name+".tsv")
	}
	for i := range r.Charts {
		names = append(names, r.Charts[i].Name+".svg")
	}
	return names
}

// tsv is the table as tab-separated values under a header.
func (t *Table) tsv() []byte {
	var b bytes.Buffer
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.Bytes()
}
