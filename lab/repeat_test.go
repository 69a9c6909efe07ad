package lab

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// moving is a paper with a claim that holds in blocks before 50 only, one that always holds, one
// that cannot be tested, and a figure that draws nothing.
func moving(runs *int) *Reproduction {
	return &Reproduction{Name: "moving", Says: "It moves.", Artefacts: []Artefact{
		{Name: "fig1", Title: "A figure", Place: "Fig. 1", Run: func(_ context.Context, s *Setup) *Result {
			*runs++
			moves, stays, never := NewClaim("moves", "1"), NewClaim("stays", "1"), NewClaim("never", "1")
			moves.JudgeRange(float64(s.Seed/BlockSeeds/50), 0, .5, "%.0f")
			stays.JudgeRange(1, 0, 2, "%.0f")
			never.Untestable("So it is.")
			return &Result{Claims: []Claim{moves, stays, never}}
		}},
		{Name: "fig2", Title: "Another figure", Place: "Fig. 2", Run: func(context.Context, *Setup) *Result { return &Result{} }},
	}}
}

// again runs figure 1 with the blocks from one on, and notes the verdicts in the results.
func again(r *Reproduction, results Store, from uint64, redo bool) (*Outcome, error) {
	run := Run{Paper: r, Artefacts: []*Artefact{&r.Artefacts[0]}, Redo: redo, Note: results, Setup: Setup{Mode: Full, Seed: 7 + from*BlockSeeds, Verdicts: true}}
	out, err := run.Do(context.Background())
	return out, err
}

// TestRepeats: verdicts by other seed blocks are noted once, in the order of the blocks. A claim
// with another verdict there is undecided on the page, and stays what it is in the record.
func TestRepeats(t *testing.T) {
	runs := 0
	r, results := moving(&runs), newMemory()
	first := Run{Paper: r, Artefacts: []*Artefact{&r.Artefacts[0], &r.Artefacts[1]}, Setup: Setup{Mode: Full, Seed: 7}, Store: results}
	if _, err := first.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := func() string { return string(results.files["README.md"]) }
	if strings.Contains(page(), "other seed blocks") || results.files[repeatsFile] != nil {
		t.Errorf("repeats before there are any:\n%s", page())
	}
	for _, from := range []uint64{90, 20} {
		if out, err := again(r, results, from, false); err != nil || len(out.Records) != 1 || out.Noted != 0 {
			t.Fatalf("from %d: %+v %v", from, out, err)
		}
	}
	rec := stored(results, "fig1")
	if len(rec.Repeats) != 2 || rec.Repeats[0].From != 20 || rec.Repeats[1].From != 90 || rec.Claims[0].Verdict != Holds {
		t.Errorf("%+v", rec)
	}
	for _, want := range []string{
		"| 20 | 2 of 2 | fig1 |", "| 90 | 1 of 2 | fig1 |", "| fig1 | moves | holds (0 ± 0) | from 90: differs (1 ± 0) |",
		"| [fig1](#fig1) | moves | 1 | 0 ± 0 | 0 to 0 | differs (undecided) |",
		"holds: 1, differs: 1 (1 undecided), not testable: 1",
		"([fig1](#fig1): the paper 1; ours 0 ± 0; differs (undecided).)",
		"The blocks of this page say holds (0 ± 0), those from 90 differs (1 ± 0).",
	} {
		if !strings.Contains(strings.Join(strings.Fields(page()), " "), want) {
			t.Errorf("no %q in\n%s", want, page())
		}
	}
	if want := "where\tclaim\tpage\tfrom 20\tfrom 90\nfig1\tmoves\tholds (0 ± 0)\tholds (0 ± 0)\tdiffers (1 ± 0)\nfig1\tstays\tholds (1 ± 0)\tholds (1 ± 0)\tholds (1 ± 0)\n"; string(results.files[repeatsFile]) != want {
		t.Errorf("table\n%s\nwant\n%s", results.files[repeatsFile], want)
	}
	before, whole := runs, page()
	if out, err := again(r, results, 90, false); err != nil || out.Noted != 1 || len(out.Records) != 0 || runs != before {
		t.Errorf("blocks that are noted: %+v %v, %d runs", out, err, runs-before)
	}
	if out, err := again(r, results, 90, true); err != nil || len(out.Records) != 1 || runs == before || page() != whole {
		t.Errorf("noted once more: %+v %v, %d runs\n%s", out, err, runs-before, page())
	}
	first.Redo = true
	if _, err := first.Do(t.Context()); err != nil || results.files[repeatsFile] != nil || strings.Contains(page(), "other seed blocks") {
		t.Errorf("a new result has the repeats of the old one: %v\n%s", err, page())
	}
}

// TestRepeatOverlap: a repeat draws no block that the page or another repeat has drawn, and has the
// size of the page. It says so before it runs.
func TestRepeatOverlap(t *testing.T) {
	runs := 0
	r, results := moving(&runs), newMemory()
	first := Run{Paper: r, Artefacts: []*Artefact{&r.Artefacts[0]}, Setup: Setup{Mode: Full, Seed: 7}, Store: results}
	if _, err := again(r, results, 20, false); err == nil || !strings.Contains(err.Error(), "fig1 has no result") {
		t.Error(err)
	}
	if _, err := first.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := again(r, results, 20, false); err != nil {
		t.Fatal(err)
	}
	runs = 0
	for _, from := range []uint64{0, Enough - 1, 20 - Enough + 1, 20 + Enough - 1} {
		if _, err := again(r, results, from, true); !errors.Is(err, errOverlap) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	for _, s := range []Setup{{Mode: Quick, Seed: 7 + 40*BlockSeeds}, {Mode: Full, Seed: 7 + 40*BlockSeeds, Blocks: 3}, {Mode: Full, Seed: 8 + 40*BlockSeeds}, {Mode: Full, Seed: 6}} {
		run := Run{Paper: r, Artefacts: []*Artefact{&r.Artefacts[0]}, Note: results, Setup: s}
		if _, err := run.Do(t.Context()); err == nil {
			t.Errorf("%+v is noted", s)
		}
	}
	if runs != 0 {
		t.Errorf("%d runs", runs)
	}
	if _, err := again(r, results, 20+Enough, false); err != nil {
		t.Error(err)
	}
	if rec := stored(results, "fig1"); !slices.EqualFunc(rec.Repeats, []int{20, 28}, func(x Repeat, from int) bool { return x.From == from }) {
		t.Errorf("%+v", rec.Repeats)
	}
}

// TestSaid: the number that decided a claim as read is the one that is shown.
func TestSaid(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		want  string
	}{
		{Claim{Verdict: Holds, Ours: "3 ± 1"}, "holds (3 ± 1)"},
		{Claim{Verdict: Fitted, Ours: "9 ± 1", AsRead: "3 ± 1", Why: "It rests on k. As read: 3 ± 1."}, "fitted (3 ± 1 as read)"},
		{Claim{Verdict: Differs, Undecided: true, Ours: "9 ± 1", AsRead: "5 ± 3", Why: "As read: 5 ± 3."}, "differs (undecided) (5 ± 3 as read)"},
	} {
		if got := said(&c.claim); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
