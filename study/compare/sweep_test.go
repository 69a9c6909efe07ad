package compare

import (
	"slices"
	"strings"
	"testing"

	"weft/planner"
)

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
		{"x", 1, 1, 0, 0, Behind{0, 0, "a", 1}, Behind{0, 0, "a", 1}, Behind{1, 1, "a", 1}},
		{"y", 2, 0, 0, 0, Behind{.25, .5, "a", 1}, Behind{.25, .5, "a", 1}, Behind{1, 1, "a", 2}},
		{"z", 0, 0, 1, 0, Behind{}, Behind{}, Behind{}},
	}
	var table strings.Builder
	if err := WriteStandings(&table, got); err != nil || !strings.Contains(table.String(), "z       0        0        1         0        -") {
		t.Errorf("an engine without a proof has figures: %v\n%s", err, table.String())
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
