package report

import (
	"testing"

	"weft/lab/stats"
	"weft/lab/sweep"
)

// TestOlder: the sentence counts the cases of older sources, and names the networks with others.
func TestOlder(t *testing.T) {
	for _, c := range []struct {
		list []sweep.Origin
		want string
	}{
		{nil, ""},
		{[]sweep.Origin{{Cases: 3, Networks: []string{"a"}}}, ""},
		{[]sweep.Origin{{Older: true, Cases: 3, Networks: []string{"a"}}}, "Of these 3 cases, 3 are of older sources of weft than those of the last run."},
		{
			[]sweep.Origin{{Older: true, Cases: 3, Networks: []string{"a", "b"}}, {Older: true, Cases: 2, Networks: []string{"b"}}, {Cases: 4, Networks: []string{"b", "d", "c"}}},
			"Of these 9 cases, 5 are of older sources of weft than those of the last run. Partly older: b. All of the last run: c, d.",
		},
	} {
		if got := older(c.list); got != c.want {
			t.Errorf("%+v: %s", c.list, got)
		}
	}
}

// TestChoiceOnAllDraws: an engine that is proven on two of three draws has a mean over other
// fabrics, and is no choice.
func TestChoiceOnAllDraws(t *testing.T) {
	cells := []sweep.Cell{
		{Contestant: "auto", Interval: stats.Interval{N: 3, Mean: .66}},
		{Contestant: "torus", Interval: stats.Interval{N: 2, Mean: .7}},
		{Contestant: "nue", Interval: stats.Interval{N: 3, Mean: .6}},
	}
	if got := choice(cells, false); got != "0.66: auto" {
		t.Errorf("%s", got)
	}
	if got := choice(cells[1:2], false); got != "0.7: torus" {
		t.Errorf("%s", got)
	}
}
