package lab

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/chart"
	"weft/sim/flow"
)

// sample is a reproduction with one artefact of two rows and a chart.
func sample() *Reproduction {
	return &Reproduction{Name: "sample", Paper: "A paper.", Artefacts: []Artefact{{
		Name: "fig1", Title: "A figure", Place: "Fig. 1", Seedless: true,
		Run: func(_ context.Context, s *Setup) *Result {
			r := &Result{
				Tables: []Table{{Name: "fig1", Title: "Numbers", Columns: []string{"row", "a|b"}}},
				Claims: []Claim{
					{Text: "it grows", Paper: "yes", Ours: "yes", Verdict: Holds},
					{Text: "twice", Paper: "2", Ours: "1", Verdict: Differs, Why: "Experiment, none."},
				},
				Charts: []chart.Chart{{Name: "fig1", Kind: chart.Bars, Categories: []string{"x"}, Series: []chart.Series{{Name: "s", Points: []chart.Point{{Y: 1}}}}}},
				Notes:  []string{"A note."},
			}
			for _, row := range []string{"one", "two"} {
				if s.Want(row) {
					r.Tables[0].Add(row, Pick(s, "q", "f"))
				}
			}
			return r
		},
	}}}
}

func TestRecordSurvives(t *testing.T) {
	r := sample()
	s := &Setup{Mode: Full, Seed: 7}
	rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], s, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := rec.Files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"fig1.tsv", "fig1.svg", "fig1.json"}, names); diff != "" {
		t.Errorf("files (the record last):\n%s", diff)
	}
	if want := "row\ta|b\none\tf\ntwo\tf\n"; string(files[0].Data) != want {
		t.Errorf("TSV %q, want %q", files[0].Data, want)
	}
	again, err := Load(files[2].Data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rec, again); diff != "" {
		t.Errorf("record after Load:\n%s", diff)
	}
	for _, c := range []struct {
		setup Setup
		rows  string
		fits  bool
	}{
		{Setup{Mode: Full, Seed: 7}, "", true},
		{Setup{Mode: Full, Seed: 7, Workers: 9}, "", true},
		{Setup{Mode: Quick, Seed: 7}, "", false},
		{Setup{Mode: Full, Seed: 8}, "", false},
		{Setup{Mode: Full, Seed: 7}, "one", false},
	} {
		if got := again.Fits(r, &r.Artefacts[0], &c.setup, c.rows); got != c.fits {
			t.Errorf("fits %+v rows %q: %v, want %v", c.setup, c.rows, got, c.fits)
		}
	}
	if again.Fits(r, &Artefact{Name: "fig2"}, s, "") || again.Fits(&Reproduction{Name: "other"}, &r.Artefacts[0], s, "") {
		t.Error("fits another artefact or paper")
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, text := range []string{"", "{", `{"nonsense":1}`, "[]"} {
		if _, err := Load([]byte(text)); err == nil {
			t.Errorf("%q was taken for a record", text)
		}
	}
}

func TestRowsAndSteps(t *testing.T) {
	r := sample()
	var steps []string
	s := &Setup{Mode: Quick, Rows: func(row string) bool { return row == "two" }, Step: func(row string) { steps = append(steps, row) }}
	rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], s, "two")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"two", "q"}}, rec.Tables[0].Rows); diff != "" {
		t.Errorf("rows:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"two"}, steps); diff != "" {
		t.Errorf("steps:\n%s", diff)
	}
}

func TestSeedOf(t *testing.T) {
	a, same, b := &Setup{Seed: 1}, &Setup{Seed: 1, Workers: 8}, &Setup{Seed: 2}
	if a.SeedOf("x") != same.SeedOf("x") || a.SeedOf("x") == a.SeedOf("y") || a.SeedOf("x") == b.SeedOf("x") {
		t.Error("a row's seed must depend on the run's seed and its name, on nothing else")
	}
}

