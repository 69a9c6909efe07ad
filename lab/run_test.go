package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memory is a Store that counts the writes to each file.
type memory struct {
	files  map[string][]byte
	writes map[string]int
}

func newMemory() *memory { return &memory{map[string][]byte{}, map[string]int{}} }

func (m *memory) Read(name string) ([]byte, error) {
	if data, ok := m.files[name]; ok {
		return data, nil
	}
	return nil, os.ErrNotExist
}

func (m *memory) Write(name string, data []byte) error {
	m.files[name] = data
	m.writes[name]++
	return nil
}

func (m *memory) Remove(name string) error {
	delete(m.files, name)
	return nil
}

// do runs all artefacts of the sample.
func do(t *testing.T, run Run) (*Outcome, error) {
	t.Helper()
	run.Paper = sample()
	chosen, err := run.Paper.Select(nil)
	if err != nil {
		t.Fatal(err)
	}
	run.Artefacts = chosen
	return run.Do(t.Context())
}

// TestRunTakesAway: a chart and a table that a record no longer has are removed; other records'
// files stay.
func TestRunTakesAway(t *testing.T) {
	store := newMemory()
	run := Run{Setup: Setup{Mode: Quick, Seed: 7}, Store: store}
	out, err := do(t, run)
	if err != nil {
		t.Fatal(err)
	}
	rec := *out.Records[0]
	rec.Tables = append(slices.Clone(rec.Tables), Table{Name: "fig1-as-read"})
	rec.Charts = append(slices.Clone(rec.Charts), rec.Charts[0])
	rec.Charts[len(rec.Charts)-1].Name = "fig1-as-read"
	run.Paper = sample()
	if err := run.Paper.store(store, &rec); err != nil {
		t.Fatal(err)
	}
	store.files["other-as-read.svg"] = nil
	all := len(store.files)
	run.Redo = true
	if _, err := do(t, run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fig1-as-read.svg", "fig1-as-read.tsv"} {
		if _, err := store.Read(name); err == nil {
			t.Errorf("%s is there still", name)
		}
	}
	if len(store.files) != all-2 {
		t.Errorf("%d files of %d stay", len(store.files), all)
	}
}

// TestRunKeeps: what the Store has is not run again but written again, unless mode, seed
// or rows differ, and less never takes the place of more.
func TestRunKeeps(t *testing.T) {
	full, quick := Setup{Mode: Full, Seed: 7}, Setup{Mode: Quick, Seed: 7}
	for _, c := range []struct {
		name    string
		first   Run
		second  Run
		reused  int
		refused string
	}{
		{"the same", Run{Setup: full}, Run{Setup: full}, 1, ""},
		{"again", Run{Setup: full}, Run{Setup: full, Redo: true}, 0, ""},
		{"another seed", Run{Setup: quick}, Run{Setup: Setup{Mode: Quick, Seed: 8}}, 0, ""},
		{"more", Run{Setup: quick, Rows: []string{"one"}}, Run{Setup: full}, 0, ""},
		{"same rows", Run{Setup: quick, Rows: []string{"one", "x"}}, Run{Setup: quick, Rows: []string{"one", "x"}}, 1, ""},
		{"other rows", Run{Setup: quick, Rows: []string{"one"}}, Run{Setup: quick, Rows: []string{"two"}}, 0, ""},
		{"less by mode", Run{Setup: full}, Run{Setup: quick}, 0, "fig1 in full mode with all rows"},
		{"less by rows", Run{Setup: quick}, Run{Setup: quick, Rows: []string{"one"}}, 0, "fig1 in quick mode with all rows"},
		{"less by mode, again", Run{Setup: full}, Run{Setup: quick, Redo: true}, 0, ""},
	} {
		store := newMemory()
		c.first.Store, c.second.Store = store, store
		if out, err := do(t, c.first); err != nil || len(out.Records) != 1 || out.Reused != 0 {
			t.Fatalf("%s: first %+v %v", c.name, out, err)
		}
		out, err := do(t, c.second)
		if c.refused != "" {
			if more, ok := errors.AsType[*HasMore](err); !ok || more.Error() != c.refused || store.writes["fig1.json"] != 1 {
				t.Errorf("%s: %v, want %s", c.name, err, c.refused)
			}
			continue
		}
		if err != nil || out.Reused != c.reused || len(out.Records) != 1 || store.writes["fig1.svg"] != 2 {
			t.Errorf("%s: %+v %v, drawn %d times", c.name, out, err, store.writes["fig1.svg"])
		}
		if page := string(store.files["README.md"]); !strings.Contains(page, fmt.Sprintf("seed %d", c.second.Setup.Seed)) {
			t.Errorf("%s: the page is of another run:\n%s", c.name, page)
		}
	}
}

