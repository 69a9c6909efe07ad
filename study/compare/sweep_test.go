package compare

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"weft/planner"
)

// Rows are read as they were written; what is no row is refused by its line.
func TestSweepRows(t *testing.T) {
	rows := []SweepRow{
		{"fat648|fail(share=0.05,links=all,seed=1)", "auto", "ftree", Proven, 1, "same", .7721, .0012, 1975, 1530, 3, 0},
		{"odin", "dor", "", "not a mesh or torus: x", 0, "", 0, 0, 0, 0, 0, 0},
	}
	var file bytes.Buffer
	if err := WriteSweepHead(&file); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := rows[i].Write(&file); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadSweep("f", &file)
	if err != nil || !slices.Equal(got, rows) {
		t.Errorf("%v, %+v", err, got)
	}
	head := strings.Join(sweepColumns, "\t") + "\n"
	for text, want := range map[string]string{
		"a\tb\n":        "f:1: no table",
		head + "a\tb\n": "f:2: 2 columns, want 12",
		head + "a\tb\tc\tproven\tx\tsame\t1\t1\t1\t1\t1\t0\n":    `f:2: column vls: "x" is no whole number from 0 on`,
		head + "a\tb\tc\tproven\t1\tsame\t1\t1\t1\t-1\t1\t0\n":   `f:2: column pairs: "-1" is no whole number from 0 on`,
		head + "a\tb\tc\tproven\t1\tsame\tNaN\t1\t1\t1\t1\t0\n":  `f:2: column ebb: "NaN" is no number from 0 on`,
		head + "a\tb\tc\tproven\t1\tsame\t1\t1\t+Inf\t1\t1\t0\n": `f:2: column shifts: "+Inf" is no number from 0 on`,
		head + "a\tb\tc\tproven\t1\tsame\t1\ty\t1\t1\t1\t0\n":    `f:2: column ci95: "y" is no number from 0 on`,
	} {
		if _, err := ReadSweep("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadSweep(f *testing.F) {
	f.Add(strings.Join(sweepColumns, "\t") + "\nodin\tupdn\tupdn\tproven\t1\tsame\t0.5\t0.1\t10\t5\t0\t0\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadSweep("f", strings.NewReader(text))
		if err == nil {
			Standings(rows)
		}
	})
}

// An engine stands by its distance from the best proven one of each fabric; what is not proven
// is neither a best nor counted.
func TestStandings(t *testing.T) {
	rows := []SweepRow{
		{Fabric: "a", Engine: "x", Verdict: Proven, EBB: .8, Shift: 100, Pairs: 10},
		{Fabric: "a", Engine: "y", Verdict: Proven, EBB: .4, Shift: 200, Pairs: 10},
		{Fabric: "a", Engine: "z", Verdict: "not proven", EBB: .9, Shift: 50, Pairs: 1},
		{Fabric: "b", Engine: "x", Verdict: "refused", EBB: 0},
		{Fabric: "b", Engine: "y", Verdict: Proven, EBB: .5, Shift: 100, Pairs: 20},
	}
	got := Standings(rows)
	want := []Standing{
		{"x", 1, 1, Behind{0, 0, "a", 1}, Behind{0, 0, "a", 1}, Behind{1, 1, "a", 1}},
		{"y", 2, 0, Behind{.25, .5, "a", 1}, Behind{.25, .5, "a", 1}, Behind{1, 1, "a", 2}},
		{"z", 0, 1, Behind{}, Behind{}, Behind{}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	var text strings.Builder
	if err := WriteBehind(&text, rows, "y"); err != nil || !strings.Contains(text.String(), "0.8000  x") || !strings.Contains(text.String(), "    x: 100.0 % more bandwidth, and 50.0 % less congestion in shifts\n") || strings.Contains(text.String(), "\nb ") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// A prediction is right where auto took its engine, relieved or not, and is near the best.
func TestPredictions(t *testing.T) {
	rows := []SweepRow{
		{Fabric: "a", Engine: "auto", Chosen: "x,relief=true", Verdict: Proven, EBB: .8, Shift: 100},
		{Fabric: "a", Engine: "x", Verdict: Proven, EBB: .8, Shift: 120},
		{Fabric: "b", Engine: "auto", Chosen: "y", Verdict: Proven, EBB: .5, Shift: 100},
		{Fabric: "b", Engine: "x", Verdict: Proven, EBB: .6, Shift: 100},
		{Fabric: "c", Engine: "auto", Chosen: "x", Verdict: Proven, EBB: .6, Shift: 100},
		{Fabric: "c", Engine: "y", Verdict: Proven, EBB: .6, Shift: 90},
		{Fabric: "d", Engine: "auto", Verdict: "refused"},
	}
	kind := planner.Prediction{Kind: "k", Engine: "x"}
	got, err := Predictions(rows, func(fabric string) (planner.Prediction, error) {
		p := kind
		p.Known = fabric == "c"
		return p, nil
	})
	want := []Predicted{{kind, 2, 1, 1, 2, 1}, {planner.Prediction{Kind: "k", Engine: "x", Known: true}, 1, 1, 1, 0, 0}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %+v", err, got)
	}
	var text strings.Builder
	if err := WritePredictions(&text, got); err != nil || !strings.Contains(text.String(), "without trials") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