func TestReport(t *testing.T) {
	r := sample()
	rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Mode: Quick, Seed: 1}, "")
	if err != nil {
		t.Fatal(err)
	}
	page := string(r.page([]*Record{rec}))
	for _, want := range []string{
		"# sample\n", "**What came out**: 2 claims; holds: 1, differs: 1", "| [fig1](#fig1) | twice | 2 | 1 | - | differs |",
		"Mode quick, seed 1.", "![](fig1.svg)", "| row | a\\|b |", "| one | q |", "- twice: differs. Experiment, none.", "A note.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestFormats(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.00123456: "0.00123", 1.5: "1.5", 99.99: "100", 12345: "12345"} {
		if got := Num(v); got != want {
			t.Errorf("Num(%g) = %q, want %q", v, got, want)
		}
	}
	if got := Mean(flow.Summary{Mean: 0.5, CI95: 0.01}); got != "0.5000 ± 0.0100" {
		t.Errorf("Mean: %q", got)
	}
	if got := Percent(-0.0475); got != "-4.8 %" {
		t.Errorf("Percent: %q", got)
	}
}

// TestTrial routes with an engine, with options, with a refusal, and without an engine.
func TestTrial(t *testing.T) {
	g, err := Graph("torus(4x4,hosts=2)")
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	s := &Setup{Workers: 2, Meter: func(work func() error) (Cost, error) { measured++; return Cost{Seconds: 1}, work() }}
	for _, c := range []struct{ engine, deadlock, refused, err string }{
		{engine: "updn", deadlock: "none"},
		{engine: "minhop", deadlock: "possible"},
		{engine: "dfsssp,heuristic=weakest", deadlock: "none"},
		{engine: "dor,nonsense=1", err: `no option "nonsense"`},
		{engine: "dfsssp,heuristic", err: `"heuristic"`},
		{engine: "nosuch", err: "nosuch"},
	} {
		trial, err := s.Route(t.Context(), g, Routing{Engine: c.engine})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want an error with %q", c.engine, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := trial.Deadlock(); got != c.deadlock || trial.Refused != "" || trial.Cost.Seconds != 1 {
			t.Errorf("%s: deadlock %q (want %q), refused %q, cost %v", c.engine, got, c.deadlock, trial.Refused, trial.Cost)
		}
	}
	tree, err := Graph("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	trial, err := s.Route(t.Context(), tree, Routing{Engine: "dor"})
	if err != nil || trial.Refused == "" || trial.Deadlock() != "-" {
		t.Errorf("dor on a tree: %v, %+v, want a refusal", err, trial)
	}
	if measured == 0 {
		t.Error("nothing was measured")
	}
}

func TestStops(t *testing.T) {
	g, err := Graph("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Setup{}).Route(ctx, g, Routing{Engine: "sssp"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returned %v", err)
	}
}

// TestFinish: charts under the readings are finished like the literal ones of the same name, and
// say once, in name and title, that they are as read.
func TestFinish(t *testing.T) {
	r := &Reproduction{Finish: func(c *chart.Chart) {
		if c.Name == "fig1" {
			c.Y.Label = "finished"
		}
		if c.Name == "fig2" {
			c.Title = "Another"
		}
	}}
	rec := &Record{Result: &Result{Charts: []chart.Chart{{Name: "fig1", Title: "One"}, {Name: "fig1-as-read", Title: "One, as read"}, {Name: "fig2-as-read", Title: "Two, as read"}}}}
	r.finish(rec)
	want := []chart.Chart{
		{Name: "fig1", Title: "One", Y: chart.Axis{Label: "finished"}},
		{Name: "fig1-as-read", Title: "One, as read", Y: chart.Axis{Label: "finished"}},
		{Name: "fig2-as-read", Title: "Another, as read"},
	}
	if diff := cmp.Diff(want, rec.Charts); diff != "" {
		t.Error(diff)
	}
}