// TestRunRows: rows are chosen by parts of their names; without any there is no record.
func TestRunRows(t *testing.T) {
	store := newMemory()
	var steps []string
	done := 0
	out, err := do(t, Run{
		Rows: []string{"w", "nowhere"}, Store: store, Done: func() { done++ },
		Setup: Setup{Mode: Quick, Step: func(what string) { steps = append(steps, what) }},
	})
	if err != nil || len(out.Records[0].Tables[0].Rows) != 1 || out.Records[0].Rows != "w; nowhere" {
		t.Errorf("%+v %v", out, err)
	}
	if !slices.Equal(steps, []string{"fig1: two"}) || done != 1 {
		t.Errorf("steps %q, %d done", steps, done)
	}
	if out, err := do(t, Run{Rows: []string{"nowhere"}, Store: newMemory()}); !errors.Is(err, ErrNoRow) || len(out.Records) != 0 {
		t.Errorf("%+v %v", out, err)
	}
}

// TestSelect: artefacts in the paper's order.
func TestSelect(t *testing.T) {
	r := sample()
	r.Artefacts = append(r.Artefacts, Artefact{Name: "fig2"}, Artefact{Name: "fig3"})
	for want, names := range map[string][]string{"fig1 fig2 fig3": nil, "fig1 fig3": {"fig3", "fig1"}} {
		chosen, err := r.Select(names)
		var got []string
		for _, a := range chosen {
			got = append(got, a.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v: %v %v", names, got, err)
		}
	}
	if _, err := r.Select([]string{"fig1", "fig9"}); err == nil {
		t.Error("an artefact that there is not")
	}
}

// TestOutcomeText: the claims of the records, and how many have each verdict.
func TestOutcomeText(t *testing.T) {
	run := Run{Setup: Setup{Mode: Quick, Seed: 3}}
	out, err := do(t, run)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(out.Claims()); got != "[[fig1 holds it grows yes yes] [fig1 differs twice 2 1]]" {
		t.Errorf("claims %s", got)
	}
	run.Paper = sample()
	if got := run.Summary(out); got != "sample, quick mode, seed 3: 1 holds, 1 differs" {
		t.Errorf("summary %q", got)
	}
}

// TestRunRetriesRows: a matching row of a kept record that is tried again does not count for the
// next artefact, which has none.
func TestRunRetriesRows(t *testing.T) {
	paper, store := sample(), newMemory()
	one := paper.Artefacts[0]
	without := one
	without.Name = "fig2"
	without.Run = func(_ context.Context, s *Setup) *Result {
		s.Want("elsewhere")
		return &Result{}
	}
	paper.Artefacts = []Artefact{one, without}
	for _, readings := range [][]Reading{nil, {{Name: "later"}}} {
		paper.Readings = readings
		run := Run{Paper: paper, Artefacts: []*Artefact{&paper.Artefacts[0], &paper.Artefacts[1]}, Setup: Setup{Mode: Full, Seed: 7}, Rows: []string{"one"}, Store: store}
		if out, err := run.Do(t.Context()); err != nil || len(out.Records) != 1 {
			t.Errorf("%v: %+v, %v", readings, out, err)
		}
	}
}

// TestRunTriesReadings: a kept record gets the paper's newer readings, as in a new run, and loses
// readings that the paper no longer has; earlier ones are not run again. If the set (+) changed,
// all is run again.
func TestRunTriesReadings(t *testing.T) {
	paper, runs := sample(), 0
	plain := paper.Artefacts[0].Run
	paper.Artefacts[0].Run = func(ctx context.Context, s *Setup) *Result {
		runs++
		r := plain(ctx, s)
		r.Claims[1].Judge(s.Reads("b"), "with %v", s.Readings)
		return r
	}
	store := newMemory()
	with := func(store Store, names ...string) (*Record, int) {
		paper.Readings = nil
		for _, name := range names {
			name, chosen := strings.CutPrefix(name, "+")
			paper.Readings = append(paper.Readings, Reading{Name: name, Chosen: chosen})
		}
		before := runs
		run := Run{Paper: paper, Artefacts: []*Artefact{&paper.Artefacts[0]}, Setup: Setup{Mode: Full, Seed: 7}, Store: store}
		out, err := run.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return out.Records[0], runs - before
	}
	for _, c := range []struct {
		readings []string
		ran      int
	}{{nil, 1}, {[]string{"a"}, 2}, {[]string{"b", "a"}, 1}, {[]string{"b", "a"}, 0}, {[]string{"b"}, 0}, {nil, 0}, {[]string{"+b"}, 3}, {[]string{"+b", "a"}, 1}, {[]string{"+b", "+a"}, 4}, {[]string{"+b"}, 3}} {
		kept, ran := with(store, c.readings...)
		fresh, _ := with(newMemory(), c.readings...)
		if diff := cmp.Diff(fresh, kept); diff != "" || ran != c.ran {
			t.Errorf("%v: %d runs, want %d\n%s", c.readings, ran, c.ran, diff)
		}
	}
	paper.Artefacts[0].Run = func(ctx context.Context, s *Setup) *Result {
		r := plain(ctx, s)
		r.Claims = r.Claims[:1]
		return r
	}
	paper.Readings = []Reading{{Name: "b", Chosen: true}, {Name: "c"}}
	run := Run{Paper: paper, Artefacts: []*Artefact{&paper.Artefacts[0]}, Setup: Setup{Mode: Full, Seed: 7}, Store: store}
	if _, err := run.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "sample fig1") || !strings.Contains(err.Error(), "--redo --only fig1") {
		t.Errorf("claims that are not those of the record: %v", err)
	}
}
